/* SPDX-License-Identifier: MIT */
/*
 * What the core has from the system must be the same on each: platform.h, function by function.
 *
 * platform LIBRARY: linked with the core's objects; opens that library as well.
 */
#include "platform/platform.h"

#include <string.h>

#include "table.h"

#define PAGES ((size_t)1 << 20)
#define THREADS 4
#define TURNS 10000

static core_mutex mutex = CORE_MUTEX_INIT;
static core_once once = CORE_ONCE_INIT;
static core_thread_key key;
static long turns;
static long runs;
static long ended;

static void count_run(void) { runs++; }

static void thread_end(void* value) {
  core_mutex_lock(&mutex);
  ended += *(long*)value;
  core_mutex_unlock(&mutex);
}

static void* take_turns(void* value) {
  core_run_once(&once, count_run);
  core_thread_key_set(key, value);
  for (int i = 0; i < TURNS; i++) {
    core_mutex_lock(&mutex);
    turns++;
    core_mutex_unlock(&mutex);
  }
  return NULL;
}

static void each_thread_has_its_turns_and_its_end(void) {
  static long value = 7;
  CHECK(core_thread_key_create(&key, thread_end));
  on_threads(THREADS, take_turns, &value);
  CHECK(turns == (long)THREADS * TURNS);
  CHECK(runs == 1);
  CHECK(ended == THREADS * value);
}

static void locks_can_be_made(void) {
  core_mutex made;
  core_mutex_begin(&made);
  core_mutex_lock(&made);
  core_mutex_unlock(&made);
  core_mutex_end(&made);
}

static void memory_comes_and_goes(void) {
  size_t room = core_address_room();
  CHECK(room >= (size_t)1 << 36 && (room & (room - 1)) == 0);
  char* range = core_address_reserve(16 * PAGES);
  CHECK(range != NULL);
  char* part = range + 3 * PAGES;
  CHECK(core_address_commit(part, 4 * PAGES));
  part[0] = part[4 * PAGES - 1] = 1;
  CHECK(core_address_commit(part, 5 * PAGES));
  CHECK(part[0] == 1 && part[4 * PAGES - 1] == 1 && part[5 * PAGES - 1] == 0);
  core_address_purge(part, PAGES);
  CHECK(!CORE_PURGE_DECOMMITS || core_address_commit(part, PAGES));
  CHECK(part[0] == 0 && part[4 * PAGES - 1] == 1);
  core_address_huge_pages(part, 2 * PAGES, 1);
  core_address_release(range, 16 * PAGES);
  const char* zeros = core_map(PAGES);
  CHECK(zeros != NULL && zeros[0] == 0 && zeros[PAGES - 1] == 0);
  CHECK(core_system_has(PAGES) && !core_system_has((size_t)1 << 60));
}

static void a_library_is_opened_or_the_reason_given(const char* path) {
  char error[CORE_LIBRARY_ERROR] = "";
  CHECK(core_library_open_utf8("there/is/no/such/library", error) == NULL && error[0] != '\0');
  CHECK(strchr(error, '\n') == NULL && memchr(error, '\0', sizeof error) != NULL);
  puts(error);
  void* library = core_library_open_utf8(path, error);
  CHECK(library != NULL);
  CHECK(core_library_symbol(library, "OrtGetApiBase") == entry_of(path));
  CHECK(core_library_symbol(library, "there_is_no_such_name") == NULL);
  CHECK(core_process_symbol("there_is_no_such_name") == NULL);
  core_library_close(library);
  CHECK(core_path_size(ORT_TSTR("abc")) == 4 * sizeof(ORTCHAR_T));
}

static void the_time_is_given_in_full(void) {
  char text[CORE_LOCAL_TIME];
  int parts[7];
  core_local_time(text);
  CHECK(strlen(text) == strlen("2026-01-31 23:59:59.123456789"));
  CHECK(sscanf(text, "%4d-%2d-%2d %2d:%2d:%2d.%9d", &parts[0], &parts[1], &parts[2], &parts[3],
               &parts[4], &parts[5], &parts[6]) == 7);
  CHECK(parts[0] > 2020 && parts[1] <= 12 && parts[2] <= 31 && parts[3] < 24 && parts[4] < 60);
}

int main(int argc, char** argv) {
  CHECK(argc >= 2);
  each_thread_has_its_turns_and_its_end();
  locks_can_be_made();
  memory_comes_and_goes();
  a_library_is_opened_or_the_reason_given(argv[1]);
  the_time_is_given_in_full();
  puts("ok");
  return 0;
}
