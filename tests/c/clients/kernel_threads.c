/* SPDX-License-Identifier: MIT */
/*
 * Kernels and threads, forks, and time.
 *
 *     kernel_threads LIBRARY ROUNDS [fork]    makes and ends as many kernels, which must not grow
 *                                             the process; and forks inside a kernel
 */
#include <sys/wait.h>

#include "kernels.h"

static unsigned char visited[1000];
static void visit(void* data, size_t i) {
  (void)data;
  __atomic_fetch_add(&visited[i], 1, __ATOMIC_RELAXED);
}

static OrtStatus* visit_all(OrtKernelContext* context) {
  static const size_t batches[] = {0, 1, 3, 7, 1000, 5000};
  for (size_t k = 0; k < sizeof batches / sizeof *batches; k++) {
    memset(visited, 0, sizeof visited);
    CHECK(api->KernelContext_ParallelFor(context, visit, 1000, batches[k], NULL) == NULL);
    for (size_t i = 0; i < 1000; i++) {
      CHECK(visited[i] == 1);
    }
  }
  CHECK(api->KernelContext_ParallelFor(context, visit, 0, 0, NULL) == NULL);
  CHECK(says(api->KernelContext_ParallelFor(context, NULL, 5, 0, NULL), ORT_INVALID_ARGUMENT, "fn",
             "NULL"));
  return twice(context);
}

static void compute(OrtcoreKernel* kernel, const OrtValue* in) {
  OrtValue* out = NULL;
  CHECK(host.compute(kernel, &in, 1, &out, 1) == NULL);
  api->ReleaseValue(out);
}

static void work_with_threads(OrtStatus* (*work)(OrtKernelContext* context), uint32_t threads) {
  struct test_op op = one_to_one;
  op.work = work;
  OrtcoreNode node = {.version = ORT_API_VERSION, .op = &op.base, .threads = threads};
  OrtcoreKernel* kernel = NULL;
  OrtValue* in = new_floats();
  CHECK(host.create(&node, &kernel) == NULL);
  compute(kernel, in);
  api->ReleaseValue(in);
  host.release(kernel);
}

static void visits_each_number_once(void) {
  for (uint32_t threads = 0; threads < 5; threads++) {
    work_with_threads(visit_all, threads);
  }
}

static void* compute_often(void* kernel) {
  OrtValue* in = new_floats();
  for (int i = 0; i < 2000; i++) {
    compute(kernel, in);
  }
  api->ReleaseValue(in);
  return NULL;
}

static void shares_a_kernel_between_threads(void) {
  struct test_op op = twice_op();
  OrtcoreKernel* kernel = new_kernel(&op);
  on_threads(4, compute_often, kernel);
  host.release(kernel);
}

/* The child computes on, with threads of its own, in the kernel that was running in its parent. */
static OrtStatus* fork_inside(OrtKernelContext* context) {
  int end = 0;
  CHECK(visit_all(context) == NULL);
  pid_t child = fork();
  if (child == 0) {
    CHECK(visit_all(context) == NULL);
    _exit(0);
  }
  CHECK(child > 0 && waitpid(child, &end, 0) == child && end == 0);
  return NULL;
}

static void does_not_grow(int rounds) {
  struct test_op op = twice_op();
  OrtValue* in = new_floats();
  int64_t before = figure_of(api, allocator, "InUse");
  for (int i = 0; i < rounds; i++) {
    OrtcoreKernel* kernel = new_kernel(&op);
    compute(kernel, in);
    host.release(kernel);
  }
  CHECK(figure_of(api, allocator, "InUse") == before);
  api->ReleaseValue(in);
}

int main(int argc, char** argv) {
  CHECK(argc == 3 || argc == 4);
  find_host(table_of(argv[1]));
  visits_each_number_once();
  shares_a_kernel_between_threads();
  does_not_grow(atoi(argv[2]));
  if (argc == 4) {
    work_with_threads(fork_inside, 3);
  }
  printf("kernel_threads: OK\n");
  return 0;
}
