/* SPDX-License-Identifier: MIT */
/* Runs of a session in C: what a run costs without Python. */
#include "boundary/bench/bench_take.h"

/* 1 if a call has succeeded; the status of a failure is released. */
static int succeeded(const OrtApi* api, OrtStatus* status) {
  api->ReleaseStatus(status);
  return status == NULL;
}

static int64_t run_plainly(const ortcffi_bench_runs* runs) {
  const OrtApi* api = runs->api;
  const OrtValue* x = runs->x;
  int64_t start = bench_now();
  for (int64_t i = 0; i < runs->count; i++) {
    OrtValue* y = NULL;
    if (!succeeded(api, api->Run(runs->session, NULL, &runs->input, &x, 1, &runs->output, 1, &y))) {
      return -1;
    }
    api->ReleaseValue(y);
  }
  return bench_now() - start;
}

static int64_t run_bound(const ortcffi_bench_runs* runs) {
  const OrtApi* api = runs->api;
  int64_t start = bench_now();
  for (int64_t i = 0; i < runs->count; i++) {
    if (!succeeded(api, api->RunWithBinding(runs->session, NULL, runs->binding))) {
      return -1;
    }
  }
  return bench_now() - start;
}

int64_t ortcffi_bench_run_session(const ortcffi_bench_runs* runs) {
  return runs->binding == NULL ? run_plainly(runs) : run_bound(runs);
}
