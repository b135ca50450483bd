# SPDX-License-Identifier: MIT
"""Lists that an element empties while NumPy makes an array of them, which it does not survive."""

import sys

import pytest
from support import processes
from support.paths import finds_support

from ortcffi._convert import snapshot

BEGIN = """if True:
    import collections, faulthandler, sys

    import numpy as np

    import ortcffi as ort
    from support import models

    faulthandler.enable()

    class Emptying:
        def __init__(self, given):
            self.given = given

        def __array__(self, *_arguments, **_named):
            self.given.clear()
            return np.ones(2, np.float32)

    def emptied(kind=list):
        made = kind([np.ones(2, np.float32)])
        made += [Emptying(made), *(np.ones(2, np.float32) for _ in range(5000))]
        return made

    memory = ort.core_api().default_allocator
    F4 = np.float32
"""
USES = {
    "a copy": "memory.copy_of(emptied())",
    "a list in a list": "memory.copy_of([emptied()])[0]",
    "a list in a tuple": "memory.copy_of((emptied(),))[0]",
    "a list in a deque": "memory.copy_of(collections.deque([emptied()]))[0]",
    "a list in a list in Python": "memory.copy_of([collections.UserList([emptied()])])[0, 0]",
    "a list of a subclass": "memory.copy_of(emptied(type('Derived', (list,), {})))",
    "a filling": "memory.full((5002, 2), emptied())",
    "an output of an op": """
        ort.custom_op("d", inputs=[F4], outputs=[F4], op_set=None)(lambda x: emptied()).kernel()(
            np.ones(1, F4)
        )""",
    "an input of a kernel": """
        ort.custom_op("d", inputs=[F4], outputs=[F4], op_set=None)(lambda x: x + 1).kernel()(
            emptied()
        )""",
}


def run(use: str) -> str:
    """The shape of what a use answers, in a process that may crash."""
    program = f"{BEGIN}\n    found = ({use})\n    print(np.shape(found))"
    return processes.run(sys.executable, "-c", program, env=finds_support()).stdout


@pytest.mark.parametrize("use", USES)
def test_it_is_read_as_it_was(use):
    assert run(USES[use]) == "(5002, 2)\n"


@pytest.mark.usefixtures("real_api")
def test_a_session_reads_it_as_it_was():
    use = 'ort.Session(models.add(["n", 2])).run({"x": emptied()})[0]'
    assert run(use) == "(5002, 2)\n"


def test_a_list_that_contains_itself_is_copied_once():
    given: list[object] = [1]
    given.append((given, [given]))
    copy = snapshot(given)
    assert copy is not given
    assert copy[1][0] is copy
    assert copy[1][1][0] is copy


def test_a_deep_list_is_copied_as_deep_as_arrays_are():
    given: list[object] = []
    for _ in range(100_000):
        given = [given]
    assert len(snapshot(given)) == 1
