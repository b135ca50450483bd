# SPDX-License-Identifier: MIT
"""What ``ortcffi doctor`` and ``ortcffi info --eps`` say of installed execution providers.

The library of each is loaded by the core, with no ONNX Runtime, in a process of its own.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from ortcffi._public import joined
from ortcffi._table import core_api
from ortcffi.env.env import Env
from ortcffi.ep.devices import EpDevice
from ortcffi.ep.hardware import HardwareType
from ortcffi.ep.installed import InstalledEp, ep_named, installed_eps, registered_in
from ortcffi.errors import OrtError
from ortcffi.kernels import child
from ortcffi.kernels.child import limit_this_process
from ortcffi.models.by_onnx import with_types
from ortcffi.models.contents import operator_name
from ortcffi.models.model import Model
from ortcffi.models.providers import Ep

__all__ = ["EpFinding", "Taking", "answer", "describe", "examine", "take", "takings"]

SECONDS = 60  # after which a library is reported as hanging
TAKING = 300  # the same of one that is asked about a model


class EpFinding(NamedTuple):
    """What became of the library of an installed provider."""

    name: str  # this and the next two as of `InstalledEp`
    package: str
    path: str
    devices: Sequence[str] = ()  # their own names, and the kind and vendor of the hardware
    problem: str = ""  # why it cannot be used; "" if it can
    printed: str = ""  # what it wrote to stderr before it failed


def examine(seconds: float = SECONDS) -> list[EpFinding]:
    """Load the library of each installed provider."""
    return [_examined(each, seconds) for each in installed_eps() if sys.executable]


def _examined(ep: InstalledEp, seconds: float) -> EpFinding:
    finding = EpFinding(ep.name, ep.package, ep.path)
    facts, problem, printed = child.ask("ortcffi.cli.ep_doctor", "answer", ep.name, seconds=seconds)
    if problem or facts[-1]["problem"]:
        return finding._replace(problem=problem or facts[-1]["problem"], printed=printed)
    return finding._replace(devices=facts[-1]["devices"])


def answer(name: str) -> None:
    """Load a library and give `examine` its devices, and the problem or ""."""
    limit_this_process()
    found, problem = list[str](), ""
    try:
        devices = registered_in(Env("doctor", core_api()), ep_named(name)).devices
        found = [_described(each) for each in devices]
    except (OrtError, LookupError) as error:
        problem = str(error)
    child.tell(devices=found, problem=problem, done=True)


def _described(device: EpDevice) -> str:
    hardware = device.hardware
    kind = hardware.kind.name if isinstance(hardware.kind, HardwareType) else hardware.kind
    return f"{device.name} on {kind} {hardware.vendor}".rstrip()


def describe(finding: EpFinding) -> str:
    """Return the finding as lines of text."""
    lines = [f"execution provider {finding.name!r}: package {finding.package}", finding.path]
    lines += [f"it printed: {line}" for line in finding.printed.splitlines()]
    if finding.problem:
        lines.append(f"BROKEN: {finding.problem}")
    elif finding.devices:
        lines.append(f"ok: ortcffi.Session(model, providers=[{finding.name!r}]) uses the first of")
        lines += [f"    {device}" for device in finding.devices]
    else:
        lines.append("it loads, and lists no device here")
    return joined(lines, "\n    ")


# --- a model --------------------------------------------------------------------------------------


class Taking(NamedTuple):
    """What a provider takes of a model."""

    name: str  # as of `InstalledEp`
    taken: int = 0  # how many nodes it takes
    left: dict[str, int] = {}  # noqa: RUF012  # how many it leaves, by operator; never changed
    problem: str = ""  # why it cannot say; "" if it can


def takings(path: str) -> list[Taking]:
    """Ask each installed provider that has a device here."""
    found = []
    for each in installed_eps() if sys.executable else ():
        where = "ortcffi.cli.ep_doctor", "take", each.name, path
        facts, problem, _ = child.ask(*where, seconds=TAKING)
        if problem:
            found.append(Taking(each.name, problem=problem))
        elif facts[-1]["found"]:
            found.append(Taking(each.name, *facts[-1]["found"]))
    return found


def take(name: str, path: str) -> None:
    """Ask a provider, and give `takings` what it takes, what is left, and the problem or ""."""
    limit_this_process()
    found: Any = None
    try:
        installed = ep_named(name)
        if devices := registered_in(Env("info", core_api()), installed).devices:
            ep = Ep(devices[:1], installed.options)
            claims = ep.capability(with_types(Model.load(path)))
            left = Counter(operator_name(node.domain, node.op_type) for node in claims.left)
            taken = sum(len(group.nodes) for group in claims.groups)
            found = taken, dict(left.most_common()), ""
    except (OrtError, LookupError) as error:
        found = 0, {}, str(error)
    child.tell(found=found, done=True)
