# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi doctor`` says of the official package: what `attach` reaches in it.

It is tried in another process, on a session of the installed release.
"""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._public import joined
from ortcffi.kernels import child
from ortcffi.kernels.child import limit_this_process
from ortcffi.official.layout import KNOWN_RELEASES, PACKAGE, is_known_release

if TYPE_CHECKING:
    from ortcffi.official.attach import Official

SECONDS = 60  # after which the package is reported as hanging
# y = Neg(x), float[1], in opset 13. Older releases cannot be asked to write a model.
_MODEL = (
    b'\x08\x08:2\n\x0b\n\x01x\x12\x01y"\x03Neg\x12\x01g'
    b"Z\x0f\n\x01x\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x01"
    b"b\x0f\n\x01y\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x01B\x04\n\x00\x10\r"
)


class OfficialFinding(NamedTuple):
    """What `attach` reaches in the installed official package."""

    version: str = ""  # the release; "" if it is not known
    path: str = ""  # its compiled module
    known_layouts: str = f"{KNOWN_RELEASES[0]} to {KNOWN_RELEASES[1]}"  # whose sessions are found
    is_known: bool = False  # whether the release is among them
    reaches: Sequence[str] = ()  # of "table", "objects", "sessions", "environment"
    problems: Sequence[str] = ()  # why the rest was not


def examine(seconds: float = SECONDS) -> OfficialFinding | None:
    """Try what `attach` reaches; None if the package is not installed."""
    if not sys.executable or importlib.util.find_spec(PACKAGE) is None:
        return None
    facts, problem, _ = child.ask("ortcffi.cli.official_doctor", "answer", seconds=seconds)
    return OfficialFinding(problems=[problem]) if problem else OfficialFinding(**facts[-1]["found"])


def answer() -> None:
    """Try what is reached here, and give `examine` the finding as a dict."""
    limit_this_process()
    child.tell(found=_tried()._asdict(), done=True)


def _tried() -> OfficialFinding:
    finding = OfficialFinding()
    try:
        package = importlib.import_module(PACKAGE)
        from ortcffi.official.attach import attach

        version = str(getattr(package, "__version__", ""))
        is_known = bool(version) and is_known_release(version)
        finding = finding._replace(version=version, is_known=is_known)
        official = attach()
    except Exception as error:  # noqa: BLE001  # whatever it is, it is the answer
        return finding._replace(problems=[_text_of(error)])
    reaches, problems = ["table"], []
    for name, reach in _PARTS.items():
        try:
            reach(official, package)
            reaches.append(name)
        except Exception as error:  # noqa: BLE001
            problems.append(f"its {name}: {_text_of(error)}")
    return finding._replace(path=str(official.path), reaches=reaches, problems=problems)


def _text_of(error: Exception) -> str:
    return str(error) or type(error).__name__


def _reach_session(official: "Official", package: Any) -> None:
    providers = ["CPUExecutionProvider"]
    official.session(package.InferenceSession(_MODEL, providers=providers))


_PARTS: dict[str, Callable[["Official", Any], object]] = {
    "objects": lambda official, package: official.run_options(package.RunOptions()),
    "sessions": _reach_session,
    "environment": lambda official, _package: official.env,
}


def describe(finding: OfficialFinding) -> str:
    """Return the finding as lines of text."""
    version = f"version {finding.version}" if finding.version else "version unknown"
    among = "is one of them" if finding.is_known else "is not one of them"
    lines = [f"official package: {version}", *([finding.path] if finding.path else [])]
    lines.append(
        f"releases whose sessions are known to be found: {finding.known_layouts}; this {among}"
    )
    if finding.reaches:
        lines.append(f"ok: ortcffi.attach() reaches its {_listed(finding.reaches)}")
    lines += [f"not reached: {problem}" for problem in finding.problems]
    return joined(lines, "\n    ")


def _listed(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
