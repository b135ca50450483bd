/* SPDX-License-Identifier: MIT */
/* What Python's help says of the compiled methods of Session. */
#ifndef ORTCFFI_BOUNDARY_SESSION_DOCS_H_
#define ORTCFFI_BOUNDARY_SESSION_DOCS_H_

static const char RUN_DOC[] =
    "run($self, feed=None, outputs=None, *, options=None, out=None, **inputs)\n"
    "--\n"
    "\n"
    "Run the model once and return its outputs.\n"
    "\n"
    "Parameters\n"
    "----------\n"
    "feed : mapping of str to array-like or Value, optional\n"
    "    The inputs by name. Arrays of the model's dtype are borrowed, not copied. Also taken are\n"
    "    Values, objects with `__dlpack__`, and lists, which are converted; for inputs of other\n"
    "    kinds lists and dicts.\n"
    "outputs : list or tuple of str, optional\n"
    "    The outputs wanted, in that order; by default all.\n"
    "options : RunOptions, optional\n"
    "    Options of this run.\n"
    "out : mapping of str to ndarray or Value, optional\n"
    "    What outputs are written to. The result has these objects.\n"
    "**inputs\n"
    "    Inputs whose names are identifiers, beside `feed` or in its place.\n"
    "\n"
    "Returns\n"
    "-------\n"
    "list\n"
    "    Of a dense tensor an array over the library's memory, without a copy; of strings an "
    "array\n"
    "    of str; of anything else what `Value.to_python` returns, or None for a missing optional.\n"
    "\n"
    "Raises\n"
    "------\n"
    "InvalidArgument\n"
    "    An input is missing or unknown, or has another dtype, rank or dimension than the model\n"
    "    wants. The message names it. The library is not called then.\n"
    "TypeError\n"
    "    An argument is of a type that cannot be an input.\n"
    "Cancelled\n"
    "    The run was ended by `cancel`.\n"
    "OrtError\n"
    "    The run failed.\n"
    "\n"
    "Notes\n"
    "-----\n"
    "API function: ``Run``.";

static const char RUN_VALUES_DOC[] =
    "run_values($self, feed=None, outputs=None, *, options=None, out=None, **inputs)\n"
    "--\n"
    "\n"
    "Run the model once and return its outputs as a list of `Value`. Otherwise like `run`.\n"
    "\n"
    "A missing optional is a `Value` that holds nothing.";

static const char CANCEL_DOC[] =
    "cancel($self)\n"
    "--\n"
    "\n"
    "End the runs that are under way, from any thread: each raises `Cancelled`.\n"
    "\n"
    "A run ends before its next node: a node that has begun is completed.\n"
    "\n"
    "Returns\n"
    "-------\n"
    "int\n"
    "    How many runs there were.\n"
    "\n"
    "Notes\n"
    "-----\n"
    "API function: ``RunOptionsSetTerminate``.";

static const char SESSION_CLOSE_DOC[] =
    "close($self)\n"
    "--\n"
    "\n"
    "Release the session; after the runs that are under way, which end as usual.\n"
    "\n"
    "Closing again does nothing. Results stay as they are.\n"
    "\n"
    "API function: ``ReleaseSession``.";

#endif /* ORTCFFI_BOUNDARY_SESSION_DOCS_H_ */
