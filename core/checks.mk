# SPDX-License-Identifier: MIT
# Builds and runs the clients in C: `make check`; with tools that find errors in memory, arithmetic
# and threads: `make asan`, `tsan`, `valgrind`; for other systems: `make wine`, `cross`,
# `musl`.
# And runs the fuzzer: `make fuzz`, or `make fuzz SECONDS=600`.

CLIENTS = ../tests/c/clients
FAULTS = ../tests/c/faults
# Each run is the name of a client and its arguments, separated by colons. The client also gets the
# library's path, as its first argument.
RUNS = abi heap storm:2:50000:2 storm:2:100000:1:arena adaptor_storm:2:20000:2 \
  models kernels:100000 many_threads:800:1000 reload:20:1000 shared_env:2000 platform session_threads \
  provider_threads $(RUNS_OF_$(SYSTEM))
RUNS_OF_POSIX = $(FORKS) $(INSIDERS_OF_$(CHOSEN)) throwing:$(THROWING) private_copy:$(THROWING)
RUNS_OF_APPLE = $(FORKS) throwing:$(THROWING)
THROWING = $(BUILD)/throwing_ops.so
# Clients that fork. They are apart because the runtimes of most sanitizers do not work in the child
# of a process with threads.
FORKS = kernels:1000:fork storm:2:20000:2:fork adaptor_storm:2:20000:2:fork shared_env:100000:200 \
  session_threads:fork fork_order
# With tsan, only clients with threads. It finds a race also where the accesses are not simultaneous,
# so the storms are short; asan runs the long ones.
RUNS_OF_TSAN = heap storm:2:5000:2 storm:2:10000:1:arena adaptor_storm:2:2000:2 models kernels:10000 \
  many_threads:100:1000 reload:20:1000 shared_env:2000 platform session_threads:1000 \
  provider_threads throwing:$(THROWING)
# valgrind runs one thread at a time, so the storms are short; asan runs `faults` with its hundreds
# of processes.
RUNS_OF_VALGRIND = heap storm:2:2000:2 storm:2:8000:1:arena \
  adaptor_storm:2:1000:2 models kernels many_threads:50:50 reload:3:50 shared_env:100 platform
# On other systems what uses the system, with short storms. Without what is arithmetic and the
# reading of bytes alone.
RUNS_OF_OTHERS = abi heap storm:2:5000:2 storm:2:10000:1:arena adaptor_storm:2:2000:2 \
  kernels many_threads:100:1000 reload:20:1000 shared_env:2000 platform session_threads:500 provider_threads
# In these programs the n-th allocation fails, or the n-th call of a system function.
INSIDERS_OF_MALLOC = faults
INSIDERS_OF_HEAP = system_faults
WRAPPED = mmap mprotect madvise pthread_key_create
PROGRAMS = $(sort $(foreach run,$(RUNS),$(BUILD)/$(firstword $(subst :, ,$(run)))$(EXE)))
# The command that each client is started with, such as valgrind.
UNDER =

EXE = $(if $(filter WINDOWS,$(SYSTEM)),.exe)
LINK_CLIENT = $(LINK_CLIENT_OF_$(SYSTEM)) $(LDFLAGS)
LINK_CLIENT_OF_POSIX = -L$(BUILD) -lortcore -Wl,-rpath,$(abspath $(BUILD)) -ldl $(THREADS) $(SEEN)
LINK_CLIENT_OF_APPLE = $(LINK_CLIENT_OF_POSIX)
LINK_CLIENT_OF_WINDOWS = $(BUILD)/libortcore.dll.a $(THREADS) $(SEEN)
# static: on Windows, the clients then need no DLL for threads.
THREADS = $(if $(filter WINDOWS,$(SYSTEM)),-static -lpthread,-pthread)

vpath %.c $(CLIENTS) $(FAULTS)
COMPILE_CLIENT = $(CC) -std=gnu11 -Wall -Wextra -Wno-unused-parameter $(FLAGS_OF_$(SYSTEM)) $(CFLAGS) -Iinclude -o $@
$(BUILD)/%$(EXE): %.c $(wildcard ../tests/c/*/*.h) $(LIBRARY)
	$(COMPILE_CLIENT) $(filter %.c %.o,$^) $(LINK_CLIENT)
$(BUILD)/faults $(BUILD)/faults.so: $(FAULTS)/faults.c $(wildcard $(FAULTS)/faults_*.c $(FAULTS)/*.def)
# Rows in Python make their calls on this library.
$(BUILD)/faults.so:
	$(COMPILE_CLIENT) -shared -fPIC $(filter %.c %.o,$^) $(LINK_CLIENT)

# These programs call internal functions of the core, so they are linked with its object files.
$(BUILD)/faults $(BUILD)/faults.so $(BUILD)/system_faults $(BUILD)/adaptor_storm$(EXE) $(BUILD)/platform$(EXE) \
$(BUILD)/fork_order $(BUILD)/private_copy: LINK_CLIENT = \
  -Isrc $($(CHOSEN)_FLAGS) $(OBJECTS) $($(CHOSEN)_LINK) $(WRAP) $(THREADS) $(LDFLAGS) $(SEEN)
# The libraries that calls load; their paths are in macros.
LOADED = custom_ops device_ep add_ep lying_ep
path_of = -D$(shell echo $(1) | tr a-z A-Z)='"$(abspath $(BUILD))/$(1).so"'
$(BUILD)/faults $(BUILD)/faults.so: WRAP = -Wl,--wrap=malloc,--wrap=posix_memalign -rdynamic -I$(FAULTS) \
  $(foreach name,$(LOADED),$(call path_of,$(name)))
$(BUILD)/faults $(BUILD)/faults.so: | $(LOADED:%=$(BUILD)/%.so)
$(BUILD)/custom_ops.so: $(BUILD)/%.so: %.c | $(LIBRARY)
	$(CC) $(FLAGS) $(CFLAGS) -Iinclude -shared $< -o $@
$(BUILD)/add_ep.so: ../docs/guide/add_ep.c | $(LIBRARY)
	$(CC) $(FLAGS) -fvisibility=default $(CFLAGS) -Iinclude -shared $< -o $@
# One provider, of several kinds.
KIND_OF_asked_ep = ASKED
KIND_OF_device_ep = DEVICE
KIND_OF_lying_ep = LYING
PROVIDER = $(wildcard ../tests/c/provider/*.[ch]) ../docs/guide/add_ep.c
$(patsubst %,$(BUILD)/%.so,asked_ep device_ep lying_ep): $(BUILD)/%.so: $(PROVIDER) | $(LIBRARY)
	$(CC) $(FLAGS) $(CFLAGS) -DKIND=$(KIND_OF_$*) -Iinclude -shared $(filter %/provider.c,$^) -o $@
# A sanitizer works only if the C++ library is loaded when the program starts.
$(BUILD)/throwing $(BUILD)/private_copy: SEEN = \
  $(if $(findstring -fsanitize,$(CFLAGS)),-Wl$(comma)--no-as-needed -lstdc++)
$(BUILD)/throwing $(BUILD)/private_copy: | $(THROWING)
$(THROWING): $(CLIENTS)/throwing_ops.cc | $(LIBRARY)
	$(CXX) -std=c++17 -fPIC -Wall -Wextra $(CFLAGS) -Iinclude -shared $< -o $@
$(BUILD)/system_faults: WRAP = $(WRAPPED:%=-Wl,--wrap=%)

# Each run is a target of its own, so that `make -j` starts several. The name of a target
# cannot have a colon, so it has @ in its place.
CHECKS = $(addprefix check@,$(subst :,@,$(RUNS)))
.PHONY: check clients asan tsan valgrind $(CHECKS)
check: $(CHECKS)
clients: $(PROGRAMS)
$(CHECKS): check@%: $(PROGRAMS)
	@set -- $(subst @, ,$*); client=$(BUILD)/$$1$(EXE); shift; \
	echo "== $$client $$*"; $(UNDER) $$client $(LIBRARY) "$$@" >'$(BUILD)/$(subst /,_,$*).said' 2>&1 || \
	  { code=$$?; cat '$(BUILD)/$(subst /,_,$*).said'; echo "exit code $$code"; exit 1; }

# Names the package that has a missing tool, where make would only say "Error 127".
need = @command -v $(firstword $(1)) >/dev/null || \
  { echo "$(firstword $(1)) is missing: it is in the package $(2) of Debian and Ubuntu" >&2; exit 1; }

# g1: functions and lines alone, which reports name. Variables would take a tenth of the time.
DEBUG = $(OPTIMIZE) -g1 -fno-omit-frame-pointer
OPTIMIZE = -O1
# These compile for longer than they run, and take half as long without optimisation.
asan tsan valgrind: OPTIMIZE = -O0
# undefs: the sanitizer's runtime is linked into the program, not into the library.
SANITIZE = CFLAGS="$(DEBUG) -fsanitize=$(1)" LDFLAGS="-fsanitize=$(firstword $(1)) -Wl,-z,undefs"

# Memory and undefined behaviour, on malloc, where accesses beyond the end of a block are found.
comma = ,
UNDEFINED = undefined -fno-sanitize-recover=undefined
MEMORY = address$(comma)$(UNDEFINED)
# The runs of a tool, unless the caller chooses others.
runs_of = $(if $(filter command line,$(origin RUNS)),,RUNS='$$(RUNS_OF_$(1))')
asan tsan: export UBSAN_OPTIONS = print_stacktrace=1
asan: export ASAN_OPTIONS = allocator_may_return_null=1:detect_stack_use_after_return=1
asan:
	$(MAKE) check BUILD=$(BUILD)/asan USE_MALLOC=1 FORKS= $(call SANITIZE,$(MEMORY))
# Races, and undefined behaviour with the core's own heap.
RACES = thread$(comma)$(UNDEFINED) -DCORE_TSAN
tsan: export TSAN_OPTIONS = halt_on_error=1
tsan:
	$(MAKE) check BUILD=$(BUILD)/tsan $(call runs_of,TSAN) $(call SANITIZE,$(RACES))

# Only definite leaks: what the loader and libpthread keep is reported as possibly lost.
MEMCHECK = valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite
MEMCHECK += --errors-for-leak-kinds=definite
# Memcheck finds what asan does not: a branch that depends on uninitialised memory. It knows only
# the blocks of malloc, so the clients run on that.
BUILD_OF_VALGRIND = $(BUILD)/valgrind
FLAGS_OF_VALGRIND = $(DEBUG)
valgrind:
	$(call need,valgrind,valgrind)
	$(MAKE) check BUILD=$(BUILD_OF_VALGRIND) USE_MALLOC=1 CFLAGS="$(FLAGS_OF_VALGRIND)" \
	  UNDER='$$(MEMCHECK)' $(call runs_of,VALGRIND)

# libFuzzer, which comes with clang. It adds inputs that reach new code to the corpus in BUILD, not
# to that of the sources. It saves inputs that break the core in BUILD, as crash-*, leak-*,
# timeout-* or oom-*. With USE_MALLOC=1 allocations fail as well.
SECONDS = 60
FUZZ = ../tests/fuzz
INSTRUMENT = fuzzer-no-link$(comma)$(MEMORY)
fuzz fuzz_models: export ASAN_OPTIONS = allocator_may_return_null=1
fuzz fuzz_models:
	$(call need,clang,clang)
	$(MAKE) run_$@ CC=clang BUILD=$(BUILD)/fuzz$(if $(USE_MALLOC),-malloc) \
	  $(call SANITIZE,$(INSTRUMENT))

FUZZING = -max_total_time=$(SECONDS) -timeout=60 -artifact_prefix=$(BUILD)/ -print_final_stats=1 \
  -verbosity=0
LINK_FUZZER = $(CC) -std=gnu11 -Wall -Wextra $(CFLAGS) -fsanitize=fuzzer $($(CHOSEN)_FLAGS) \
  -Iinclude -Isrc $(filter %.c,$^) $(OBJECTS) -rdynamic -pthread -ldl -o $@
.PHONY: fuzz run_fuzz fuzz_models run_fuzz_models
run_fuzz: $(BUILD)/fuzzer
	mkdir -p $(BUILD)/corpus
	$< $(FUZZING) -max_len=512 $(BUILD)/corpus $(FUZZ)/corpus
$(BUILD)/fuzzer: $(wildcard $(FUZZ)/*.[ch]) $(OBJECTS)
	$(LINK_FUZZER)

# The same for files of models alone. MODELS is a folder of files to begin with.
run_fuzz_models: $(BUILD)/model_fuzzer
	mkdir -p $(BUILD)/models
	$< $(FUZZING) -max_len=4096 $(BUILD)/models $(MODELS)
$(BUILD)/model_fuzzer: $(FUZZ)/models/fuzz_files.c ../tests/c/clients/walk_model.h $(OBJECTS)
	$(LINK_FUZZER)

# Builds the DLL with MinGW-w64, and runs the clients on it with wine, on a machine without Windows.
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
	$(MAKE) check $(ON_WINDOWS) UNDER=wine $(call runs_of,OTHERS)

# Builds the library for another processor, and runs the clients on it with qemu. That is slow, so
# the storms are short.
CROSS = aarch64-linux-gnu
# Only recommended by the compiler's package.
CROSS_LIBC = libc6-dev-arm64-cross
EMULATOR = qemu-$(firstword $(subst -, ,$(CROSS)))
# The emulator notes each page of the range that the heap reserves, which takes it ten seconds for
# the usual one. With few addresses the heap reserves a shorter range.
ADDRESSES = 16G
RUNS_OF_CROSS = abi storm:2:2000:2 storm:2:8000:1:arena adaptor_storm:2:1000:2 \
  kernels shared_env:100 platform
.PHONY: cross
cross:
	$(call need,$(CROSS)-gcc,gcc-$(CROSS))
	$(call need,$(EMULATOR),qemu-user)
	@$(CROSS)-gcc -E -include stdio.h -x c /dev/null >/dev/null 2>&1 || \
	  { echo "the C library for $(CROSS) is missing: it is in the package $(CROSS_LIBC) of Debian and \
	Ubuntu" >&2; exit 1; }
	$(MAKE) check CC=$(CROSS)-gcc BUILD=$(BUILD)/$(CROSS) USE_MIMALLOC= USE_MALLOC= \
	  UNDER="$(EMULATOR) -R $(ADDRESSES) -L /usr/$(CROSS)" RUNS="$(RUNS_OF_CROSS)"

# Builds the library for the C library musl, as on Alpine Linux, and runs the clients on it, on a
# machine with another C library. There is no C++ library for musl, so what needs one is left out.
MUSL = musl-gcc
RUNS_OF_MUSL = $(RUNS_OF_OTHERS) kernels:10000 kernels:1000:fork storm:2:2000:2:fork \
  adaptor_storm:2:2000:2:fork shared_env:10000:200 session_threads:fork fork_order \
  $(INSIDERS_OF_$(CHOSEN))
.PHONY: musl
musl:
	$(call need,$(MUSL),musl-tools)
	$(MAKE) check CC=$(MUSL) BUILD=$(BUILD)/musl USE_MIMALLOC= RUNS="$(RUNS_OF_MUSL)"
