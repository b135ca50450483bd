# SPDX-License-Identifier: MIT
"""Whatever writes a file writes it whole or not at all. All together take a second."""

import os
import sys

import numpy as np
import pytest
from support import models, processes

import ortcffi as ort
from ortcffi import compat
from ortcffi._new_file import write_whole

posix = pytest.mark.skipif(os.name == "nt", reason="of POSIX")
PRECIOUS = b"precious"


def save_model(path):
    ort.Model.load(models.add()).save(path)


def save_graph(path):
    graph = ort.Graph()
    graph.input("x", "f4", [1])
    graph.node("Neg", ["x"], ["y"])
    graph.output("y", "f4", [1])
    graph.save(path)


def export_adapter(path):
    adapter = compat.AdapterFormat()
    value = ort.Value.from_numpy(np.ones(100, np.float32), api=ort.core_api())
    adapter.set_parameters({"w": compat.OrtValue._of(value)})
    adapter.export_adapter(path)


def compile_on_core(path):
    ort.compile_model(models.add(), path, api=ort.core_api())


def write_report(path):
    write_whole(path, "<html>\n" * 100)


WRITERS = [save_model, save_graph, export_adapter, compile_on_core, write_report]
writers = pytest.mark.parametrize("write", WRITERS)


@pytest.fixture
def target(tmp_path):
    path = tmp_path / "folder" / "out.onnx"
    path.parent.mkdir()
    path.write_bytes(PRECIOUS)
    return path


@writers
def test_the_old_file_is_replaced(write, target):
    before = target.open("rb")
    with before:
        write(target)
        assert before.read() == PRECIOUS  # as a process that maps it still sees it
    assert len(target.read_bytes()) > 20
    assert os.listdir(target.parent) == [target.name]


@posix
@writers
def test_the_old_file_stays_where_a_write_fails(write, target):
    import resource

    _, most = before = resource.getrlimit(resource.RLIMIT_FSIZE)
    write(target)  # imports what it needs
    target.write_bytes(PRECIOUS)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, most))
    try:
        with pytest.raises((OSError, RuntimeError, ort.OrtError)):
            write(target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert target.read_bytes() == PRECIOUS
    assert os.listdir(target.parent) == [target.name]


@posix
@writers
def test_a_link_stays_and_so_do_permissions(write, target):
    target.chmod(0o604)
    link = target.parent.parent / "link.onnx"
    link.symlink_to(os.path.join("folder", target.name))
    write(link)
    assert link.is_symlink()
    assert target.read_bytes() != PRECIOUS
    assert target.stat().st_mode & 0o7777 == 0o604
    assert os.listdir(target.parent) == [target.name]


@posix
@writers
def test_what_a_link_leads_to_is_made(write, tmp_path):
    (tmp_path / "link.onnx").symlink_to("out.onnx")
    write(tmp_path / "link.onnx")
    assert (tmp_path / "out.onnx").is_file()


@posix
@pytest.mark.parametrize("write", [each for each in WRITERS if each is not compile_on_core])
def test_a_device_is_written_itself(write, tmp_path):
    write(os.devnull)
    assert not os.path.isfile(os.devnull)
    link = tmp_path / "link"
    link.symlink_to(os.devnull)
    write(link)
    assert (link.is_symlink(), os.listdir(tmp_path)) == (True, ["link"])


@posix
@pytest.mark.parametrize("is_pipe", [True, False])
def test_the_standard_output_is_written_itself(is_pipe, tmp_path):
    """Also where it is a file, which others have open."""
    program = """if True:
        from ortcffi._new_file import write_whole
        print("before", flush=True)
        write_whole("/dev/stdout", "report\\n")
    """
    file = tmp_path / "output"
    shell = 'exec "$@"' if is_pipe else 'exec "$@" >>output'
    done = processes.run("sh", "-c", shell, "sh", sys.executable, "-c", program, cwd=tmp_path)
    text = done.stdout if is_pipe else file.read_text()
    assert text.endswith("report\n")
    assert os.path.islink("/dev/stdout")
    assert os.listdir(tmp_path) == ([] if is_pipe else ["output"])


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, "")
    assert os.listdir(tmp_path) == []
