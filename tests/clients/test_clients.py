# SPDX-License-Identifier: MIT
"""Programs for onnxruntime, on the drop-in and on `Session`, beside the official package.

They need the extra `clients`, and run only where this folder is named: ``pytest tests/clients``.
"""

import importlib.util
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from support.processes import run

CLIENTS = {  # the package that each needs
    "magika": "magika",
    "rapidocr": "rapidocr_onnxruntime",
    "ddddocr": "ddddocr",
    "nudenet": "nudenet",
    "swift_f0": "swift_f0",
    "faster_whisper": "faster_whisper",
    "piper": "piper",
    "sklearn": "skl2onnx",
    "skl2onnx": "skl2onnx",
}
FACES = ["drop-in", "Session"]
CLOSE = {"rtol": 1e-4, "atol": 1e-6, "equal_nan": True}


@pytest.fixture(scope="module")
def use(tmp_path_factory):
    """What a client found and all outputs of its runs, by face and client; each runs once."""
    found = {}

    def use(face, client):
        if importlib.util.find_spec(CLIENTS[client]) is None:
            pytest.skip(f"{CLIENTS[client]} is not installed: pip install 'ortcffi[clients]'")
        if (face, client) not in found:
            path = tmp_path_factory.mktemp("client") / "result"
            run(sys.executable, Path(__file__).with_name("use_client.py"), face, client, path)
            found[face, client] = pickle.loads(path.read_bytes())
        return found[face, client]

    return use


def assert_same(ours, official):
    assert type(ours) is type(official)
    if not isinstance(official, np.ndarray):
        assert ours == official  # sequences of maps, from the same library
        return
    assert (ours.dtype, ours.shape) == (official.dtype, official.shape)
    if official.dtype == object:
        assert ours.tolist() == official.tolist()
    else:
        np.testing.assert_allclose(ours, official, **CLOSE)


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_finds_the_same_as_with_the_official_package(use, face, client):
    assert use(face, client)[0] == use("official", client)[0]


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("client", CLIENTS)
def test_each_run_of_a_client_has_the_official_outputs(use, face, client):
    ours, official = use(face, client)[1], use("official", client)[1]
    assert len(ours) == len(official) > 0
    for mine, theirs in zip(ours, official, strict=True):
        assert len(mine) == len(theirs)
        for each, expected in zip(mine, theirs, strict=True):
            assert_same(each, expected)


def test_the_clients_do_their_work(use):
    assert use("official", "magika")[0]["python"] == "python"
    assert "".join(use("official", "rapidocr")[0]).replace(" ", "") == "HelloWorld2026"
    assert use("official", "ddddocr")[0][0] == "8a3k"
    assert 150 < np.median(use("official", "swift_f0")[0]) < 250  # Hz
    assert len(use("official", "piper")[0]) > len("مرحبا بالعالم")
    assert len(use("official", "sklearn")[0]) > 60  # estimators
