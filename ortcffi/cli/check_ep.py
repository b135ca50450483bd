# SPDX-License-Identifier: MIT
"""The part of ``ortcffi check`` that tries the rules for execution providers on hosts."""

import argparse
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from typing import Any

import numpy as np

from ortcffi._convert import absolute
from ortcffi._table import core_api
from ortcffi.cli.check_client import Client
from ortcffi.cli.check_report import Report
from ortcffi.cli.run import read_arrays
from ortcffi.env.env import Env
from ortcffi.ep.hardware import HardwareType
from ortcffi.ep.installed import ep_named, hardware_for, is_python_ep, unknown_provider
from ortcffi.models.by_onnx import MISSING
from ortcffi.models.model import Model
from ortcffi.table.hosts import release_of
from ortcffi.table.load import installed_libraries, load
from ortcffi.testing import ep_library_rules, ep_model_rules
from ortcffi.testing.ep_bench import own_model, own_values
from ortcffi.testing.ep_compare import given_inputs, prepared, reference_values
from ortcffi.testing.rules import KEPT, RULES, UNTRIED, Result, Rule, Subject, try_rules

FAILURES = 100  # the default number of calls that fail
MODULES = ep_library_rules.__name__, ep_model_rules.__name__


def check_eps(report: Report, core: Client, subject: Subject, given: argparse.Namespace) -> None:
    """Try the rules on hosts, and put what came of them into the report."""
    subject = subject._replace(asked=min(core.asked, default=0), until=report.until)
    with_model = given.conformance or bool(given.model)
    failures = given.failures
    if failures is None:
        failures = FAILURES if with_model else 0
    with ExitStack() as stack:
        if with_model:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            model = _write_model(given, folder)
            if model._untyped() and find_spec("onnx") is None:
                report.untried["rules about values between nodes"] = MISSING
            subject = subject._replace(folder=folder)
        rules = [each for each in RULES if each.check.__module__ in MODULES]
        rules = [each for each in rules if with_model or not each.with_model]
        for host in given.hosts or _usual_hosts(core):
            begin = time.monotonic()
            results = list(_try_host(rules, subject._replace(host=host), failures))
            counts = Counter(result.outcome for result in results)
            also = f", {counts[UNTRIED]} not tried" if counts[UNTRIED] else ""
            text = f"{counts[KEPT]} of {len(results)} rules are kept on {host}{also}, in "
            report.results.extend(results)
            report.notes.append(f"{text}{time.monotonic() - begin:.1f} s")
    for each in report.results:
        if each.outcome == KEPT and each.text and each.host:
            report.notes.append(f"{each.rule} on {each.host}: {each.text}")
    report.seconds(0)  # raises where the time was up before all was tried


def _usual_hosts(core: Client) -> tuple[str, ...]:
    """Return the lowest host that the library accepts, the core and the installed library."""
    lowest = min(core.asked, default=0)
    older = (str(lowest),) if lowest and not core.adapts and lowest < core.host_version else ()
    return (*older, "core", *(("real",) if installed_libraries() else ()))


def _try_host(rules: list[Rule], subject: Subject, failures: int) -> Iterator[Result]:
    """Try the rules on one host, that about its registration first."""
    is_core = subject.host == "core" or release_of(subject.host) is not None
    chosen = [each for each in rules if each.hosts in {"both", "core" if is_core else "real"}]
    (first,) = try_rules(chosen[:1], subject)
    yield first
    rest = chosen[1:]
    if first.outcome != KEPT:
        why = f"{first.rule} must be kept first"
        yield from (Result(r.name, subject.host, UNTRIED, why) for r in rest if not r.alone)
        rest = [each for each in rest if each.alone]
    yield from try_rules(rest, subject, failures)


def _write_model(given: argparse.Namespace, folder: str) -> Model:
    """Write the model with types of inner values, its inputs, and what another engine computes.

    Returns the model.
    """
    model = prepared(Model.load(given.model) if given.model else own_model())
    model.save(os.path.join(folder, "model.onnx"))
    if not given.model:
        np.savez(os.path.join(folder, "values.npz"), **own_values())
        return model
    inputs: dict[str, Any] = {}
    if given.inputs:
        inputs = read_arrays(given.inputs)
        if not isinstance(inputs, dict):
            raise ValueError(f"--inputs: {given.inputs} is no file of numpy.savez")
    feed = given_inputs(model, inputs)
    against = load() if given.against == "real" else given.against or None
    values = feed | reference_values(model, feed, against)
    kept = {name: each for name, each in values.items() if np.asarray(each).dtype != object}
    np.savez(os.path.join(folder, "values.npz"), **kept)
    return model


def subject_of(name: str, given: argparse.Namespace) -> Subject:
    """Return a library and how it is tried; a name can be that of an installed package."""
    about: dict[str, Any] = {"name": given.name, "rtol": given.rtol, "atol": given.atol}
    options, hardware = dict(given.option), given.hardware
    subject = Subject(absolute("path", name), options=options, hardware=hardware, **about)
    if os.path.exists(name):
        return subject
    if is_python_ep(name):
        raise LookupError(f"{name!r} is a provider in Python: give a library")
    if not (found := ep_named(name)).name:
        if os.path.basename(name) == name:
            raise LookupError(f"{name!r} is no file and no provider{unknown_provider(name)}")
        return subject
    with Env("check", core_api(), severity=4) as env:
        invented = hardware_for(env, found) or []
        listed = [(HardwareType(each.kind).name, each.vendor_id) for each in invented]
    options, hardware = found.options | options, hardware or listed
    return subject._replace(path=found.path, options=options, hardware=hardware)
