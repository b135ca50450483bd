# SPDX-License-Identifier: MIT
"""Arguments of a wrong type, of which errors say the name."""

import numpy as np
import pytest
from support import eps
from support.versions import API_VERSION

import ortcffi as ort
from ortcffi.table.trace import Trace


class PathOfInt:
    """A path that is no text."""

    def __fspath__(self):
        return 7


CALLS = {
    "path: expected .* to return str or bytes": [
        lambda: ort.CustomOpLibrary(PathOfInt()),
        lambda: ort.find_runtimes(PathOfInt()),
    ],
    "model: expected .* to return str or bytes": [lambda: ort.Model.load(PathOfInt())],
    r"path must be encodable as a path, but '.ud800' has a lone surrogate": [
        lambda: ort.load("\ud800")
    ],
    "api must be an Api, not int": [
        *(
            lambda make=make: make(3)
            for make in (ort.SessionOptions, ort.RunOptions, ort.ThreadingOptions)
        ),
        *(lambda: ort.PrepackedWeights(3), lambda: ort.ArenaCfg(3), lambda: ort.Env("app", 3)),
        *(lambda: ort.TensorTypeInfo("f4", [1], 3), lambda: ort.OpAttr("name", 1, api=3)),
        lambda: ort.CustomOpDomain("mine", 3),
        lambda: ort.CustomOpLibrary("x.so", api=5),
        lambda: ort.PythonAllocator(0),
    ],
    "host must be an Api, not int": [lambda: env().register_ep("x.so", host=5)],
    "hardware must be an iterable of HardwareDevice, not 5": [
        lambda: env().register_ep("x.so", hardware=5)
    ],
    "options must be SessionOptions, not int": [lambda: ort.Session(ort.Graph(), 5)],
    "env must be an Env, not int": [lambda: ort.Session(ort.Graph(), env=5)],
    "devices must be EpDevices of the core, such as .*, not 5": [lambda: ort.Ep(5)],
    "devices must be of CPU, .* not 5": [lambda: ort.PythonEp("a name", print, devices=5)],
    r"devices must be of CPU, .* not \[\]": [lambda: ort.PythonEp("a name", print, devices=[[]])],
    "name must be a str, not list": [lambda: ort.python_ep([])],
    r"slot \[\] is in no API version": [lambda: ort.core_api().supports([])],
    "pairs must be a mapping or an iterable of pairs: ": [
        lambda: ort.KeyValuePairs(["a"], ort.core_api()),
        lambda: ort.KeyValuePairs([1], ort.core_api()),
    ],
    "kind must be from 0 to": [lambda: ort.HardwareDevice(-1, api=ort.core_api())],
    "element_type: data type 'x' not understood": [
        lambda: ort.optional("x"),
        lambda: ort.variadic("x"),
    ],
    "op_set must be a str, not int": [
        lambda: ort.custom_op("a", inputs=["f4"], outputs=["f4"], op_set=5)
    ],
    "faults: 1 is no slot": [lambda: ort.WatchedEp("x.so", faults={1: 2})],
    "shape must be an int or a sequence of ints, not of .*float32": [
        lambda: ort.Value.empty(np.float32(2), "f4")
    ],
    "made by custom_op": [lambda: ort.PythonOp("a", "b", None, versions=(1, 1))],
    "library must be a CustomOpLibrary": [lambda: ort.LibraryOp(None, None, None, None)],
    "made by attach": [lambda: ort.Official(None, np)],
    "options must be a cdata of OrtSessionOptions": [lambda: ort.op_set().register(None, None)],
    "path must be a str, bytes or os.PathLike, not": [
        lambda path=path: ort.load(path) for path in (3, 1.5, True, ["a"], object())
    ],
    "path must not contain a null character": [lambda: ort.load("a\0b"), lambda: ort.load(b"a\0b")],
    "path is empty; expected the path of a shared library": [lambda: ort.load("")],
    "path ": [lambda path=path: ort.find_runtimes(path) for path in (3, "", "\0")],
    "api must be an Api, not ": [
        lambda wrong=wrong: ort.init_api(wrong) for wrong in ("core", 5, ort.lib)
    ],
    "other must be an Api, not int": [lambda: ort.core_api().same_library(5)],
    "api must be an Api, not str": [lambda: ort.trace("core")],
    "counted must": [
        lambda counted=counted: Trace(ort.core_api(), counted)
        for counted in ([], {}, (), 5, ort.ffi.new("int*"), ort.ffi.NULL)
    ],
    f"version must be from 1 to {API_VERSION}, but is": [
        lambda version=version: ort.emulate(version) for version in (0, API_VERSION + 1, -1, 2**32)
    ],
    "version must be an int": [
        lambda version=version: ort.emulate(version) for version in (12.0, "12", None)
    ],
    "positional": [
        lambda given=given: ort.Value.from_numpy(*given) for given in ((), (1, 2), (1, 2, 3))
    ],
    "order": [lambda: ort.Value.from_numpy(np.ones(3), order="F")],
    "api must be an Api, not float": [lambda: ort.Value.from_numpy(np.ones(3), api=1.5)],
    "Value": [
        *(ort.Value, lambda: ort.Value([1]), lambda: ort.Value.__new__(ort.Value)),
        lambda: object.__new__(ort.Value),
    ],
    "values must be an iterable, not NoneType": [lambda: ort.Value.sequence(None)],
    "dtype: ": [lambda: ort.Value.empty(3, "no such type")],
    "allocator must be an Allocator, not Api": [lambda: ort.Value.empty(3, "f4", ort.core_api())],
    "element must be a TypeInfo, not int": [lambda: ort.TypeInfo.sequence(5)],
    "contained must be a TypeInfo, not NoneType": [lambda: ort.TypeInfo.optional(None)],
    "value_type must be a TypeInfo, not str": [lambda: ort.TypeInfo.map("i8", "f4")],
    "element_type: ": [lambda: ort.TypeInfo.tensor("nothing")],
    "key_type: ": [lambda: ort.TypeInfo.map("nothing", ort.TypeInfo.tensor("f4"))],
    "value must be a Value, not int": [lambda: ort.TypeInfo.of_value(3)],
    "handle": [
        lambda handle=handle: ort.Allocator(ort.core_api(), handle)
        for handle in (5, None, "x", ort.ffi.new("int*"), ort.ffi.cast("OrtAllocator*", 0))
    ],
    "inner must be an Allocator, not int": [
        *(lambda: ort.Tracking(5), lambda: ort.Guarded(3), lambda: ort.Limiting(3, 1)),
    ],
    "allocator must be an Allocator": [
        *(lambda: ort.numpy_allocator(5), lambda: ort.numpy_allocator(None)),
    ],
    "alignment must be": [lambda: around(ort.Aligned, -64), lambda: around(ort.Aligned, 64.0)],
    "after must be": [lambda: around(ort.Failing, -1)],
    "limit must be": [lambda limit=limit: around(ort.Limiting, limit) for limit in (-1, 1.5, "1")],
    "on_excess needs soft=True": [lambda: around(ort.Limiting, 10, on_excess=print)],
    "on_excess must be callable, not int": [
        lambda: around(ort.Limiting, 10, on_excess=5, soft=True)
    ],
    "depth must be": [
        lambda depth=depth: around(ort.Tracking, depth=depth) for depth in (0, 1001, "1")
    ],
    "name must": [lambda: around(ort.Tracking).scope(5)],
    "top must be an int, not str": [lambda: around(ort.Tracking).scope().report(top="a")],
    "top must be from 0": [lambda: around(ort.Tracking).scope().report(top=-1)],
    "code must be from 0 to 4294967295": [lambda: ort.Status(-1), lambda: ort.Status(2**32)],
    "code must be an int": [lambda code=code: ort.Status(code) for code in ("FAIL", None, 1.0)],
    "message must be a str": [lambda text=text: ort.Status(1, text) for text in (b"x", None, 5)],
    "message must not contain a null character": [lambda: ort.Status(1, "a\0b")],
    r"message .* UTF-8, but has a lone surrogate at 1": [lambda: ort.Status(1, "a\ud800")],
}


def around(adaptor, *arguments, **named):
    return adaptor(ort.core_api().default_allocator, *arguments, **named)


def env():
    return ort.Env("wrong arguments", ort.core_api())


@pytest.mark.parametrize(
    ("words", "call"), [(words, call) for words, calls in CALLS.items() for call in calls]
)
def test_an_argument_of_a_wrong_type_is_named(words, call):
    with pytest.raises((TypeError, ValueError, LookupError), match=words):
        call()


def test_the_memory_type_of_a_device_is_checked():
    [device, *_] = eps.register(env(), "memory").devices
    with pytest.raises(ValueError, match="mem_type must be from 0 to"):
        device.memory_info(-1)


def test_no_empty_name_is_suggested():
    graph = ort.Graph()
    graph.node("Neg", ["x"], ["y"])
    with pytest.raises(LookupError, match=r"no value and no node ''$"):
        graph[""]
