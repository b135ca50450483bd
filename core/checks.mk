# SPDX-License-Identifier: MIT
# Clients in C that run on the core: `make check`, and under what finds errors in memory and threads:
# `make asan`, `ubsan`, `tsan`, `valgrind`, `wine`. And a fuzzer: `make fuzz`, or `make fuzz
# SECONDS=600`.

CLIENTS = ../tests/c/clients
BEHAVIOUR = ../tests/c/behaviour
FAULTS = ../tests/c/faults
# What runs: a client, and behind colons what it is told after the library's path.
RUNS = abi client heap old_client versions storm:2:50000:2 arena:2:30000 adaptor_storm:2:20000:2 \
  random_values kernels many_threads:800:1000 reload:20:1000 shared_env:2000 platform $(LEAVERS) $(RUNS_OF_$(SYSTEM))
RUNS_OF_POSIX = $(FORKS) $(INSIDERS_OF_$(CHOSEN)) throwing:$(THROWING) private_copy:$(THROWING) kernel_threads:100000
THROWING = $(BUILD)/throwing_ops.so
# Apart, since the runtimes of most tools do not go on in the child of a process with threads.
FORKS = kernel_threads:1000:fork storm:2:20000:2:fork adaptor_storm:2:20000:2:fork shared_env:100000:200 arena_fork \
  fork_order
# These leave objects to the end of the process, which nobody takes for a leak on our own heap.
LEAVERS = $(if $(filter HEAP,$(CHOSEN)),behaviour)
# In their allocations, or in the system's functions, the n-th call fails.
INSIDERS_OF_MALLOC = faults
INSIDERS_OF_HEAP = system_faults
WRAPPED = mmap mprotect madvise pthread_key_create pthread_mutex_init pthread_rwlock_init
PROGRAMS = $(sort $(foreach run,$(RUNS),$(BUILD)/$(firstword $(subst :, ,$(run)))$(EXE)))
# Put in front of each client.
UNDER =

EXE = $(if $(filter WINDOWS,$(SYSTEM)),.exe)
LINK_CLIENT = $(LINK_CLIENT_OF_$(SYSTEM)) $(LDFLAGS)
LINK_CLIENT_OF_POSIX = -L$(BUILD) -lortcore -Wl,-rpath,$(abspath $(BUILD)) -ldl $(THREADS) $(SEEN)
# A client that is a library of custom ops as well.
$(BUILD)/behaviour: SEEN = -rdynamic
$(BUILD)/behaviour.exe: SEEN = -Wl,--export-all-symbols
LINK_CLIENT_OF_WINDOWS = $(BUILD)/libortcore.dll.a $(THREADS) $(SEEN)
# static: with the threads of the test itself in it.
THREADS = $(if $(filter WINDOWS,$(SYSTEM)),-static -lpthread,-pthread)

$(BUILD)/behaviour$(EXE): $(wildcard $(BEHAVIOUR)/behaviour_*.c)
$(BUILD)/faults: $(wildcard $(FAULTS)/faults_*.c)
vpath %.c $(CLIENTS) $(BEHAVIOUR) $(FAULTS)
$(BUILD)/%$(EXE): %.c $(wildcard ../tests/c/*/*.h) $(LIBRARY)
	$(CC) -std=gnu11 -Wall -Wextra $($(SYSTEM)_FLAGS) $(CFLAGS) -Iinclude $(filter %.c,$^) -o $@ $(LINK_CLIENT)

# These look inside, so they are linked with the core's objects.
$(BUILD)/faults $(BUILD)/system_faults $(BUILD)/adaptor_storm$(EXE) $(BUILD)/platform$(EXE) \
$(BUILD)/arena_fork $(BUILD)/fork_order $(BUILD)/private_copy: LINK_CLIENT = \
  -Isrc $($(CHOSEN)_FLAGS) $(OBJECTS) $($(CHOSEN)_LINK) $(WRAP) $(THREADS) $(LDFLAGS) $(SEEN)
$(BUILD)/faults: WRAP = -Wl,--wrap=malloc -rdynamic -DCUSTOM_OPS='"$(abspath $(BUILD))/custom_ops.so"'
$(BUILD)/faults: | $(BUILD)/custom_ops.so
$(BUILD)/custom_ops.so: $(CLIENTS)/custom_ops.c | $(BUILD)/libortcore.so
	$(CC) $(FLAGS) $(CFLAGS) -Iinclude -shared $< -o $@
# The sanitizers must see the C++ library from the start.
$(BUILD)/throwing $(BUILD)/private_copy: SEEN = \
  $(if $(findstring -fsanitize,$(CFLAGS)),-Wl$(comma)--no-as-needed -lstdc++)
$(BUILD)/throwing $(BUILD)/private_copy: | $(THROWING)
$(THROWING): $(CLIENTS)/throwing_ops.cc | $(BUILD)/libortcore.so
	$(CXX) -std=c++17 -fPIC -Wall -Wextra $(CFLAGS) -Iinclude -shared $< -o $@
$(BUILD)/system_faults: WRAP = $(WRAPPED:%=-Wl,--wrap=%)

# Each run is a target of its own, so that `make -j` starts several. No target's name can have a colon.
CHECKS = $(addprefix check@,$(subst :,@,$(RUNS)))
.PHONY: check asan ubsan tsan valgrind $(CHECKS)
check: $(CHECKS)
$(CHECKS): check@%: $(PROGRAMS)
	@set -- $(subst @, ,$*); client=$(BUILD)/$$1$(EXE); shift; \
	echo "== $$client $$*"; $(UNDER) $$client $(LIBRARY) "$$@" >'$(BUILD)/$(subst /,_,$*).said' 2>&1 || \
	  { cat '$(BUILD)/$(subst /,_,$*).said'; exit 1; }

# Names the package that has a missing tool, where make would only say "Error 127".
need = @command -v $(firstword $(1)) >/dev/null || \
  { echo "$(firstword $(1)) is missing: it is in the package $(2) of Debian and Ubuntu" >&2; exit 1; }

DEBUG = -O1 -g -fno-omit-frame-pointer
# undefs: the sanitizer's runtime stands in the program, not in the library.
SANITIZE = CFLAGS="$(DEBUG) -fsanitize=$(1)" LDFLAGS="-fsanitize=$(firstword $(1)) -Wl,-z,undefs"

# Each block of the C library's heap has an end that the sanitizer and valgrind watch; our own heap
# has code that they watch.
asan: export ASAN_OPTIONS = allocator_may_return_null=1:detect_stack_use_after_return=1
asan:
	$(MAKE) check BUILD=$(BUILD)/asan FORKS= $(call SANITIZE,address)
	$(MAKE) check BUILD=$(BUILD)/asan-malloc USE_MALLOC=1 FORKS= $(call SANITIZE,address)

ubsan: export UBSAN_OPTIONS = halt_on_error=1:print_stacktrace=1
ubsan:
	$(MAKE) check BUILD=$(BUILD)/ubsan $(call SANITIZE,undefined)

tsan: export TSAN_OPTIONS = halt_on_error=1
tsan:
	$(MAKE) check BUILD=$(BUILD)/tsan FORKS= $(call SANITIZE,thread -DCORE_TSAN)

# Only what is lost for certain: what the loader and libpthread keep looks possibly lost.
MEMCHECK = valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite
MEMCHECK += --errors-for-leak-kinds=definite
# Memcheck sees what asan does not: a decision that depends on memory that was never written. It knows
# the blocks of the C library's heap, so the clients run on that. On our own heap `behaviour` is
# enough, which calls every function. Threads run one at a time here, so the storms are short: asan
# and tsan have the long ones, and the hundreds of processes of `faults`.
UNDER_VALGRIND = CFLAGS="$(DEBUG) -DCORE_EXACT_READS" UNDER="$(MEMCHECK)"
RUNS_OF_VALGRIND = abi client heap old_client versions storm:2:2000:2 arena:2:2000 \
  adaptor_storm:2:1000:2 random_values kernels many_threads:50:50 reload:3:50 shared_env:100 platform
valgrind:
	$(call need,valgrind,valgrind)
	$(MAKE) check BUILD=$(BUILD)/valgrind $(UNDER_VALGRIND) \
	  $(if $(filter command line,$(origin RUNS)),,RUNS=behaviour)
	$(MAKE) check BUILD=$(BUILD)/valgrind-malloc USE_MALLOC=1 $(UNDER_VALGRIND) \
	  $(if $(filter command line,$(origin RUNS)),,RUNS="$(RUNS_OF_VALGRIND)")

# libFuzzer, which comes with clang. What it finds of use it adds to the corpus in BUILD, not to that
# of the sources; what breaks the core is left in BUILD as crash-*, leak-*, timeout-* or oom-*. With
# USE_MALLOC=1 allocations fail as well.
SECONDS = 60
FUZZ = ../tests/fuzz
comma = ,
INSTRUMENT = fuzzer-no-link$(comma)address$(comma)undefined -fno-sanitize-recover=undefined
fuzz: export ASAN_OPTIONS = allocator_may_return_null=1
fuzz:
	$(call need,clang,clang)
	$(MAKE) run_fuzzer CC=clang BUILD=$(BUILD)/fuzz$(if $(USE_MALLOC),-malloc) \
	  $(call SANITIZE,$(INSTRUMENT))

.PHONY: fuzz run_fuzzer
run_fuzzer: $(BUILD)/fuzzer
	mkdir -p $(BUILD)/corpus
	$< -max_total_time=$(SECONDS) -max_len=512 -timeout=10 -artifact_prefix=$(BUILD)/ \
	  -print_final_stats=1 -verbosity=0 $(BUILD)/corpus $(FUZZ)/corpus
$(BUILD)/fuzzer: $(wildcard $(FUZZ)/*.[ch]) $(OBJECTS)
	$(CC) -std=gnu11 -Wall -Wextra $(CFLAGS) -fsanitize=fuzzer $($(CHOSEN)_FLAGS) -Iinclude -Isrc \
	  $(filter %.c,$^) $(OBJECTS) -rdynamic -pthread -ldl -o $@

# The DLL, and the clients on it, on a machine that is no Windows. wine wants no window for that.
MINGW = x86_64-w64-mingw32-gcc
ON_WINDOWS = CC="$(MINGW)" BUILD=$(BUILD)/windows USE_MIMALLOC= USE_MALLOC=
.PHONY: windows wine
windows:
	$(call need,$(MINGW),gcc-mingw-w64-x86-64)
	$(MAKE) $(ON_WINDOWS)
wine: export WINEDEBUG = -all
wine: export WINEDLLOVERRIDES = mscoree,mshtml=
wine:
	$(call need,$(MINGW),gcc-mingw-w64-x86-64)
	$(call need,wine,wine)
	$(MAKE) check $(ON_WINDOWS) UNDER=wine

# The library for another kind of processor, and the clients on it in an emulator. qemu runs what a
# process does, but slowly, so the storms are short.
CROSS = aarch64-linux-gnu
EMULATOR = qemu-$(firstword $(subst -, ,$(CROSS)))
RUNS_OF_CROSS = abi client old_client versions storm:2:2000:2 arena:2:2000 adaptor_storm:2:1000:2 \
  random_values kernels shared_env:100 platform behaviour
.PHONY: cross
cross:
	$(call need,$(CROSS)-gcc,gcc-$(CROSS))
	$(call need,$(EMULATOR),qemu-user)
	$(MAKE) check CC=$(CROSS)-gcc BUILD=$(BUILD)/$(CROSS) USE_MIMALLOC= USE_MALLOC= \
	  UNDER="$(EMULATOR) -L /usr/$(CROSS)" RUNS="$(RUNS_OF_CROSS)"
