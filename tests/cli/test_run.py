# SPDX-License-Identifier: MIT
"""``ortcffi run``: a model with given and random inputs."""

import os

import numpy as np
import pytest
from support import models

from ortcffi.cli.run import main


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "two.onnx"
    path.write_bytes(models.two_inputs())
    return path


@pytest.mark.usefixtures("real_library")
def test_inputs_come_from_files(model, tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.array([5, 6]))
    np.savez(tmp_path / "b.npz", b=np.array([1, 2]))
    assert main([str(model), f"a={tmp_path / 'a.npy'}", str(tmp_path / "b.npz")]) == 0
    printed = capsys.readouterr().out
    assert "output  s: int64[2] [6, 8]" in printed
    assert "output  d: int64[2] [4, 4]" in printed


@pytest.mark.usefixtures("real_library")
def test_inputs_that_are_not_given_are_random(model, capsys):
    assert main([str(model), "--size", "3", "--count", "2", "--threads", "1", "--profile"]) == 0
    printed = capsys.readouterr().out
    assert "input   a: int64[3]" in printed
    assert "median" in printed
    assert "reserved by the arena" in printed
    assert "profile of one run more:\n" in printed
    assert "profile Add:" in printed


@pytest.mark.usefixtures("real_library")
def test_shapes_of_random_inputs_are_given(model, capsys):
    assert main([str(model), "--shape", "a=7", "--shape=b=7"]) == 0
    assert "output  s: int64[7]" in capsys.readouterr().out
    for shape, message in [
        ("z=1", "the model has no input 'z', but a, b"),
        ("a=x", "--shape takes NAME=1,3,48,192, not 'a=x'"),
        ("a=-1", "--shape takes NAME=1,3,48,192, not 'a=-1'"),
        ("a", "--shape takes NAME=1,3,48,192, not 'a'"),
    ]:
        assert main([str(model), f"--shape={shape}"]) == 1
        assert message in capsys.readouterr().err


def test_what_goes_wrong_is_one_line_and_an_exit_code(model, tmp_path, capsys):
    os.mkfifo(tmp_path / "fifo")  # from which to read would wait
    for arguments, message in [
        ([str(tmp_path / "no.onnx")], "no.onnx"),
        ([str(model), "a"], "expected NAME=FILE.npy or FILE.npz, not 'a'"),
        ([str(model), f"a={tmp_path / 'no.npy'}"], "no.npy"),
        ([str(model), f"a={tmp_path / 'fifo'}"], "fifo is not a regular file"),
    ]:
        assert main(arguments) == 1
        printed = capsys.readouterr()
        assert printed.err.startswith("python -m ortcffi run: ")
        assert message in printed.err
        assert printed.out == ""  # nothing was loaded
    with pytest.raises(SystemExit):
        main([str(model), "--count", "0"])
    with pytest.raises(SystemExit):
        main([])
    assert capsys.readouterr().err.endswith("the following arguments are required: model\n")


@pytest.mark.parametrize("size", [2**50, 2**62, 2**70])
def test_inputs_that_no_memory_holds_are_one_line_and_an_exit_code(model, capsys, size):
    assert main([str(model), "--size", str(size)]) == 1
    message = capsys.readouterr().err
    assert f"there is no memory for input 'a' with the shape [{size}]: --size sets" in message
    assert message.count("\n") == 1


def test_an_archive_for_one_input_is_refused_with_its_names(model, tmp_path, capsys):
    path = tmp_path / "both.npz"
    np.savez(path, a=[1], b=[2])
    assert main([str(model), f"a={path}"]) == 1
    message = capsys.readouterr().err
    assert f"'a={path}': the file has arrays by name, a, b: pass {path} alone" in message


@pytest.mark.parametrize("kind", ["npy", "npz"])
@pytest.mark.parametrize("content", ["objects", "text", "nothing", "half"])
def test_a_file_that_has_no_array_is_named(model, tmp_path, capsys, kind, content):
    path = tmp_path / f"file.{kind}"
    if content == "objects":
        array = np.array(["text"], object)
        np.save(path, array) if kind == "npy" else np.savez(path, a=array)
    elif content == "half":
        array = np.arange(1000)
        np.save(path, array) if kind == "npy" else np.savez_compressed(path, a=array)
        path.write_bytes(path.read_bytes()[:300])
    else:
        path.write_text("" if content == "nothing" else "no array")
    assert main([str(model), f"a={path}" if kind == "npy" else str(path)]) == 1
    assert f"{path}: no file of numpy.save or numpy.savez" in capsys.readouterr().err


@pytest.mark.usefixtures("real_library")
def test_names_that_the_library_logs_are_escaped(tmp_path, capfd):
    evil = "w\x1b]0;owned\x07\nok"
    path = tmp_path / "model.onnx"
    ports = [models.value("x", shape=[1])], [models.value("y", shape=[1])]
    unused = [models.tensor(evil, np.ones(1, np.float32))]
    path.write_bytes(models.model([models.node("Neg", "x", "y")], *ports, unused))
    assert main([str(path)]) == 0
    printed = capfd.readouterr()
    assert "\x1b" not in printed.out + printed.err
    assert printed.err.count(r"initializer 'w\x1b]0;owned\x07\nok'") == 1


def test_without_a_library_the_error_names_options(bare, model):
    program = (
        "import sys; from ortcffi.cli.run import main; sys.stderr = sys.stdout; main(sys.argv[1:])"
    )
    printed = bare(program, model).stdout
    assert "run 'pip install onnxruntime', set ORTCFFI_LIBRARY, or give --library PATH" in printed
    assert "give --ep nxrt" in printed
    unknown = bare(program, model, "--ep", "nxtr").stdout
    assert "run: --ep has 'nxtr', which the core does not host" in unknown
    assert "give --library PATH" in unknown
    named = bare("import os; os.environ['ORTCFFI_LIBRARY'] = '/no.so'; " + program, model)
    assert "run: ORTCFFI_LIBRARY '/no.so' does not exist; expected" in named.stdout
