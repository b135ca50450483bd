# SPDX-License-Identifier: MIT
"""A KeyboardInterrupt between the return from C and the Python object's creation leaks nothing."""

import sys

import pytest
from support.processes import run

SCRIPT = """
import gc, random, signal, sys
import numpy as np
from ortcffi import (
    Arena, ArenaCfg, CustomOpDomain, Env, KeyValuePairs, Limiting, OpAttr, PrepackedWeights,
    RunOptions, SessionOptions, Status, TensorTypeInfo, ThreadingOptions, Tracking, TypeInfo, Value,
    core_api, ffi, lib,
)

x, texts = np.zeros(3, np.float32), ["a", "b"]
tensor, pairs = Value.from_numpy(x), Value.map({1: 2})
options = SessionOptions(core_api())
coo = Value.sparse_coo(x[:1], np.zeros(1, np.int64), (2, 2))
MAKERS = {
    "status": lambda: Status(3, "message"),
    "pairs": lambda: KeyValuePairs({"a": "b"}),
    "tensor type": lambda: TensorTypeInfo("f4", ["batch", 3]),
    "type": lambda: TypeInfo.map("i8", TypeInfo.tensor("f4", [])).contained,
    "type of a value": lambda: pairs.type_info,
    "tensor": lambda: Value.empty(3),
    "borrowed tensor": lambda: Value.from_numpy(x),
    "strings": lambda: Value.from_strings(texts),
    "dlpack": lambda: Value.from_dlpack(x),
    "sequence": lambda: Value.sequence([tensor, tensor]),
    "map": lambda: pairs.keys(),
    "sparse": lambda: Value.sparse_coo(x[:1], np.zeros(1, np.int64), (2, 2), copy=True),
    "sparse parts": lambda: coo.sparse_indices,
    "handle": lambda: tensor.handle,
    "memory info": lambda: core_api().memory_info("Cpu"),
    "memory info of the CPU": lambda: core_api().cpu_memory_info(),
    "memory info of a device": lambda: core_api().device_memory_info("mine"),
    "statistics": lambda: core_api().default_allocator.stats,
    "environment": lambda: Env("app", core_api(), logger=print),
    "session options": lambda: SessionOptions(core_api(), config={"a": "b"}),
    "copy of session options": lambda: options.clone(),
    "settings of session options": lambda: options.to_dict(),
    "configuration": lambda: options.config.to_dict(),
    "run options": lambda: RunOptions(core_api(), tag="tag"),
    "threading options": lambda: ThreadingOptions(core_api()),
    "prepacked weights": lambda: PrepackedWeights(core_api()),
    "arena configuration": lambda: ArenaCfg(core_api(), max_bytes=1 << 20),
    "attribute": lambda: OpAttr("name", [1, 2], api=core_api()),
    "domain": lambda: CustomOpDomain("mine", core_api()),
    "arena": lambda: Arena(core_api().default_allocator),
    "adaptors": lambda: Tracking(Limiting(core_api().default_allocator, 1 << 20)),
}
KINDS = [kind for kind in range(40) if lib.ortcffi_kind_name(kind) != ffi.NULL]


def live():
    gc.collect()
    return [lib.ortcffi_live_objects(kind) for kind in KINDS]


def interrupted(make):
    for _ in range(100):
        try:
            # Again and again, since an interrupt of a destructor is only told.
            signal.setitimer(signal.ITIMER_REAL, random.random() * 1e-4 + 1e-6, 0.02)
            while True:
                make()
        except KeyboardInterrupt:
            pass


signal.signal(signal.SIGALRM, signal.default_int_handler)
sys.unraisablehook = lambda _: None
make = MAKERS[sys.argv[1]]
make()
before = live()
try:
    interrupted(make)
except KeyboardInterrupt:
    pass
signal.setitimer(signal.ITIMER_REAL, 0)
print([after - was for was, after in zip(before, live())])
"""
KINDS = [line.split('"')[1] for line in SCRIPT.splitlines() if line.startswith('    "')]


@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="needs setitimer")
@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupt_loses_no_object(kind):
    done = run(sys.executable, "-c", SCRIPT, kind)
    assert set(eval(done.stdout or "[1]")) == {0}, done.stderr
