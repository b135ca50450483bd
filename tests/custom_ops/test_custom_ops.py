# SPDX-License-Identifier: MIT
"""Custom ops in Python: what libraries register."""

import copy
import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from support.paths import CHECKOUT
from support.processes import run
from support.versions import API_VERSION

import ortcffi as ort
from ortcffi import Characteristic, ElementType
from ortcffi._native import ffi, lib
from ortcffi.custom_ops.describe import FIELDS


@pytest.fixture
def build(compile_c):
    """``build(*flags)`` is a library of custom ops."""

    def build(*flags):
        return compile_c(CHECKOUT / "tests/c/clients/op_library.c", "-shared", "-fPIC", *flags)

    return build


@pytest.fixture(scope="module")
def extensions():
    """The library of the package onnxruntime-extensions."""
    spec = importlib.util.find_spec("onnxruntime_extensions")
    if spec is None or spec.origin is None:
        pytest.skip("the package onnxruntime-extensions is not installed")
    [library] = Path(spec.origin).parent.glob("_extensions_pydll*.so")
    return library


@pytest.fixture
def options(api):
    with ort.SessionOptions(api) as options:
        yield options


def is_loaded(path):
    maps = Path("/proc/self/maps").read_text()
    return str(path) in maps or f"memfd:{path.name} " in maps  # options of the core open a copy


# --- a real library -------------------------------------------------------------------------------

LIST = """if True:
    import json, sys, ortcffi as ort
    with ort.SessionOptions() as options:
        options.register_custom_ops(sys.argv[1])
        clone = options.clone()
        ops = options.custom_ops
    assert clone.custom_ops == ops
    print(json.dumps([op._asdict() for op in ops]))
"""


PYTHON_OP = """if True:
    import ortcffi as ort
    from onnxruntime_extensions import PyCustomOpDef, get_library_path, onnx_op
    @onnx_op(op_type="Mine", inputs=[PyCustomOpDef.dt_float], outputs=[PyCustomOpDef.dt_float])
    def mine(x):
        return x
    with ort.SessionOptions() as options:
        options.register_custom_ops(get_library_path())
        print("Mine" in [op.name for op in options.custom_ops])
"""


@pytest.mark.usefixtures("extensions")
def test_an_imported_library_is_used_as_it_is():
    """A copy of it would not have the ops that Python code has added. 1 s."""
    assert run(sys.executable, "-c", PYTHON_OP).stdout.strip() == "True"


def test_the_ops_of_onnxruntime_extensions_have_names_types_and_arities(extensions):
    """In a process of its own: the library keeps its domains to the end."""
    done = run(sys.executable, "-c", LIST, str(extensions))
    assert done.stderr == ""
    ops = json.loads(done.stdout)
    assert {op["domain"] for op in ops} == {"ai.onnx.contrib", "com.microsoft.extensions"}
    assert len(ops) == len({(op["domain"], op["name"]) for op in ops})
    [equal] = [op for op in ops if op["name"] == "StringEqual"]
    assert (equal["domain"], equal["provider"]) == ("ai.onnx.contrib", "CPUExecutionProvider")
    assert (equal["since_version"], equal["end_version"]) == (1, None)
    assert [operand[0] for operand in equal["inputs"]] == [ElementType.STRING, ElementType.STRING]
    assert [operand[0] for operand in equal["outputs"]] == [ElementType.BOOL]
    assert all(op["outputs"] for op in ops)


# --- any library ----------------------------------------------------------------------------------


def test_no_field_is_read_that_the_version_of_an_op_does_not_have(core_api, build):
    with ort.SessionOptions(core_api) as options:
        options.register_custom_ops(build())
        ours = options.custom_ops
    types = ElementType.FLOAT, ElementType.STRING
    required, optional, variadic = Characteristic
    kinds, default, cpu = (optional, variadic), ort.MemType.DEFAULT, ort.MemType.CPU_INPUT
    plain = [(each, required, default, 1, True) for each in types]
    named = [(each, kind, default, 1, True) for each, kind in zip(types, kinds, strict=True)]
    placed = [(each, kind, cpu, 1, True) for each, kind in zip(types, kinds, strict=True)]
    counted = [placed[0], (ElementType.STRING, variadic, cpu, 3, False)]
    assert [(op.name, op.since_version, op.end_version, op.inputs, op.outputs) for op in ours] == [
        (f"V{version:02}", *versions, tuple(inputs), (output,))
        for of_each, versions, inputs, output in [
            ((1, 7), (1, None), plain, plain[0]),
            ((8, 12), (1, None), named, named[0]),
            ((13,), (1, None), placed, named[0]),
            ((14, 16), (1, None), counted, named[0]),
            ((17, 18, API_VERSION), (3, 3), counted, named[0]),
        ]
        for version in of_each
    ]


def test_fresh_options_have_no_ops(options):
    assert options.custom_ops == []


def test_a_library_that_fails_leaves_nothing_and_speaks_for_itself(options, build):
    library = build("-DFAILS=1")
    with pytest.raises(ort.errors.EPFail, match="halfway"):
        options.register_custom_ops(library)
    assert options.custom_ops == []
    assert not is_loaded(library)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are UTF-8")
def test_the_name_of_a_library_need_not_be_utf8(options, build, tmp_path):
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(folder)
    path = os.path.join(folder, b"ops.so")
    shutil.copy(build(), path)
    options.register_custom_ops(path)
    with ort.CustomOpLibrary(path) as library:
        assert library.ops
        assert os.fsencode(library.path) == path


def test_what_is_no_library_is_refused_with_the_reason(options, compile_c, tmp_path):
    (tmp_path / "text.so").write_text("text")
    without = compile_c("int nothing;", "-shared", "-fPIC")
    cases = {r"nope\.so": tmp_path / "nope.so", r"text\.so": tmp_path / "text.so"}
    for words, path in (cases | {"RegisterCustomOps": without}).items():
        with pytest.raises(ort.errors.Fail, match=words):
            options.register_custom_ops(path)
    with pytest.raises(TypeError, match=r"path must be a str, bytes or os\.PathLike, not int"):
        options.register_custom_ops(5)
    with pytest.raises(ValueError, match="path is empty"):
        options.register_custom_ops("")


def test_libraries_stay_as_long_as_options_or_a_copy(api, build, monkeypatch, tmp_path):
    other = build().rename(tmp_path / "other.so")
    library = build()
    monkeypatch.chdir(other.parent)
    options = ort.SessionOptions(api)
    options.register_custom_ops(library)
    options.register_custom_ops(other.name)  # relative to the current folder
    assert not api.is_core or len(options.custom_ops) == 20
    clone = copy.copy(options)
    options.close()
    assert is_loaded(library)
    assert is_loaded(other)
    clone.close()
    assert not is_loaded(library)
    assert not is_loaded(other)


# --- domains --------------------------------------------------------------------------------------


def answers(kind, answer, place=""):
    """A function of an op that always answers the same."""
    return ffi.callback(f"{kind}(*)(const OrtCustomOp*{place})", lambda *_: answer)


NAME = ffi.new("char[]", b"Twice")
name_of, one, second = answers("const char*", NAME), answers("size_t", 1), answers("int", 2)
any_float = answers("ONNXTensorElementDataType", ElementType.FLOAT, ", size_t")
_, optional, variadic = (
    answers("OrtCustomOpInputOutputCharacteristic", each, ", size_t") for each in Characteristic
)
of_the_cpu = answers("OrtMemType", ort.MemType.CPU_INPUT, ", size_t")


def make_op():
    op = ffi.new("OrtCustomOp*")
    op.version = 1
    op.GetName = name_of
    op.GetInputTypeCount = op.GetOutputTypeCount = one
    op.GetInputType = op.GetOutputType = any_float
    return op


USED = {
    8: {"GetInputCharacteristic": optional},
    13: {"GetInputMemoryType": of_the_cpu},
    14: {"GetInputCharacteristic": variadic},
    16: {"CreateKernelV2": ffi.cast("void*", one), "KernelComputeV2": ffi.cast("void*", one)},
    17: {"GetStartVersion": second},
}


def test_each_version_that_an_op_can_need_has_the_fields_that_it_needs_it_for():
    assert USED.keys() == FIELDS.keys()
    for version, fields in USED.items():
        op = make_op()
        op.version = max(FIELDS)
        for name, function in fields.items():
            setattr(op, name, function)
        assert lib.core_op_needs(op) == version


def test_a_domain_has_ops_that_are_made_here(options):
    domain = ort.CustomOpDomain("mine", options.api)
    domain.add(make_op())
    options.add_custom_op_domain(domain)
    [op] = options.custom_ops
    assert domain.ops == [op]
    assert repr(domain) == "<CustomOpDomain 'mine'>"
    float_ = (ElementType.FLOAT, Characteristic.REQUIRED, ort.MemType.DEFAULT, 1, True)
    assert op == ("mine", "Twice", 1, None, (float_,), (float_,), "")
    del domain
    with options.clone() as clone:
        assert clone.custom_ops == options.custom_ops == [op]


def test_the_ops_of_a_released_domain_are_not_read(core_api):
    api, domain = core_api.pointer, ffi.new("OrtCustomOpDomain**")
    with ort.SessionOptions(core_api) as options:
        assert lib.CreateCustomOpDomain(api, b"gone", domain) == ffi.NULL
        assert lib.CustomOpDomain_Add(api, domain[0], ffi.cast("OrtCustomOp*", 16)) == ffi.NULL
        assert lib.AddCustomOpDomain(api, options.handle, domain[0]) == ffi.NULL
        lib.ReleaseCustomOpDomain(api, domain[0])
        ops = lib.ortcffi_options_ops(options.handle)
        assert ffi.string(lib.ortcffi_op_domain(ops, 0)) == b"gone"
        assert options.custom_ops == []


def test_what_is_no_op_and_no_domain_is_refused(options, core_api, real_api):
    with ort.CustomOpDomain("", options.api) as domain:
        for wrong in [5, None, ffi.NULL, ffi.new("int*")]:
            with pytest.raises(TypeError, match=r"op must be a cdata of OrtCustomOp \*, not "):
                domain.add(wrong)
    with pytest.raises(TypeError, match="domain must be a CustomOpDomain, not str"):
        options.add_custom_op_domain("mine")
    other = core_api if options.api == real_api else real_api
    with (
        ort.CustomOpDomain("mine", other) as domain,
        pytest.raises(ValueError, match="domain belongs to <Api"),
    ):
        options.add_custom_op_domain(domain)
