# SPDX-License-Identifier: MIT
"""What the child of a fork has of runs that were under way."""

import functools
import os
import time

import pytest
from support import models
from support.paths import finds_support
from support.prepared import printed_by
from support.processes import TIME_LIMIT, fork
from support.threads import join, start, wait_until

import ortcffi as ort
from ortcffi.session.compiled import Mailbox

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")

# A run of the main thread forks in its kernel, while another thread is in a run.
IN_A_KERNEL = """if True:
    import os, threading, warnings
    import numpy as np
    import ortcffi as ort
    from support.graphs import graph_of
    from support.processes import TIME_LIMIT, wait_for
    from support.threads import join, start, wait_until

    warnings.simplefilter("ignore")  # of a fork beside threads
    api, main, go_on, children = ort.load(), threading.get_ident(), threading.Event(), []

    @ort.custom_op("d", inputs=[np.float32], outputs=[np.float32], name="Forks", op_set=None)
    def forks(x):
        if threading.get_ident() == main:
            children.append(os.fork())
        else:
            go_on.wait(TIME_LIMIT)
        return x.copy()

    domain, options = ort.CustomOpDomain("d", api), ort.SessionOptions(api, intra_op_threads=1)
    domain.add(forks)
    options.add_custom_op_domain(domain)
    graph = graph_of("x f4", "y = d.Forks x", "y f4")
    session, feed = ort.Session(graph, options, api=api), {"x": np.ones((1, 4), np.float32)}
    threads = start(lambda: session.run(feed))
    wait_until(lambda: session.running)
    session.run(feed)
    if children == [0]:
        os._exit(session.running)
    go_on.set()
    join(*threads)
    print(wait_for(children[0]))
"""


@pytest.mark.usefixtures("real_api")
def test_a_fork_in_a_kernel_takes_the_runs_of_other_threads_away():
    assert printed_by(IN_A_KERNEL, PYTHONPATH=finds_support()["PYTHONPATH"]) == "0"


def test_a_mailbox_can_be_closed_in_the_child_of_a_fork_while_a_thread_posts(opened, x):
    """The thread has the lock of the mailbox while it writes, here to a pipe that is full."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    room = 0
    try:
        while True:
            room += os.write(writer, bytes(4096))
    except BlockingIOError:
        os.set_blocking(writer, True)
    session, box = opened(models.add(), ort.SessionOptions(intra_op_threads=1)), Mailbox(writer)
    job = session._submit(box, None, False, None, {"x": x})
    wait_until(lambda: not session.running)
    time.sleep(0.05)  # until the thread writes
    status = fork(lambda: box.close() is None, 60)
    os.read(reader, room)
    wait_until(box.drain)
    del job
    os.close(reader)
    os.close(writer)
    assert status == 0


# --- sessions that make themselves anew -----------------------------------------------------------


@pytest.fixture(params=["path", "bytes"])
def remade(request, real_api, model_path, opened):
    """A session that makes itself anew in the child of a fork, of a file or its bytes."""
    model = model_path if request.param == "path" else model_path.read_bytes()
    options = ort.SessionOptions(real_api, intra_op_threads=2)
    return opened(model, options, after_fork="remake")


of_a_file = pytest.mark.parametrize("remade", ["path"], indirect=True)


@pytest.fixture
def model_path(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(models.add())
    return path


def test_a_session_makes_itself_anew_in_the_child(remade, x):
    session = remade
    expected = session.run(x=x)[0].tolist()

    def use():
        found = [session.run(x=x)[0], session.run_values(x=x)[0].numpy()]
        found += session.run_future(x=x).result(TIME_LIMIT)
        assert session.metadata.graph_name == "g"
        assert session.bind(x=x).run() is None
        return [y.tolist() for y in found] == [expected] * 3

    for _ in range(2):
        assert fork(use) == 0
    assert fork(lambda: fork(use) == 0) == 0, "and in the child of the child"
    assert session.run(x=x)[0].tolist() == expected


@of_a_file
def test_threads_of_the_child_share_the_session_that_one_of_them_makes(remade, x):
    session = remade

    def use():
        found = []
        join(*start(*[lambda: found.append(session.run(x=x)[0].tolist())] * 4))
        session.close()
        return found == [found[0]] * 4

    assert fork(use) == 0


@of_a_file
def test_what_the_child_cannot_make_anew_is_refused(remade, model_path, x):
    session = remade
    bound = session.bind(x=x)

    def refuses(run, kind, text):
        with pytest.raises(kind, match=text):
            run()
        return True

    assert fork(lambda: refuses(bound.run, RuntimeError, "this Binding was made before")) == 0
    model_path.unlink()
    run = functools.partial(session.run, x=x)
    assert fork(lambda: refuses(run, ort.errors.NoSuchFile, "model.onnx")) == 0


@of_a_file
def test_a_model_with_other_inputs_does_not_take_the_place_of_another(remade, model_path, x):
    session = remade
    model_path.write_bytes(models.add(["n"]))

    def refuses():
        with pytest.raises(RuntimeError, match="its model now has other inputs"):
            session.run(x=x)
        return True

    assert fork(refuses) == 0


@of_a_file
def test_metrics_in_the_child_load_no_model(remade, model_path, opened, x):
    refused = opened(model_path)
    for session in (remade, refused):
        session.run(x=x)
    numbers = [session._number for session in (remade, refused)]

    def arenas():
        found = {each.number: each for each in ort.metrics().sessions}
        assert [found[number].runs for number in numbers] == [1, 1]
        return [found[number].arena for number in numbers]

    def asks():
        path = model_path.rename(f"{model_path}.gone")
        assert arenas() == [None, None]
        assert not remade._is_here()
        path.rename(model_path)
        remade.run(x=x)
        arena = f"session {numbers[0]}" if remade.api.supports("AllocatorGetStats") else None
        found = {each.number: each.arena for each in ort.metrics().sessions}
        return [found[number] for number in numbers] == [arena, None]

    assert fork(asks) == 0


def test_only_two_things_can_be_done_after_a_fork(model_path):
    with pytest.raises(ValueError, match="after_fork must be 'refuse' or 'remake', not 'ignore'"):
        ort.Session(model_path, after_fork="ignore")
