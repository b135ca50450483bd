# SPDX-License-Identifier: MIT
"""Run ONNX's own tests of operators on a published execution provider, and count the outcomes.

    python tools/run_node_tests.py ggml nxrt qnn openvino --json outcomes.json
    python tools/run_node_tests.py ggml --on real

Each test is a model of the package onnx with inputs and outputs, of which those count whose values
are all dense tensors of numbers. A provider runs it alone, in a session of the core, or in one of
the installed onnxruntime without its CPU provider, in a process of its own. Outcomes: pass, wrong,
error, not taken (the provider does not take some node), crash, slow.
"""

import argparse
import collections
import json
import pickle
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ortcffi.kernels import child

TOLERANCE = 2e-2  # ggml keeps weights in 16 bits, OpenVINO computes in fewer
SECONDS = 60  # for one model


# --- the tests ------------------------------------------------------------------------------------


class Test(NamedTuple):
    model: bytes
    inputs: dict[str, Any]
    outputs: list[Any]


def is_plain(model: Any) -> bool:
    """Whether all inputs and outputs are dense tensors of numbers."""
    from onnx import TensorProto

    values = [*model.graph.input, *model.graph.output]
    return all(
        each.type.WhichOneof("value") == "tensor_type"
        and each.type.tensor_type.elem_type != TensorProto.STRING
        for each in values
    )


def array_of(value: Any, port: Any) -> Any:
    """A value of a test as an array of the type of the input or output."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    return np.asarray(value, helper.tensor_dtype_to_np_dtype(port.type.tensor_type.elem_type))


def plain_tests() -> dict[str, Test]:
    from onnx.backend.test.case.node import collect_testcases

    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    for case in cases:
        if case.model is not None and is_plain(case.model) and case.data_sets:
            inputs, outputs = case.data_sets[0]
            constants = {each.name for each in case.model.graph.initializer}
            wanted = [each for each in case.model.graph.input if each.name not in constants]
            given = {
                each.name: array_of(value, each)
                for each, value in zip(wanted, inputs, strict=False)
            }
            expected = [*map(array_of, outputs, case.model.graph.output)]
            found[case.name] = Test(case.model.SerializeToString(), given, expected)
    return dict(sorted(found.items()))


# --- one test, in a fork --------------------------------------------------------------------------


class NotTakenError(Exception):
    """No provider takes a node."""


def run(ep: str, table: str, test: Test) -> list[Any]:
    """What a provider on a table computes alone."""
    import ortcffi as ort
    from ortcffi.ep.installed import ep_named, registered_in

    installed = ep_named(ep)
    env = ort.Env("node tests", ort.core_api() if table == "core" else ort.load(), severity=4)
    config = {"session.disable_cpu_ep_fallback": "1"}
    options = ort.SessionOptions(env.api, config=config)
    options.add_devices(registered_in(env, installed).devices[:1], installed.options)
    try:
        session = ort.Session(test.model, options)
    except ort.OrtError as error:
        is_left = table == "core" and isinstance(error, ort.errors.NotImplemented)
        if is_left or (table != "core" and "fallback" in str(error)):
            raise NotTakenError from error
        raise
    return list(session.run(test.inputs))


def outcome_of(ep: str, table: str, test: Test) -> tuple[str, str]:
    import numpy as np

    try:
        found = run(ep, table, test)
    except NotTakenError:
        return "not taken", ""
    except Exception as error:  # noqa: BLE001  # whatever the provider says
        return "error", f"{type(error).__name__}: {error}"[:300]
    try:
        for value, expected in zip(found, map(np.asarray, test.outputs), strict=True):
            wide = np.result_type(expected, np.float32)
            np.testing.assert_allclose(
                np.asarray(value).astype(wide), expected.astype(wide), TOLERANCE, TOLERANCE
            )
    except (AssertionError, TypeError, ValueError) as error:
        return "wrong", " ".join(str(error).split())[:200]
    return "pass", ""


def answer(ep: str, table: str, path: str) -> None:
    """Tell the outcome of the test in a file."""
    test = Test(*pickle.loads(Path(path).read_bytes()))
    child.tell(outcome=outcome_of(ep, table, test), done=True)


# --- all of them ----------------------------------------------------------------------------------


def outcomes(ep: str, table: str, tests: dict[str, Test]) -> Iterator[tuple[str, str, str]]:
    """The outcome of each test, and more about it."""
    with tempfile.NamedTemporaryFile() as file, child.prepared("run_node_tests", "numpy.testing"):
        for name, test in tests.items():
            Path(file.name).write_bytes(pickle.dumps(tuple(test)))
            where = "run_node_tests", "answer", ep, table, file.name
            facts, problem, _ = child.ask(*where, seconds=SECONDS)
            if not problem:
                yield name, *facts[-1]["outcome"]
            else:
                yield name, "slow" if "within" in problem else "crash", problem


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("eps", nargs="+", help="names of installed providers")
    parser.add_argument("--on", choices=["core", "real"], default="core", dest="table")
    parser.add_argument("--match", default="", help="only tests whose names have this")
    parser.add_argument("--json", type=Path, help="a file for the outcome of each test")
    arguments = parser.parse_args()
    tests = {name: test for name, test in plain_tests().items() if arguments.match in name}
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for ep in arguments.eps:
        every = outcomes(ep, arguments.table, tests)
        found[ep] = {name: (outcome, detail) for name, outcome, detail in every}
        counts = collections.Counter(outcome for outcome, _ in found[ep].values())
        line = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
        sys.stdout.write(f"{ep} on {arguments.table}: {len(tests)} tests: {line}\n")
        sys.stdout.flush()
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
