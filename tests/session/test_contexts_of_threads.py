# SPDX-License-Identifier: MIT
"""What Python code on a library's thread leaves in its context, whose end takes the GIL again.

CPython before 3.12.4 ended the process there.
"""

import pytest
from support.paths import finds_support
from support.prepared import run_program

PROGRAM = """if True:
    import asyncio, gc, threading

    import numpy as np

    import ortcffi as ort
    from support import models
    from ortcffi.testing.live_objects import left_alive, live_objects

    main, entered = threading.get_ident(), []
    memory = ort.core_api().default_allocator

    def enter(*_message):
        if threading.get_ident() != main and not entered:
            entered.append(ort.numpy_allocator(ort.Tracking(memory)))
            entered.pop().__enter__()
            entered.append("once")

    def run():
        api = ort.load()
        options = ort.SessionOptions(api, intra_op_threads=2)
        settings = ort.RunOptions(api)
        settings.log_severity = 0

        async def work(session):
            await session.run_async({"x": np.ones((1, 4), np.float32)}, options=settings)

        with ort.Env("x", api, logger=enter, severity=0):
            with ort.Session(models.add(), options, api=api) as session:
                asyncio.run(asyncio.wait_for(work(session), 60))

    memory.info
    before = live_objects()
    run()
    gc.collect()
    print(entered, left_alive(before))
"""


@pytest.mark.usefixtures("real_api")
def test_a_library_thread_may_end_with_an_allocator_in_its_context():
    printed = run_program(PROGRAM, env=finds_support()).stdout
    assert printed == "['once'] {}\n"
