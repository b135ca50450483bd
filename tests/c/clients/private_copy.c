/* SPDX-License-Identifier: MIT */
/*
 * Private copies of a library that the process has loaded already, and copies of files that lie.
 * Looks inside: linked with the core's objects.
 *
 *     private_copy LIBRARY OPS    OPS is the library that throwing_ops.cc makes
 */
#include "platform/private_copy.h"

#include <fcntl.h>

#include "kernels.h"

#define UNIQUE "_ZZN7CounterI5LocalE4liveEvE5count"

static OrtSessionOptions* options_with(const char* path, OrtcoreCopy copy, int is_copy) {
  int copied = -1;
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  CHECK(host.register_library(options, NULL, path, copy, &copied) == NULL);
  CHECK(copied == is_copy);
  return options;
}

/* How many locals the op's library counts. */
static float count_in(const OrtSessionOptions* options) {
  OrtcoreNode node = {.version = ORT_API_VERSION,
                      .op = host.find_op(options, "throwing", "Compute2")};
  OrtcoreKernel* kernel = NULL;
  OrtValue* out = NULL;
  CHECK(host.create(&node, &kernel) == NULL);
  CHECK(host.compute(kernel, NULL, 0, &out, 1) == NULL);
  void* data = NEW(void, api->GetTensorMutableData(out, &new_));
  float count = ((const float*)data)[0];
  api->ReleaseValue(out);
  host.release(kernel);
  return count;
}

static void has_variables_of_its_own(const char* path) {
  OrtSessionOptions* first = options_with(path, ORTCORE_COPY_IF_LOADED, 0);
  void* library = open_library(path);
  int* count = dlsym(library, UNIQUE);
  CHECK(count != NULL);
  *count = 5;
  OrtSessionOptions* same = options_with(path, ORTCORE_COPY_NEVER, 0);
  CHECK(count_in(first) == 5 && count_in(same) == 5);
  OrtSessionOptions* copy = options_with(path, ORTCORE_COPY_IF_LOADED, 1);
  OrtSessionOptions* other = options_with(path, ORTCORE_COPY_ALWAYS, 1);
  CHECK(count_in(copy) == 0 && count_in(other) == 0 && count_in(first) == 5);
  CHECK(host.find_op(copy, NULL, "Compute2") != host.find_op(other, NULL, "Compute2"));
  *count = 0;
  api->ReleaseSessionOptions(copy);
  api->ReleaseSessionOptions(other);
  api->ReleaseSessionOptions(same);
  api->ReleaseSessionOptions(first);
  close_library(library);
}

static void is_another_each_time(const char* path) {
  size_t before = 0;
  for (int i = 0; i < 200; i++) {
    before = i == 20 ? resident() : before;
    api->ReleaseSessionOptions(options_with(path, ORTCORE_COPY_ALWAYS, 1));
  }
  CHECK(resident() < before + ((size_t)8 << 20));
}

static void refuses_what_is_no_library(void) {
  static const char* const paths[] = {"/no/such/library.so", "/", "/dev/null", "/etc/passwd",
                                      "libm.so.6"};
  OrtSessionOptions* options = NEW(OrtSessionOptions, api->CreateSessionOptions(&new_));
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    CHECK(says(host.register_library(options, NULL, paths[i], ORTCORE_COPY_ALWAYS, NULL), ORT_FAIL,
               "ortcore_register_library", paths[i]));
  }
  api->ReleaseSessionOptions(options);
}

static void take(void* argument, const char* name, const char* places) {
  *(size_t*)argument += strlen(name) + strlen(places);
}

/* Bytes are changed at places that a generator of numbers picks, the headers more often than the
 * rest; each file is read to its end, or less far, and no more than that is touched. */
static void reads_no_further_than_a_file_goes(const char* path) {
  int file = open(path, O_RDONLY);
  size_t size = (size_t)lseek(file, 0, SEEK_END), read_in_all = 0;
  unsigned char* original = malloc(size);
  CHECK(pread(file, original, size, 0) == (ssize_t)size);
  close(file);
  uint64_t state = 1;
  size_t tables = (size_t)*(uint64_t*)(original + 40); /* where the sections are described */
  for (int round = 0; round < 3000; round++) {
    size_t kept = round % 3 == 0 ? (size_t)(state >> 33) % size : size;
    unsigned char* bytes = malloc(kept + 1);
    memcpy(bytes, original, kept);
    for (int i = 0; i < 20; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      size_t place = (size_t)(state >> 33);
      place = i % 4 == 0   ? place % 64
              : i % 4 == 3 ? place % size
                           : tables + place % (size - tables);
      if (place < kept && place >= 20) {
        bytes[place] = (unsigned char)(state >> 25);
      }
    }
    unsigned char* exact = realloc(bytes, kept > 0 ? kept : 1);
    core_elf_make_ordinary(exact, kept);
    core_elf_dependencies(exact, kept, take, &read_in_all);
    free(exact);
  }
  CHECK(read_in_all > 0);
  CHECK(core_elf_make_ordinary(original, size) > 0);
  CHECK(core_elf_make_ordinary(original, size) == 0);
  free(original);
}

int main(int argc, char** argv) {
  CHECK(argc == 3);
  find_host(OrtGetApiBase()->GetApi(ORT_API_VERSION));
  is_another_each_time(argv[2]);
  refuses_what_is_no_library();
  has_variables_of_its_own(argv[2]);
  reads_no_further_than_a_file_goes(argv[2]);
  printf("private_copy: OK\n");
  return 0;
}
