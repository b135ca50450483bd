# SPDX-License-Identifier: MIT
"""The part of ``ortcffi check`` that tries the rules for execution providers on hosts."""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any

import numpy as np

from ortcffi._convert import absolute
from ortcffi._table import core_api
from ortcffi.cli.check_client import Client
from ortcffi.cli.check_report import Report
from ortcffi.cli.run import read_arrays
from ortcffi.env.env import Env
from ortcffi.ep.hardware import HardwareDevice, HardwareType
from ortcffi.ep.installed import ep_named, hardware_for
from ortcffi.models.model import Model
from ortcffi.models.providers import Ep
from ortcffi.table.hosts import emulate, release_of
from ortcffi.table.load import installed_libraries, load
from ortcffi.testing.ep_bench import RULES, Rule, Subject, own_model, own_values
from ortcffi.testing.ep_compare import given_inputs, prepared, reference_values
from ortcffi.testing.ep_trials import BROKEN, KEPT, UNTRIED, Result, try_rules

__all__ = ["add_arguments", "check_eps", "known_host", "subject_of"]

_FAILURES = 100  # the default number of calls that fail


def check_eps(report: Report, core: Client, subject: Subject, given: argparse.Namespace) -> None:
    """Try the rules on hosts, and put what came of them into the report."""
    subject = subject._replace(asked=min(core.asked, default=0), until=report.until)
    with_model = given.conformance or bool(given.model)
    failures = given.failures
    if failures is None:
        failures = _FAILURES if with_model else 0
    with ExitStack() as stack:
        if with_model:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            _write_model(given, folder)
            subject = subject._replace(folder=folder)
        rules = [rule for rule in RULES if with_model or not rule.with_model]
        for host in given.hosts or _usual_hosts(core):
            begin = time.monotonic()
            results = list(_try_host(rules, subject._replace(host=host), failures))
            counts = Counter(result.outcome for result in results)
            also = f", {counts[UNTRIED]} not tried" if counts[UNTRIED] else ""
            text = f"{counts[KEPT]} of {len(results)} rules are kept on {host}{also}, in "
            report.results.extend(results)
            report.notes.append(f"{text}{time.monotonic() - begin:.1f} s")
    _conclude(report)
    report.seconds(0)  # raises where the time was up before all was tried


def _usual_hosts(core: Client) -> tuple[str, ...]:
    """The lowest host that has what the library asks for, the core and the installed library."""
    lowest = min(core.asked, default=0)
    older = (str(lowest),) if lowest and not core.adapts and lowest < core.host_version else ()
    return (*older, "core", *(("real",) if installed_libraries() else ()))


def _try_host(rules: list[Rule], subject: Subject, failures: int) -> Iterator[Result]:
    """Try the rules on one host, that about its registration first."""
    is_core = subject.host == "core" or release_of(subject.host) is not None
    chosen = [rule for rule in rules if (rule.on_core if is_core else rule.on_real)]
    done, total = 0, len(chosen)

    def shown(result: Result) -> Result:
        nonlocal done
        done += 1
        _show_progress(done, total, f"{result.rule} on {subject.host}")
        return result

    (first,) = map(shown, try_rules(chosen[:1], subject))
    yield first
    rest = chosen[1:]
    if first.outcome != KEPT:
        why = f"{first.rule} must be kept first"
        for rule in rest:
            if not rule.alone:
                yield shown(Result(rule.name, subject.host, UNTRIED, why))
        rest = [rule for rule in rest if rule.alone]
    yield from map(shown, try_rules(rest, subject, failures))


def _show_progress(done: int, of: int, what: str) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == of else ""
        sys.stderr.write(f"\r\033[K{'#' * done}{'.' * (of - done)} {what}{end}")
        sys.stderr.flush()


def _conclude(report: Report) -> None:
    """Make findings and notes of the results; hosts with the same one share it."""
    broken: dict[tuple[str, str], list[str]] = {}
    untried: dict[tuple[str, str], list[str]] = {}
    for result in report.results:
        if result.outcome == BROKEN:
            broken.setdefault((result.rule, result.text), []).append(result.host)
        elif result.outcome == UNTRIED:
            untried.setdefault((result.host, result.text), []).append(result.rule)
        elif result.text:
            report.notes.append(f"{result.rule} on {result.host}: {result.text}")
    for (rule, text), hosts in broken.items():
        report.found(rule, f"on {', '.join(hosts)}: {text}")
    for (host, text), rules in untried.items():
        report.notes.append(f"not tried on {host}, because {text}: {', '.join(rules)}")


# --- the model ------------------------------------------------------------------------------------


def _write_model(given: argparse.Namespace, folder: str) -> None:
    """Write the model with types of inner values, its inputs, and what another engine computes."""
    model = prepared(Model.load(given.model) if given.model else own_model())
    model.save(os.path.join(folder, "model.onnx"))
    if not given.model:
        np.savez(os.path.join(folder, "values.npz"), **own_values())
        return
    inputs: dict[str, Any] = {}
    if given.inputs:
        inputs = read_arrays(given.inputs)
        if not isinstance(inputs, dict):
            raise ValueError(f"--inputs: {given.inputs} is no file of numpy.savez")
    feed = given_inputs(model, inputs)
    with _other_engine(given.against) as against:
        values = feed | reference_values(model, feed, against)
    kept = {name: each for name, each in values.items() if np.asarray(each).dtype != object}
    np.savez(os.path.join(folder, "values.npz"), **kept)


@contextmanager
def _other_engine(against: str) -> Iterator[Any]:
    if against in {"", "onnx"}:
        yield against or None
    elif against == "real":
        yield load()
    else:
        with (
            Env("check", core_api(), severity=4) as env,
            env.register_ep(against) as other,
            Ep(other.devices[:1]) as ep,
        ):
            yield ep


# --- the command line -----------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments for execution providers."""
    parser.add_argument(
        "--against",
        default="",
        metavar="ENGINE",
        help="what to compare with. Custom ops: a file of Python whose functions have their names. "
        "Execution providers: real, onnx, or a library of providers (default: the installed "
        "onnxruntime, else onnx)",
    )
    for name, what in (("--rtol", "relative"), ("--atol", "absolute")):
        text = f"{what} tolerance of a comparison (default: 1e-3)"
        parser.add_argument(
            name, type=partial(_not_below_0, float, "a number"), default=1e-3, help=text
        )
    group = parser.add_argument_group("execution providers")
    group.add_argument(
        "--conformance",
        action="store_true",
        help="also try the rules about models, with a small model of the check's own",
    )
    group.add_argument("--model", default="", help="the same with this model")
    group.add_argument("--inputs", default="", metavar="FILE.npz", help="its inputs, else random")
    group.add_argument(
        "--hosts",
        type=_hosts,
        default=(),
        help="with commas, such as 24,27,core,real (default: the lowest, core and real)",
    )
    group.add_argument(
        "--failures",
        type=partial(_not_below_0, int, "a whole number"),
        metavar="N",
        help=f"how many calls of the host's functions fail, each in a process of its own (default: "
        f"{_FAILURES} with --model or --conformance)",
    )
    group.add_argument("--name", default="ortcffi", help="to register it under, as x.virtual")
    group.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", type=_pair)
    group.add_argument(
        "--hardware",
        action="append",
        default=[],
        metavar="KIND:VENDOR",
        type=_hardware,
        help="what the core pretends to have, such as NPU:0x8086",
    )
    group.add_argument("--html", metavar="FILE", help="also write a page about the rules")


def subject_of(name: str, given: argparse.Namespace) -> Subject:
    """A library and how it is tried; a name can be that of an installed package."""
    options = dict(given.option)
    subject = Subject(
        absolute("path", name),
        name=given.name,
        options=options,
        hardware=given.hardware,
        rtol=given.rtol,
        atol=given.atol,
    )
    if os.path.exists(name) or not (found := ep_named(name)).name:
        return subject
    with Env("check", core_api(), severity=4) as env:
        invented = hardware_for(env, found) or []
        hardware = [(HardwareType(each.kind).name, each.vendor_id) for each in invented]
    options, hardware = found.options | options, given.hardware or hardware
    return subject._replace(path=found.path, options=options, hardware=hardware)


def known_host(name: str) -> str:
    """The name of a host, if it is one that the core can be."""
    if (release := release_of(name)) is not None:
        try:
            emulate(release)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
    return name


def _hosts(text: str) -> tuple[str, ...]:
    return tuple(known_host(host.strip()) for host in text.split(",") if host.strip())


def _not_below_0(kind: Any, what: str, text: str) -> Any:
    with suppress(ValueError):
        if (number := kind(text)) >= 0:  # no NaN
            return number
    raise argparse.ArgumentTypeError(f"expected {what} of 0 or more, not {text!r}")


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"expected KEY=VALUE, not {text!r}")
    return key, value


def _hardware(text: str) -> tuple[str, int]:
    kind, _, vendor = text.partition(":")
    try:
        number = int(vendor or "0", 0)
        HardwareDevice(kind, vendor_id=number, api=core_api()).close()
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return kind, number
