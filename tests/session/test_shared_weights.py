# SPDX-License-Identifier: MIT
"""One copy of a model's weights for many processes."""

import os
import pickle
import platform
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from support.graphs import graph_of
from support.prepared import printed_by
from support.releases import needs_release

import ortcffi as ort

pytestmark = [pytest.mark.usefixtures("real_api"), needs_release(22, "prepacked weights in files")]

SIDE = 128
LARGE = 1024  # so that memory is measured well
MEGABYTES = LARGE * LARGE * 4 * 2 >> 20


def save(path, seed, side=SIDE, layers=2):
    graph = ort.Graph()
    x = graph.input("x", "f4", ["n", side])
    rng = np.random.default_rng(seed)
    for i in range(layers):
        w = graph.initializer(f"w{i}", rng.random((side, side), dtype=np.float32) - 0.5)
        (x,) = graph.node("MatMul", [x, w], [f"y{i}"])
    graph.output(x, "f4", ["n", side])
    graph.save(path)
    return path


@pytest.fixture
def path(tmp_path):
    return save(tmp_path / "model.onnx", 0)


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


WORKER = """
import sys
import numpy as np
import ortcffi as ort
def private():
    lines = [line.split() for line in open("/proc/self/smaps_rollup")]
    return sum(int(line[1]) for line in lines if line[0] == "Anonymous:") >> 10
with ort.Session(sys.argv[3], api=ort.load()) as session:
    before = private()
options = ort.SessionOptions(intra_op_threads=1)
with ort.Session(sys.argv[1], options, share_weights=sys.argv[2] or False) as session:
    y = session.run(x=np.ones((4, session.inputs[0].shape[1]), np.float32))[0]
    print(private() - before, float(y[0, 0]))
"""


@pytest.fixture
def worker(path, tmp_path):
    small = graph_of("x f4[1]", "y = Neg x", "y f4[1]")
    small.save(tmp_path / "small.onnx")

    def start(folder):
        return printed_by(WORKER, path, folder, tmp_path / "small.onnx").split()

    return start


@pytest.mark.skipif(sys.platform != "linux", reason="the memory is read from /proc")
def test_workers_that_begin_at_once_have_one_copy(worker, path, cache):
    save(path, 0, LARGE)
    with ThreadPoolExecutor() as threads:
        found = list(threads.map(worker, [cache, cache]))
    assert found[0][1] == found[1][1]
    assert len([each for each in cache.iterdir() if each.is_dir()]) == 1
    own, shared = worker(""), worker(cache)
    assert own[1] == shared[1] == found[0][1]
    assert int(own[0]) >= MEGABYTES
    assert int(shared[0]) < MEGABYTES / 2


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc returns memory when asked")
def test_a_session_keeps_no_memory_that_it_only_took_to_read_the_model(worker, path):
    save(path, 0, LARGE, 12)
    assert int(worker("")[0]) < 1.3 * 48


FORKING = """
import os, sys
import ortcffi as ort
from ortcffi.session import sharing
write = sharing._write
def forks(*given):
    global child
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writer)
        os.read(reader, 1)  # until the parent ends
        os._exit(0)
    write(*given)
sharing._write = forks
ort.Session(sys.argv[1], share_weights=sys.argv[2], api=ort.load()).close()
locks = [each for each in os.listdir(sys.argv[2]) if os.path.isfile(f"{sys.argv[2]}/{each}")]
import fcntl
for each in locks:
    fcntl.flock(open(f"{sys.argv[2]}/{each}"), fcntl.LOCK_EX | fcntl.LOCK_NB)
print(len(locks), os.waitpid(child, os.WNOHANG)[0])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_child_that_is_forked_while_weights_are_written_keeps_no_lock(path, cache):
    assert printed_by(FORKING, path, cache) == "1 0"


def test_files_of_the_cache_are_for_their_user_only(path, cache):
    x = np.ones((3, SIDE), np.float32)
    with ort.Session(path) as plain:
        expected = plain.run(x=x)[0]
    for model in (path, path.read_bytes()):
        with ort.Session(model, share_weights=cache) as session:
            np.testing.assert_allclose(session.run(x=x)[0], expected, rtol=1e-4, atol=1e-2)
            with pickle.loads(pickle.dumps(session)) as again:
                assert np.array_equal(again.run(x=x)[0], session.run(x=x)[0])
    folders = [each for each in cache.iterdir() if each.is_dir()]
    assert len(folders) == 1
    if os.name == "posix":
        assert {each.stat().st_mode & 0o777 for each in (cache, *folders)} == {0o700}
        assert {each.stat().st_mode & 0o777 for each in folders[0].iterdir()} == {0o600}


def test_another_model_at_the_path_is_another_copy(path, cache):
    x = np.ones((1, SIDE), np.float32)
    with ort.Session(path, share_weights=cache) as session:
        first = session.run(x=x)[0]
    save(path, 1)
    with ort.Session(path, share_weights=cache) as session:
        assert not np.allclose(session.run(x=x)[0], first)


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes")
def test_a_folder_that_others_may_write_is_refused(path, cache):
    cache.mkdir()
    cache.chmod(0o777)
    with pytest.raises(PermissionError, match="others may write"):
        ort.Session(path, share_weights=cache)


@pytest.mark.usefixtures("no_models_yet")
def test_a_model_is_named_as_it_was_given_and_a_name_for_the_log_needs_no_other_copy(path, cache):
    for name in ("", "second"):
        options = ort.SessionOptions(log_id=name) if name else None
        with ort.Session(path, options, share_weights=cache) as session:
            session.run(x=np.ones((1, SIDE), np.float32))
            text = ort.metrics().prometheus()
            assert f'model="{name or path}"' in text
            assert str(cache) not in text
    assert len([each for each in cache.iterdir() if each.is_dir()]) == 1


def test_what_a_killed_writer_has_left_is_removed_and_a_damaged_copy_is_named(path, cache):
    ort.Session(path, share_weights=cache).close()
    (made,) = [each for each in cache.iterdir() if each.is_dir()]
    left = cache / f"{made.name}.new_left"
    made.rename(left)
    ort.Session(path, share_weights=cache).close()
    assert made.exists()
    assert not left.exists()
    (made / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ort.OrtError, match=f"if '{made}' is damaged, remove it"):
        ort.Session(path, share_weights=cache)


def test_a_folder_that_cannot_be_made_is_named(path, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"share_weights: .*; give another folder: '.*file/cache'"):
        ort.Session(path, share_weights=tmp_path / "file/cache")


def test_only_files_and_bytes_on_onnx_runtime_are_shared(path, cache):
    with pytest.raises(ValueError, match="the path or the bytes"):
        ort.Session(ort.Model.load(path), share_weights=cache)
    with pytest.raises(ValueError, match="on ONNX Runtime"):
        ort.Session(path, api=ort.core_api(), share_weights=cache)


def test_options_that_change_the_model_have_a_copy_of_their_own_or_none(path, cache, real_api):
    fixed = ort.SessionOptions(real_api)
    fixed.fix_dimension("n", 4)
    shapes = []
    for options in (fixed, ort.SessionOptions(real_api)):
        with ort.Session(path, options, share_weights=cache) as session:
            shapes.append(session.inputs[0].shape)
    assert shapes == [(4, SIDE), ("n", SIDE)]
    other = ort.SessionOptions(real_api)
    w = np.zeros((SIDE, SIDE), np.float32)
    other.add_external_initializers({"w0": ort.Value.from_numpy(w, api=real_api)})
    with pytest.raises(ValueError, match="share_weights: options with external_initializers"):
        ort.Session(path, other, share_weights=cache)
