# SPDX-License-Identifier: MIT
"""Run ONNX's own tests of operators on a published execution provider, and count the outcomes.

    python tools/run_node_tests.py ggml nxrt qnn openvino --json outcomes.json
    python tools/run_node_tests.py ggml --on real

Each test is a model of the package onnx with inputs and outputs, of which those count whose values
are all dense tensors of numbers. A provider runs it alone, in a session of the core, or in one of
the installed onnxruntime without its CPU provider. Outcomes: pass, wrong, error, not taken (the
provider does not take some node), crash, slow. Models run in a child process, which is started
again after one that ends or holds it up.
"""

import argparse
import collections
import importlib.metadata
import json
import os
import pickle
import selectors
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

TOLERANCE = 2e-2  # ggml keeps weights in 16 bits, OpenVINO computes in fewer
SECONDS = 60  # for one model


class Published(NamedTuple):
    """A package, its library, and what makes it work on a CPU."""

    package: str
    library: str
    options: dict[str, str]
    hardware: list[tuple[str, int]] | None = None


EPS = {
    "ggml": Published("onnxruntime-ggml", "libonnxruntime_ggml.so", {}),
    "nxrt": Published("nxrt-ep-cpu", "libonnx_runtime_ep_cpu_plugin.so", {}),
    "qnn": Published(
        "onnxruntime-qnn", "libonnxruntime_providers_qnn.so", {"backend_path": "libQnnHtp.so"}
    ),
    "openvino": Published(
        "onnxruntime-ep-openvino",
        "libonnxruntime_providers_openvino_plugin.so",
        {},
        [("CPU", 0x8086)],
    ),
}


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
    import warnings

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


# --- one test, in the child -----------------------------------------------------------------------


class NotTakenError(Exception):
    """No provider takes a node."""


class Host:
    """A provider on a table, which runs a model alone."""

    def __init__(self, name: str, table: str) -> None:
        import ortcffi as ort

        self.ort, self.published, self.table = ort, EPS[name], table
        library = self.find(self.published.library)
        api = ort.core_api() if table == "core" else ort.load()
        self.env = ort.Env("node tests", api, severity=4)
        made = self.published.hardware or []
        hardware = [ort.HardwareDevice(kind, vendor_id=vendor) for kind, vendor in made] or None
        given = {} if hardware is None else {"hardware": hardware}
        self.registered = self.env.register_ep(library, name, **given)
        self.options = {
            key: self.find(text) if text.endswith(".so") else text
            for key, text in self.published.options.items()
        }

    def find(self, name: str) -> str:
        files = importlib.metadata.files(self.published.package) or []
        [found] = [each for each in files if each.name == name]
        return str(found.locate())

    def run(self, content: bytes, inputs: dict[str, Any]) -> list[Any]:
        ort = self.ort
        config = {"session.disable_cpu_ep_fallback": "1"}
        with ort.SessionOptions(self.env.api, config=config) as options:
            options.add_devices(self.registered.devices[:1], self.options)
            try:
                session = ort.Session(content, options)
            except ort.errors.NotImplemented as error:
                if self.table == "core":
                    raise NotTakenError from error
                raise
            except ort.OrtError as error:
                if "fallback" in str(error):
                    raise NotTakenError from error
                raise
            with session:
                return list(session.run(inputs))


def outcome_of(host: Host, test: Test) -> tuple[str, str]:
    import numpy as np

    try:
        found = host.run(test.model, test.inputs)
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


def serve(ep: str, table: str, tests: Path) -> None:
    """Answer for each name of a test on stdin one line."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # providers print
    known = {name: Test(*test) for name, test in pickle.loads(tests.read_bytes()).items()}
    host = Host(ep, table)
    for line in sys.stdin:
        answers.write(json.dumps(outcome_of(host, known[line.strip()])) + "\n")
        answers.flush()
    os._exit(0)  # not every provider survives the end of a process


# --- the parent -----------------------------------------------------------------------------------


class Child:
    """A process that answers for one test after the other."""

    def __init__(self, ep: str, table: str, tests: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", __file__, ep, "--on", table, "--serve", str(tests)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def ask(self, name: str) -> tuple[str, str] | None:
        """The outcome; None for one that holds up or ends the process, which has ended then."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{name}\n".encode())
        self.process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            answered = selector.select(SECONDS)
        line = self.process.stdout.readline() if answered else b""
        if line:
            outcome, detail = json.loads(line)
            return outcome, detail
        self.process.kill()
        self.process.wait()
        return None if answered else ("slow", "")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def outcomes(ep: str, table: str, tests: Path, names: list[str]) -> Iterator[tuple[str, str, str]]:
    child = Child(ep, table, tests)
    for name in names:
        if child.process.poll() is not None:
            child = Child(ep, table, tests)
        found = child.ask(name)
        yield name, *(found or ("crash", f"exit status {child.process.returncode}"))
    child.end()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("eps", nargs="+", choices=EPS)
    parser.add_argument("--on", choices=["core", "real"], default="core", dest="table")
    parser.add_argument("--match", default="", help="only tests whose names have this")
    parser.add_argument("--json", type=Path, help="a file for the outcome of each test")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.eps[0], arguments.table, arguments.serve)
        return
    tests = {name: test for name, test in plain_tests().items() if arguments.match in name}
    found: dict[str, dict[str, tuple[str, str]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "tests")
        kept.write_bytes(pickle.dumps({name: tuple(test) for name, test in tests.items()}))
        for ep in arguments.eps:
            found[ep] = {}
            for name, outcome, detail in outcomes(ep, arguments.table, kept, list(tests)):
                found[ep][name] = (outcome, detail)
            counts = collections.Counter(outcome for outcome, _ in found[ep].values())
            line = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
            sys.stdout.write(f"{ep} on {arguments.table}: {len(tests)} tests: {line}\n")
            sys.stdout.flush()
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
