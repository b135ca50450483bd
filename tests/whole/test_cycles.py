# SPDX-License-Identifier: MIT
"""The cyclic collector takes objects apart in any order, and none is used after its end.

Each test is a process of its own, since what it looks for ends a process.
"""

import sys
import textwrap

import pytest
from support import processes
from support.paths import finds_support

HEAD = """\
import gc, sys
import numpy as np
import ortcffi as ort
from support.allocators import InPython

class Holder:
    pass

def unraisable(event):
    global failures
    failures += 1
    sys.__unraisablehook__(event)

failures = 0
sys.unraisablehook = unraisable
api = ort.core_api() if sys.argv[1] == "core" else ort.load()
default = api.default_allocator
"""


def run(source, library="core"):
    script = HEAD + textwrap.dedent(source)
    command = [sys.executable, "-X", "faulthandler", "-c", script, library]
    return processes.run(*command, code=None, env=finds_support())


@pytest.mark.parametrize("kind", ["Arena", "Logging", "Tracking", "InPython"])
def test_a_destructor_in_the_cycle_may_use_the_allocator(kind):
    done = run(f"""
        made = []
        class User:
            def __del__(self):
                made.append(self.pool.zeros(1000).sum())
                made.append(self.pool.stats is not None)
        make = InPython if {kind!r} == "InPython" else lambda _: ort.{kind}(default)
        for _ in range(30):
            user = User()
            user.me, user.pool = user, make(api)
            user.x = user.pool.empty(100)
            del user
            gc.collect()
        assert made == [0.0, True] * 30, made
        assert not failures
        print("done")
    """)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_an_allocator_that_leads_to_its_own_array_stays_whole():
    done = run("""
        pool = InPython(api)
        pool.array = pool.zeros(100)
        pool.outer = ort.Arena(pool)
        pool.more = pool.outer.zeros(100)
        held = pool.more
        del pool
        gc.collect()
        held[:] = 1
        del held
        gc.collect()
        assert not failures
        print("done")
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("library", ["core", "real"])
def test_functions_that_lead_to_what_calls_them_are_collected(library, request):
    if library == "real":
        request.getfixturevalue("real_api")
    done = run(
        """
        import weakref
        kinds = {
            "logger": lambda f: ort.SessionOptions(api, logger=f),
            "excess": lambda f: ort.Limiting(default, 9, soft=True, on_excess=f),
        }
        if api.supports("SessionOptionsSetEpSelectionPolicyDelegate"):
            kinds["selector"] = lambda f: ort.SessionOptions(api, device_selector=f)
        if api.supports("SessionOptionsSetEpContextDataReadFunc"):
            kinds["reader"] = lambda f: ort.SessionOptions(api, ep_context_reader=f)
        def made(kind):
            holder = Holder()
            holder.user = kinds[kind](lambda *_: holder)
            return weakref.ref(holder)
        gc.disable()
        holders = {kind: made(kind) for kind in kinds}
        gc.collect()
        left = [kind for kind, holder in holders.items() if holder() is not None]
        assert not left, left
        print("done")
    """,
        library,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
