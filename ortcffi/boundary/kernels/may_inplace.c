/* SPDX-License-Identifier: MIT */
/* GetMayInplace of ops written in Python. The callback does not get the op that is asked, so each
 * list of pairs has a function of its own; ops with equal lists share one. */
#include "boundary/handle/unlocked.h"
#include "boundary/kernels/python_ops.h"

#include <stdlib.h>
#include <string.h>

#define EACH_LIST(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define LISTS 12

/* Never freed: hosts may ask at any time. Changed with the lock of LIST_OF_INPLACE_PAIRS, count
 * last. */
struct list {
  int* inputs;
  int* outputs;
  size_t count;
};

static struct list lists[LISTS];

static size_t give_pairs(const struct list* list, int** inputs, int** outputs) {
  *inputs = list->inputs;
  *outputs = list->outputs;
  return list->count;
}

#define FUNCTION(n)                                                  \
  static size_t ORT_API_CALL give_##n(int** inputs, int** outputs) { \
    return give_pairs(&lists[n], inputs, outputs);                   \
  }
EACH_LIST(FUNCTION)
#define NAME(n) give_##n,
static size_t(ORT_API_CALL* const functions[])(int**, int**) = {EACH_LIST(NAME)};
_Static_assert(sizeof functions / sizeof *functions == LISTS, "each list has a function");

/* Frees nothing: lists are never freed. */
static void ORT_API_CALL take_back(int* inputs, int* outputs) {}

static int is_same(const struct list* list, const int* inputs, const int* outputs, size_t count) {
  size_t size = count * sizeof *inputs;
  return list->count == count && memcmp(list->inputs, inputs, size) == 0 &&
         memcmp(list->outputs, outputs, size) == 0;
}

static int copy_pairs(struct list* list, const int* inputs, const int* outputs, size_t count) {
  size_t size = count * sizeof *inputs;
  list->inputs = malloc(size);
  list->outputs = malloc(size);
  if (list->inputs == NULL || list->outputs == NULL) {
    free(list->inputs);
    free(list->outputs);
    return -1;
  }
  memcpy(list->inputs, inputs, size);
  memcpy(list->outputs, outputs, size);
  list->count = count;
  return 0;
}

/* The place of a list of pairs, which is added if need be; LISTS where there is no room, and -1
 * where there is no memory. */
static int place_of(const int* inputs, const int* outputs, size_t count) {
  int i = 0;
  while (i < LISTS && lists[i].count > 0 && !is_same(&lists[i], inputs, outputs, count)) {
    i++;
  }
  return i < LISTS && lists[i].count == 0 && copy_pairs(&lists[i], inputs, outputs, count) < 0 ? -1
                                                                                               : i;
}

int ortcffi_set_may_inplace(OrtCustomOp* callbacks, const int* inputs, const int* outputs,
                            size_t count) {
  lock_list(LIST_OF_INPLACE_PAIRS);
  int i = place_of(inputs, outputs, count);
  unlock_list(LIST_OF_INPLACE_PAIRS);
  if (i < 0) {
    PyErr_NoMemory();
    return -1;
  }
  if (i == LISTS) {
    PyErr_Format(PyExc_ValueError, "a process can have %d different lists of may_inplace", LISTS);
    return -1;
  }
  callbacks->GetMayInplace = functions[i];
  callbacks->ReleaseMayInplace = take_back;
  return 0;
}
