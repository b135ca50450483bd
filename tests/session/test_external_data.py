# SPDX-License-Identifier: MIT
"""Files of models and weights: where they may be, and what they may be."""

import os
import re

import numpy as np
import pytest
from support import models
from support.releases import needs_release

import ortcffi as ort

W = np.arange(4, dtype=np.float32)
BESIDE = {"a file beside the model": "w.bin", "a file below it": "below/w.bin"}
ELSEWHERE = {
    "a folder above": "../w.bin",
    "an absolute path": "{above}/w.bin",
    "a link to a file": "link.bin",
    "a link to a folder": "folder/w.bin",
    "memory": "*/_ORT_MEM_ADDR_/*",
    "facts of the process": "/proc/self/environ",
}


@pytest.fixture
def folder(tmp_path):
    """Where the model is: with weights above it, beside it and below it, and links out of it."""
    folder = tmp_path / "models"
    (folder / "below").mkdir(parents=True)
    for place in (tmp_path, folder, folder / "below"):
        W.tofile(place / "w.bin")
    (folder / "link.bin").symlink_to(tmp_path / "w.bin")
    (folder / "folder").symlink_to(tmp_path)
    return folder


def model_with(location, above):
    entries = {"offset": W.ctypes.data, "length": W.nbytes} if "MEM_ADDR" in location else {}
    w = models.external_tensor("w", [4], location.format(above=above), **entries)
    return adding(w)


def adding(w):
    """A model, y = x + w."""
    ports = [models.value("x", shape=[4])], [models.value("y", shape=[4])]
    return models.model([models.node("Add", "x w", "y")], *ports, [w])


def options():
    return ort.SessionOptions(log_severity=ort.LogSeverity.FATAL)


FOLDER = "session.model_external_initializers_file_folder_path"


def opened_in(api, content, folder):
    """A session of bytes whose weights are in files of a folder."""
    given = ort.SessionOptions(
        api, log_severity=ort.LogSeverity.FATAL, config={FOLDER: folder} if folder else {}
    )
    return ort.Session(content, given, api=api, providers=["reference"] if api.is_core else [])


WORDS = {
    "../w.bin": "External data path escapes model directory",
    "below/../../w.bin": "External data path escapes model directory",
    "link.bin": "External data path escapes model directory",
    "/proc/self/environ": "Absolute path not allowed for external data location",
    "missing.bin": "External data path does not exist",
}


@needs_release(32, "these words")
@pytest.mark.parametrize("location", WORDS)
def test_a_place_that_is_refused_has_the_words_and_the_code_of_the_library(api, folder, location):
    content = model_with(location, folder.parent)
    sources = [(content, folder)]
    if location == "../w.bin":
        sources += [(content, None), (content, folder / "missing")]
    for source, where in sources:
        with pytest.raises(ort.errors.Fail) as raised:
            opened_in(api, source, where and str(where))
        words = "does not exist|" * (where == folder / "missing") + WORDS[location]
        assert re.search(words, str(raised.value))
        in_bytes = "model loaded from bytes escapes working directory"
        assert (in_bytes in str(raised.value)) == (where is None)


@needs_release(21, "an entry for the folder of weights")
@pytest.mark.parametrize("case", BESIDE)
def test_a_model_reads_weights_in_its_own_folder_or_that_of_the_options(api, folder, case):
    path, content = folder / "model.onnx", model_with(BESIDE[case], folder.parent)
    path.write_bytes(content)
    with opened_in(api, content, str(folder)) as session, ort.Session(path, options()) as other:
        for each in (session, other):
            assert each.run(x=W)[0].tolist() == (2 * W).tolist()


@needs_release(31, "weights that are looked for in the model's folder alone")
@pytest.mark.parametrize("case", ELSEWHERE)
def test_a_model_reads_no_weights_elsewhere(api, folder, case):
    path, content = folder / "model.onnx", model_with(ELSEWHERE[case], folder.parent)
    path.write_bytes(content)
    for source in (path, content):
        with pytest.raises(ort.OrtError):
            ort.Session(source, options())
    with pytest.raises(ort.OrtError):
        opened_in(api, content, str(folder))


@needs_release(32, "these words")
@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"offset": 8, "length": 16}, "out of bounds .*or can not be read in full"),
        ({"offset": 32, "length": 16}, "out of bounds .*or can not be read in full"),
        ({"offset": 0, "length": 8}, "external data size mismatch"),
    ],
)
def test_elements_that_a_file_has_not_have_the_words_of_the_library(api, folder, entries, words):
    content = adding(models.external_tensor("w", [4], "w.bin", **entries))
    with pytest.raises(ort.errors.Fail, match=words):
        opened_in(api, content, str(folder))


@needs_release(31, "an entry for it that counts before the folder of the model")
def test_the_folder_of_the_options_counts_before_that_of_the_model(api, folder):
    path, content = folder / "model.onnx", model_with("w.bin", folder.parent)
    path.write_bytes(content)
    (folder / "below/w.bin").write_bytes(bytes(16))
    for given, w in ((str(folder / "below"), 0), ("", W)):
        with opened_in(api, path, given) as session:
            assert session.run(x=W)[0].tolist() == (W + w).tolist()
    with pytest.raises(ort.OrtError, match="missing"):
        opened_in(api, content, str(folder / "missing"))


@needs_release(32, "names of files that are compared as paths")
@pytest.mark.parametrize(
    "names", [("w.bin", "./w.bin"), ("./w.bin", "w.bin"), (".//w.bin", "w.bin")]
)
def test_names_of_files_in_memory_are_compared_as_paths(api, folder, names):
    given, written = names
    with ort.SessionOptions(api) as options:
        options.add_external_files({given: W.tobytes()})
        content = model_with(written, folder.parent)
        providers = ["reference"] if api.is_core else []
        with ort.Session(content, options, api=api, providers=providers) as session:
            assert session.run(x=W)[0].tolist() == (2 * W).tolist()


# --- what is no file of a model -------------------------------------------------------------------


def test_a_fifo_is_refused_instead_of_waiting_for_a_writer(tmp_path, real_api):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for make in (ort.Session, ort.LoraAdapter, ort.compile_model):
        with pytest.raises(ValueError, match="must not be a FIFO"):
            make(fifo, api=real_api)
