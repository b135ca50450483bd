# SPDX-License-Identifier: MIT
# The core's flags, and the files of src that a build leaves out. The Makefile includes this file, and
# build_ort.py reads it, to build the wheel: so each variable has a line, without references.

LEFT_OUT_OF_POSIX = platform/platform_windows platform/platform_catching_none
LEFT_OUT_OF_APPLE = platform/platform_windows platform/platform_catching_none
LEFT_OUT_OF_WINDOWS = platform/platform_posix platform/platform_catching_dwarf platform/platform_elf
LEFT_OUT_OF_HEAP = heap/heap_wrapped
LEFT_OUT_OF_MIMALLOC = heap/heap heap/heap_central heap/heap_region
LEFT_OUT_OF_MALLOC = heap/heap heap/heap_central heap/heap_region
HEAP_FLAGS =
MIMALLOC_FLAGS = -DCORE_USE_MIMALLOC
MIMALLOC_LINK = -lmimalloc
MALLOC_FLAGS = -DCORE_USE_MALLOC
# gnu11, for attributes and thread-local storage models. Symbols are hidden: exports/ lists those
# that the library exports. The body of a slot need not use all parameters of the slot.
FLAGS = -std=gnu11 -fPIC -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter

# Calls of exported functions within the library stay in it: -Bsymbolic is the same for the linker.
FLAGS_OF_POSIX = -fno-semantic-interposition
HARDEN_OF_POSIX = -Wl,-z,now -Wl,-z,relro -Wl,-z,noexecstack
# defs: an undefined symbol is an error. nodelete: dlclose does not unload the library, so threads
# that end later can still free their thread-local caches.
LINK_OF_POSIX = -Wl,-z,defs -Wl,-z,nodelete -Wl,-Bsymbolic -Wl,-soname,libortcore.so
NAME_OF_POSIX = libortcore.so
EXPORT_OF_POSIX = -Wl,--version-script=
EXPORTS_OF_POSIX = exports/ortcore.map

FLAGS_OF_APPLE =
HARDEN_OF_APPLE =
# The linker writes the install name into clients, which look for the library under it.
LINK_OF_APPLE = -Wl,-install_name,@rpath/libortcore.dylib
NAME_OF_APPLE = libortcore.dylib
EXPORT_OF_APPLE = -Wl,-exported_symbols_list,
EXPORTS_OF_APPLE = exports/ortcore.exp

# MinGW's printf, because that of Windows does not know %zu.
FLAGS_OF_WINDOWS = -D__USE_MINGW_ANSI_STDIO=1
HARDEN_OF_WINDOWS =
# Other Windows machines do not have the compiler's runtime library.
LINK_OF_WINDOWS = -static-libgcc
NAME_OF_WINDOWS = ortcore.dll
EXPORT_OF_WINDOWS =
EXPORTS_OF_WINDOWS = exports/ortcore.def
