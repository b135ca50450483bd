# SPDX-License-Identifier: MIT
"""``python -m ortcffi info``: prints facts of this package, or of a model."""

import argparse
import json
import os
import platform
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ortcffi._convert import decode
from ortcffi._native import extension_path, lib
from ortcffi._table import core_api
from ortcffi.cli import build_flags as config
from ortcffi.cli.program import fail, program_name
from ortcffi.errors import OrtError

DESCRIPTION = """\
Print the versions of this package and of what it runs on, how the core was built, and where
its files are. With a model, print instead its inputs, outputs,
operator sets, nodes by operator, parameters, metadata, and what is missing; for that nothing else
need be installed."""


def package_version(name: str = "ortcffi") -> str:
    """Return the version of an installed package, or a text if it is not installed."""
    from importlib import metadata  # which takes as long to import as a fourth of `info`

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "of a checkout" if name == "ortcffi" else "not installed"


def versions_and_machine(*packages: str) -> str:
    """Return on what something was measured or tried."""
    versions = [f"{name} {package_version(name)}" for name in packages]
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    return ", ".join([*versions, f"Python {platform.python_version()}", machine])


def collect() -> dict[str, Any]:
    """Collect what the command prints, as values for JSON."""
    from ortcffi.ep.devices import available_providers

    base = lib.ortcffi_core_api_base()
    core_version = decode(base.GetVersionString())
    highest = lib.ORTCFFI_API_VERSION
    build = decode(lib.GetBuildInfoString(base.GetApi(highest)))
    allocator = re.search(r"allocator=([^,]*)", build)
    return {
        "version": package_version(),
        "core": core_version,
        "api_versions": [1, highest],
        "build": build,
        "allocator": allocator[1] if allocator else None,
        "python": platform.python_version(),
        "cffi": package_version("cffi"),
        "numpy": package_version("numpy"),
        "platform": platform.platform(),
        "extension": extension_path(),
        "include": _where(config.get_include),
        "library": _where(config.get_library),
        "providers": available_providers(core_api()),
        "slots": lib.ORTCFFI_SLOTS,
        "implemented": sum(
            decode(lib.ortcffi_slot_row(i).who) == "HOST" for i in range(lib.ORTCFFI_SLOTS)
        ),
    }


def _where(find: Callable[[], str]) -> str | None:
    try:
        return find()
    except FileNotFoundError:
        return None


def _render(facts: dict[str, Any]) -> str:
    versions = "API versions {} to {}".format(*facts["api_versions"])
    paired = {
        "ortcffi": facts["version"],
        "core": f"{facts['core']} ({versions})",
        "build": facts["build"],
        "allocator": facts["allocator"],
        **{name: facts[name] for name in ("python", "cffi", "numpy", "platform", "extension")},
        "include": facts["include"] or "not there",
        "library": facts["library"] or "not there; 'make -C core' builds it",
        "providers": ", ".join(facts["providers"]),
        "slots": f"{facts['implemented']} of {facts['slots']} are implemented by the core",
    }
    return "\n".join(f"{name:10} {text}" for name, text in paired.items())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with its arguments, by default the process's, and return the exit code."""
    parser = argparse.ArgumentParser(prog=program_name("info"), description=DESCRIPTION)
    add: Any = parser.add_argument
    add("model", nargs="?", help="the path of a model")
    add("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    try:
        facts, render = _facts_of(given)
    except (OrtError, OSError, ValueError) as error:
        return fail(parser.prog, error)
    text = json.dumps(facts, indent=2) if given.json else render(facts)
    sys.stdout.write(text + "\n")
    return 0


def _facts_of(given: argparse.Namespace) -> tuple[dict[str, Any], Callable[[Any], str]]:
    if given.model is None:
        return collect(), _render
    from ortcffi.cli import model_info

    return model_info.collect(given.model), model_info.render
