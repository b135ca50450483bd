/* SPDX-License-Identifier: MIT */
/* Windows 8 and later, 64 bits. */
#include "platform/private_copy.h"

#define WIN32_LEAN_AND_MEAN
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <windows.h>

#define SLIM(lock) ((SRWLOCK*)(lock))
_Static_assert(sizeof(core_mutex) == sizeof(SRWLOCK), "a core_mutex is a slim lock");
_Static_assert(sizeof(core_condition) == sizeof(CONDITION_VARIABLE), "as large as a mutex");
_Static_assert(sizeof(core_once) == sizeof(INIT_ONCE), "a core_once is an INIT_ONCE");

void core_mutex_lock(core_mutex* mutex) { AcquireSRWLockExclusive(SLIM(mutex)); }

void core_mutex_unlock(core_mutex* mutex) { ReleaseSRWLockExclusive(SLIM(mutex)); }

void core_condition_signal(core_condition* condition) {
  WakeConditionVariable((CONDITION_VARIABLE*)condition);
}

void core_condition_wait(core_condition* condition, core_mutex* mutex) {
  SleepConditionVariableSRW((CONDITION_VARIABLE*)condition, SLIM(mutex), INFINITE, 0);
}

void core_condition_wait_briefly(core_condition* condition, core_mutex* mutex) {
  SleepConditionVariableSRW((CONDITION_VARIABLE*)condition, SLIM(mutex), 10, 0);
}

static BOOL CALLBACK call(INIT_ONCE* once, void* function, void** context) {
  (*(void (**)(void))function)();
  return TRUE;
}

void core_run_once(core_once* once, void (*function)(void)) {
  InitOnceExecuteOnce((INIT_ONCE*)once, call, (void*)&function, NULL);
}

/* The keys, in order of creation. */
static struct {
  void (*thread_end)(void* value);
  DWORD index;
} keys[CORE_THREAD_KEYS];
static LONG key_count;

/* Pins the library in the process, so that threads that end after a FreeLibrary can still return
 * their caches. Done at load time, because it takes the loader's lock, which must not be waited for
 * while a lock of the core is held. */
static void stay(void) {
  HMODULE self;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                     (LPCWSTR)&keys, &self);
}

static void end_thread(void) {
  for (LONG i = 0; i < CORE_THREAD_KEYS; i++) {
    void (*thread_end)(void*) = __atomic_load_n(&keys[i].thread_end, __ATOMIC_ACQUIRE);
    void* value = thread_end != NULL ? TlsGetValue(keys[i].index) : NULL;
    if (value != NULL) {
      TlsSetValue(keys[i].index, NULL);
      thread_end(value);
    }
  }
}

static void NTAPI loader_callback(void* module, DWORD reason, void* reserved) {
  if (reason == DLL_PROCESS_ATTACH) {
    stay();
  } else if (reason == DLL_THREAD_DETACH) {
    end_thread();
  }
}

/* The loader calls the functions in sections of this name, in alphabetical order: B runs before D,
 * where the compiler's runtime frees thread-local variables. */
__attribute__((section(".CRT$XLB"), used)) PIMAGE_TLS_CALLBACK core_loader_callback =
    loader_callback;

int core_thread_key_create(core_thread_key* key, void (*thread_end)(void* value)) {
  DWORD index = TlsAlloc();
  LONG place = InterlockedIncrement(&key_count) - 1;
  if (index == TLS_OUT_OF_INDEXES || place >= CORE_THREAD_KEYS) {
    return 0;
  }
  keys[place].index = index;
  __atomic_store_n(&keys[place].thread_end, thread_end, __ATOMIC_RELEASE);
  *key = index;
  return 1;
}

void core_thread_key_set(core_thread_key key, void* value) { TlsSetValue(key, value); }

static DWORD WINAPI run_thread(void* thread) {
  const struct core_thread* own = thread;
  own->function(own->argument);
  return 0;
}

int core_thread_start(struct core_thread* thread) {
  thread->handle = (uintptr_t)CreateThread(NULL, 0, run_thread, thread, 0, NULL);
  return thread->handle != 0;
}

int core_thread_start_alone(struct core_thread* thread) {
  HANDLE handle = CreateThread(NULL, 0, run_thread, thread, 0, NULL);
  return handle != NULL && CloseHandle(handle);
}

void core_thread_join(struct core_thread* thread) {
  WaitForSingleObject((HANDLE)thread->handle, INFINITE);
  CloseHandle((HANDLE)thread->handle);
}

void core_yield(void) { SwitchToThread(); }

/* Before Windows 8.1, and in wine, each reserved page costs a byte or more. So the range is limited
 * to four times the machine's memory. */
size_t core_address_room(void) {
  MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
  size_t room = (size_t)1 << 36;
  if (GlobalMemoryStatusEx(&memory)) {
    while (room < memory.ullTotalPhys * 4) {
      room <<= 1;
    }
  }
  return room;
}

void* core_address_reserve(size_t size) {
  return VirtualAlloc(NULL, size, MEM_RESERVE, PAGE_NOACCESS);
}

void core_address_release(void* start, size_t size) { VirtualFree(start, 0, MEM_RELEASE); }

int core_address_commit(void* start, size_t size) {
  return VirtualAlloc(start, size, MEM_COMMIT, PAGE_READWRITE) != NULL;
}

int core_address_close(void* start, size_t size) {
  DWORD before;
  return VirtualProtect(start, size, PAGE_NOACCESS, &before);
}

int core_address_open(void* start, size_t size) {
  DWORD before;
  return VirtualProtect(start, size, PAGE_READWRITE, &before);
}

void core_address_purge(void* start, size_t size) { VirtualFree(start, size, MEM_DECOMMIT); }

size_t core_page_size(void) {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}

int core_address_zero(void* start, size_t size) {
  core_address_purge(start, size);
  return core_address_commit(start, size);
}

void core_address_huge_pages(void* start, size_t size, int wanted) {}

void* core_map(size_t size) {
  return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

int core_system_has(size_t size) {
  void* range = core_map(size);
  return range != NULL && VirtualFree(range, 0, MEM_RELEASE);
}

uint64_t core_entropy(void) {
  LARGE_INTEGER now;
  QueryPerformanceCounter(&now);
  return (uint64_t)now.QuadPart ^ ((uint64_t)GetCurrentProcessId() << 32) ^ (uintptr_t)&now;
}

uint64_t core_clock(void) {
  LARGE_INTEGER now, frequency;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&frequency);
  uint64_t ticks = (uint64_t)now.QuadPart, second = (uint64_t)frequency.QuadPart;
  return ticks / second * 1000000000 + ticks % second * 1000000000 / second;
}

uint64_t core_wall_clock(void) {
  FILETIME now;
  GetSystemTimePreciseAsFileTime(&now);
  /* Units of 100 ns since 1601. */
  uint64_t ticks = (uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime;
  return (ticks - UINT64_C(116444736000000000)) * 100;
}

size_t core_processor_count(void) { return GetActiveProcessorCount(ALL_PROCESSOR_GROUPS); }
int32_t core_process_id(void) { return (int32_t)GetCurrentProcessId(); }
int32_t core_thread_id(void) { return (int32_t)GetCurrentThreadId(); }

void core_local_time(char text[CORE_LOCAL_TIME]) {
  FILETIME now;
  SYSTEMTIME at;
  GetSystemTimePreciseAsFileTime(&now);
  FileTimeToLocalFileTime(&now, &now);
  FileTimeToSystemTime(&now, &at);
  /* Units of 100 ns. All 64 bits are needed, because 2^32 units are not a whole number of seconds.
   */
  uint64_t ticks = ((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime) % 10000000;
  snprintf(text, CORE_LOCAL_TIME, "%04u-%02u-%02u %02u:%02u:%02u.%09u", at.wYear, at.wMonth,
           at.wDay, at.wHour, at.wMinute, at.wSecond, (unsigned)ticks * 100);
}

const char* core_variable(const char* name, bool* is_refused) {
  *is_refused = false;
  return getenv(name);
}

static void explain(DWORD code, char error[CORE_LIBRARY_ERROR]) {
  wchar_t text[CORE_LIBRARY_ERROR / 4];
  DWORD flags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
  DWORD length = FormatMessageW(flags, NULL, code, 0, text, CORE_LIBRARY_ERROR / 4, NULL);
  while (length > 0 && text[length - 1] <= L' ') {
    text[--length] = 0;
  }
  if (length == 0 ||
      WideCharToMultiByte(CP_UTF8, 0, text, -1, error, CORE_LIBRARY_ERROR, NULL, NULL) == 0) {
    snprintf(error, CORE_LIBRARY_ERROR, "error %lu", code);
  }
}

void* core_library_open(const ORTCHAR_T* path, char error[CORE_LIBRARY_ERROR]) {
  HMODULE library = LoadLibraryW(path);
  if (library == NULL) {
    explain(GetLastError(), error);
  }
  return library;
}

void* core_library_open_utf8(const char* path, char error[CORE_LIBRARY_ERROR]) {
  /* The longest path that the system accepts. */
  wchar_t* wide =
      VirtualAlloc(NULL, 32768 * sizeof *wide, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (wide == NULL) {
    explain(GetLastError(), error);
    return NULL;
  }
  void* library = NULL;
  if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, 32768) == 0) {
    explain(GetLastError(), error);
  } else {
    library = core_library_open(wide, error);
  }
  VirtualFree(wide, 0, MEM_RELEASE);
  return library;
}

void* core_library_symbol(void* library, const char* name) {
  return (void*)GetProcAddress(library, name);
}

bool core_library_path(const void* address, char path[CORE_PATH_ROOM]) {
  HMODULE library;
  wchar_t wide[CORE_PATH_ROOM];
  DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS;
  flags |= GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  return GetModuleHandleExW(flags, address, &library) &&
         GetModuleFileNameW(library, wide, CORE_PATH_ROOM) != 0 &&
         WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, CORE_PATH_ROOM, NULL, NULL) != 0;
}

const char* core_refuse_library(const char* path) { return NULL; }

void core_library_close(void* library) { FreeLibrary(library); }

enum core_read core_read_memory(const void* address, void* out, size_t size) {
  SIZE_T copied = 0;
  return ReadProcessMemory(GetCurrentProcess(), address, out, size, &copied) && copied == size
             ? CORE_READ
             : CORE_READ_FAULT;
}

void* core_process_symbol(const char* name) {
  return (void*)GetProcAddress(GetModuleHandleW(NULL), name);
}

void core_path_utf8(const ORTCHAR_T* path, char* text, size_t room) {
  if (WideCharToMultiByte(CP_UTF8, 0, path, -1, text, (int)room, NULL, NULL) == 0) {
    text[0] = '\0';
  }
}

/* A path in wide characters on the stack; false where it is too long or not UTF-8. */
static bool widen(const char* path, wchar_t wide[CORE_PATH_ROOM]) {
  return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, CORE_PATH_ROOM) != 0;
}

/* A path without the prefix with which Windows takes no slashes. */
static const wchar_t* without_prefix(wchar_t* path) {
  if (wcsncmp(path, L"\\\\?\\UNC\\", 8) == 0) {
    path[6] = L'\\';
    return path + 6;
  }
  return wcsncmp(path, L"\\\\?\\", 4) == 0 ? path + 4 : path;
}

enum core_file core_find_file(const char* path, char real[CORE_PATH_ROOM]) {
  wchar_t wide[CORE_PATH_ROOM];
  if (!widen(path, wide)) {
    return CORE_NO_FILE;
  }
  HANDLE file = CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                            OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
  if (file == INVALID_HANDLE_VALUE) {
    return GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES ? CORE_BROKEN_LINK : CORE_NO_FILE;
  }
  BY_HANDLE_FILE_INFORMATION about = {0};
  bool is_special = GetFileType(file) != FILE_TYPE_DISK;
  bool is_known = is_special || GetFileInformationByHandle(file, &about) != 0;
  DWORD length = GetFinalPathNameByHandleW(file, wide, CORE_PATH_ROOM, FILE_NAME_NORMALIZED);
  CloseHandle(file);
  if (!is_known || length == 0 || length >= CORE_PATH_ROOM ||
      WideCharToMultiByte(CP_UTF8, 0, without_prefix(wide), -1, real, CORE_PATH_ROOM, NULL, NULL) ==
          0) {
    return CORE_NO_FILE;
  }
  return is_special                                                 ? CORE_SPECIAL_FILE
         : (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? CORE_FOLDER
                                                                    : CORE_REGULAR_FILE;
}

FILE* core_open_file(const char* path) {
  wchar_t wide[CORE_PATH_ROOM];
  return widen(path, wide) ? _wfopen(wide, L"rb") : NULL;
}

FILE* core_create_file(const char* path, bool is_new) {
  wchar_t wide[CORE_PATH_ROOM];
  int flags = _O_WRONLY | _O_BINARY | _O_CREAT | (is_new ? _O_EXCL : _O_TRUNC);
  int fd = widen(path, wide) ? _wopen(wide, flags, _S_IREAD | _S_IWRITE) : -1;
  FILE* file = fd >= 0 ? _fdopen(fd, "wb") : NULL;
  if (file != NULL) {
    setvbuf(file, NULL, _IONBF, 0);
  } else if (fd >= 0) {
    _close(fd);
  }
  return file;
}

void core_remove_file(const char* path) {
  wchar_t wide[CORE_PATH_ROOM];
  if (widen(path, wide)) {
    DeleteFileW(wide);
  }
}

bool core_replace_file(const char* from, const char* to) {
  wchar_t old[CORE_PATH_ROOM], new[CORE_PATH_ROOM];
  return widen(from, old) && widen(to, new) && MoveFileExW(old, new, MOVEFILE_REPLACE_EXISTING);
}

bool core_map_file(const char* path, struct core_mapping* out) {
  wchar_t wide[CORE_PATH_ROOM];
  LARGE_INTEGER size = {.QuadPart = 0};
  if (!widen(path, wide)) {
    return false;
  }
  HANDLE file = CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                            OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) {
    return false;
  }
  bool is_mapped = GetFileType(file) == FILE_TYPE_DISK && GetFileSizeEx(file, &size);
  void* bytes = (void*)"";
  if (is_mapped && size.QuadPart > 0) {
    HANDLE mapping = CreateFileMappingW(file, NULL, PAGE_READONLY, 0, 0, NULL);
    bytes = mapping == NULL ? NULL : MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
    is_mapped = bytes != NULL;
    if (mapping != NULL) {
      CloseHandle(mapping);
    }
  }
  CloseHandle(file);
  if (is_mapped) {
    *out = (struct core_mapping){bytes, (size_t)size.QuadPart};
  }
  return is_mapped;
}

void core_unmap_file(struct core_mapping* mapping) {
  if (mapping->size > 0) {
    UnmapViewOfFile(mapping->bytes);
  }
  *mapping = (struct core_mapping){NULL, 0};
}

size_t core_native_path(const char* path, ORTCHAR_T* native, size_t room) {
  size_t size = (size_t)MultiByteToWideChar(CP_UTF8, 0, path, -1, NULL, 0) * sizeof *native;
  if (size <= room) {
    MultiByteToWideChar(CP_UTF8, 0, path, -1, native, (int)(room / sizeof *native));
  }
  return size;
}
