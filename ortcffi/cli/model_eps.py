# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi info --eps`` says of a model: what installed providers take of it.

The library of each is loaded by the core, with no ONNX Runtime, in a process of its own.
"""

import sys
from collections import Counter
from typing import Any, NamedTuple

from ortcffi._table import core_api
from ortcffi.env.env import Env
from ortcffi.ep.installed import ep_named, installed_eps, registered_in
from ortcffi.errors import OrtError
from ortcffi.kernels import child
from ortcffi.kernels.child import limit_this_process
from ortcffi.models.by_onnx import with_types
from ortcffi.models.contents import operator_name
from ortcffi.models.model import Model
from ortcffi.models.providers import Ep

__all__ = ["Taking", "answer", "takings"]

SECONDS = 300  # after which a provider is reported as hanging


class Taking(NamedTuple):
    """What a provider takes of a model.

    Attributes
    ----------
    name : str
        As of `InstalledEp`.
    taken : int
        How many nodes it takes.
    left : dict of str to int
        How many it leaves, by operator.
    problem : str
        Why it cannot say; "" if it can.
    """

    name: str
    taken: int = 0
    left: dict[str, int] = {}  # noqa: RUF012  # never changed
    problem: str = ""


def takings(path: str) -> list[Taking]:
    """Ask each installed provider that has a device here."""
    found = (_asked(each.name, path) for each in installed_eps() if sys.executable)
    return [each for each in found if each is not None]


def _asked(name: str, path: str) -> Taking | None:
    facts, problem, _ = child.ask("ortcffi.cli.model_eps", "answer", name, path, seconds=SECONDS)
    if problem:
        return Taking(name, problem=problem)
    return facts[-1]["found"] and Taking(name, *facts[-1]["found"])


def answer(name: str, path: str) -> None:
    """Ask a provider, and give `takings` what it takes, what is left, and the problem or ""."""
    limit_this_process()
    found: Any
    try:
        found = _taken(name, path)
    except (OrtError, LookupError) as error:
        found = 0, {}, str(error)
    child.tell(found=found, done=True)


def _taken(name: str, path: str) -> "tuple[int, dict[str, int], str] | None":
    installed = ep_named(name)
    devices = registered_in(Env("info", core_api()), installed).devices
    if not devices:
        return None
    claims = Ep(devices[:1], installed.options).capability(with_types(Model.load(path)))
    left = Counter(operator_name(node.domain, node.op_type) for node in claims.left)
    taken = sum(len(group.nodes) for group in claims.groups)
    return taken, dict(left.most_common()), ""
