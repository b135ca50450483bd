# SPDX-License-Identifier: MIT
"""``ortcffi run``: a model with given and random inputs."""

import numpy as np
import pytest
from support import models

from ortcffi.cli.run import main


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "two.onnx"
    path.write_bytes(models.two_inputs())
    return path


def test_inputs_come_from_files(model, tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.array([5, 6]))
    np.savez(tmp_path / "b.npz", b=np.array([1, 2]))
    assert main([str(model), f"a={tmp_path / 'a.npy'}", str(tmp_path / "b.npz")]) == 0
    printed = capsys.readouterr().out
    assert "output  s: int64[2] [6, 8]" in printed
    assert "output  d: int64[2] [4, 4]" in printed


def test_inputs_that_are_not_given_are_random(model, capsys):
    assert main([str(model), "--size", "3", "--count", "2", "--threads", "1", "--profile"]) == 0
    printed = capsys.readouterr().out
    assert "input   a: int64[3]" in printed
    assert "median" in printed
    assert "reserved by the arena" in printed
    assert "profile Add:" in printed


def test_what_goes_wrong_is_one_line_and_an_exit_code(model, tmp_path, capsys):
    for arguments, message in [
        ([str(tmp_path / "no.onnx")], "no.onnx"),
        ([str(model), "a"], "expected NAME=FILE.npy or a file .npz, not 'a'"),
        ([str(model), f"a={tmp_path / 'no.npy'}"], "no.npy"),
    ]:
        assert main(arguments) == 1
        error = capsys.readouterr().err
        assert error.startswith("python -m ortcffi run: ")
        assert message in error
    with pytest.raises(SystemExit):
        main([str(model), "--count", "0"])
