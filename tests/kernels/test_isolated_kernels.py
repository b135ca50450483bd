# SPDX-License-Identifier: MIT
"""Kernels in processes of their own (1 s of CPU)."""

import gc
import os
import pickle

import numpy as np
import pytest
from support.compilers import build_folder, compile_shared
from support.paths import CHECKOUT
from support.processes import fork_quietly, wait_for

import ortcffi as ort

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_a_crash_is_an_exception_with_the_op_and_the_signal(buggy_ops):
    kernel = buggy_ops["buggy", "Crashes"].kernel(isolated=True)
    with pytest.raises(ort.KernelCrashed) as caught:
        kernel(X)
    error = caught.value
    assert (error.op, error.signal, error.code) == ("buggy:Crashes", "SIGSEGV", 6)
    text = str(error)
    assert "buggy:Crashes: while it computes, it crashes (SIGSEGV); it printed:" in text
    assert "about to crash" in text
    assert "Fatal Python error: Segmentation fault" in text
    assert pickle.loads(pickle.dumps(error)) == error
    assert kernel.closed
    with pytest.raises(ValueError, match="closed"):
        kernel(X)
    kernel.close()


def test_a_crash_at_the_end_is_an_exception_of_close(buggy_ops):
    kernel = buggy_ops["buggy", "CrashesAtEnd"].kernel(isolated=True)
    np.testing.assert_array_equal(kernel(X), 2 * X)
    with pytest.raises(ort.KernelCrashed, match="when its kernel is destroyed, it crashes"):
        kernel.close()


def test_it_is_called_as_a_kernel_and_the_child_of_a_fork_does_not_delay_its_end(buggy_ops):
    op = buggy_ops["buggy", "LeavesLast"]
    kernel = op.kernel(isolated=True, node_name="it", timeout=5)
    assert (kernel.node_name, kernel.description) == ("it", op.description)
    assert kernel(X).dtype == np.float32
    (info,) = kernel.infer_shapes((2, "n"))
    assert (info.shape, info.element_type) == ((2, None), ort.ElementType.FLOAT)
    with ort.TensorTypeInfo(np.float32, (4,)) as given:
        assert kernel.infer_shapes(given)[0].shape == (4,)
    waiting, go = os.pipe()
    child = fork_quietly()
    if child == 0:
        os.close(go)
        os.read(waiting, 1)
        kernel._end()  # as at the end of the interpreter
        os._exit(0)
    kernel.close()
    os.close(go)
    os.close(waiting)
    assert wait_for(child) == 0


def test_it_takes_what_a_kernel_takes_and_the_child_of_a_fork_cannot_use_it(
    buggy_ops, tmp_path, monkeypatch
):
    (tmp_path / "json.py").write_text("raise ImportError('of the current directory')")
    monkeypatch.chdir(tmp_path)
    op = buggy_ops["buggy", "Doubles"]
    with (
        ort.OpAttr("empty", [], ort.OpAttrType.INTS) as empty,
        pytest.warns(UserWarning, match="'alpah' of buggy:Doubles is never read"),
        pytest.warns(UserWarning, match="'empty' of buggy:Doubles is never read"),
    ):
        kernel = op.kernel({"alpah": 1.0, "empty": empty}, isolated=True, timeout=np.float32(99))
    process = kernel._process
    with kernel._lock:  # as a thread that computes has it
        child = fork_quietly()
        if child == 0:
            try:
                kernel(X)
            except ValueError:
                kernel.close()
                os._exit(0)
            os._exit(1)
        assert wait_for(child) == 0
    for x in ([1, 2], np.float32(3), X[:, ::2], ort.Value.from_numpy(X)):
        np.testing.assert_array_equal(kernel(x), 2 * np.asarray(x))
    assert isinstance(kernel.compute(X), ort.Value)
    out = np.empty_like(X)
    kernel.compute(X, out=out)
    np.testing.assert_array_equal(out, 2 * X)
    with pytest.raises(ValueError, match=r"out\[0\]"):
        kernel.compute(X, out=np.empty(2, np.float32))
    with pytest.raises(TypeError, match="out must be a Value, an ndarray or a list of them"):
        kernel.compute(X, out=3)
    with pytest.raises(ort.errors.InvalidArgument, match="Doubles"):
        kernel(X, X)
    with pytest.raises(TypeError, match="input 0 of Doubles"):
        kernel([1.0, object()])
    np.testing.assert_array_equal(kernel(X), 2 * X)
    del kernel
    gc.collect()
    assert process.returncode == 0


def test_arguments_of_the_kernel_cross(buggy_ops):
    op = buggy_ops["buggy", "LeavesLast"]
    with (
        op.kernel(isolated=True, check=True) as kernel,
        pytest.raises(AssertionError, match="did not write element 5"),
    ):
        kernel(X)
    with pytest.raises(TypeError, match="unexpected keyword argument 'wrong'"):
        op.kernel(isolated=True, wrong=1)
    with pytest.raises(ValueError, match="allocator is of this process"):
        op.kernel(isolated=True, allocator=ort.core_api().default_allocator)
    with pytest.raises(ValueError, match="logger is of this process"):
        op.kernel(isolated=True, logger=ort.ffi.NULL)


def test_strings_and_optional_and_variadic_inputs_cross(cxx_compiler):
    source = CHECKOUT / "docs/guide/join_text.cc"
    built = build_folder(cxx_compiler, "guide") / "join_text.so"
    flags = ["-std=c++17", "-shared", "-fPIC", f"-I{CHECKOUT / 'core/include'}"]
    compile_shared(built, [source.parent], *cxx_compiler, *flags, source, "-o", built)
    (op,) = ort.CustomOpLibrary(built).ops
    words, ends = np.array(["a", "b"], object), ["1", "é"]
    with op.kernel({"prefix": ">"}, isolated=True) as kernel, op.kernel({"prefix": ">"}) as here:
        for inputs in ((None, words), (["-", "+"], words, ends), (None, words, ends, words)):
            np.testing.assert_array_equal(kernel(*inputs), here(*inputs))
        value = kernel.compute(None, ort.Value.from_strings(["a", "b"]), ends)
        assert value.numpy().tolist() == [">a1", ">bé"]
        out = ort.Value.empty(2, str)
        kernel.compute(None, words, ends, out=out)
        assert out.numpy().tolist() == [">a1", ">bé"]


def test_a_call_that_takes_too_long_ends_the_process_and_says_where_it_was(buggy_ops):
    kernel = buggy_ops["buggy", "Hangs"].kernel(isolated=True, timeout=1)
    with pytest.raises(ort.KernelCrashed) as caught:
        kernel(X)
    text = str(caught.value)
    assert "buggy:Hangs: while it computes, it takes longer than 1 seconds" in text
    assert "in _compute" in text
    assert (caught.value.signal, kernel.closed) == ("", True)
    with pytest.raises(ValueError, match="timeout must be a number of seconds above 0, not 0"):
        buggy_ops["buggy", "Hangs"].kernel(isolated=True, timeout=0)
    with pytest.raises(TypeError, match="timeout must be a number of seconds, not str"):
        buggy_ops["buggy", "Hangs"].kernel(isolated=True, timeout="1")
