# SPDX-License-Identifier: MIT
"""Runs with maps, sequences and lists, compared with the official package on the same library."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter_ns
from typing import Any

import numpy as np

from ortcffi.options.session import SessionOptions
from ortcffi.session.session import Session

from .subjects import Subject
from .tasks import Counted, repeated

Case = tuple[bytes, dict[str, Any]]

CLASSES = 3
FEATURES = 4


def _model(nodes: list[Any], inputs: list[Any], outputs: list[Any]) -> bytes:
    from onnx import helper

    graph = helper.make_graph(nodes, "g", inputs, outputs)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 1)]
    made: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    return made


def classifier(rows: int) -> Case:
    """A linear classifier that ends in ZipMap, as converted models of scikit-learn do."""
    from onnx import TensorProto, helper

    classes = list(range(CLASSES))
    weights = np.linspace(-1, 1, CLASSES * FEATURES).tolist()
    make = partial(helper.make_node, domain="ai.onnx.ml")
    nodes = [
        make(
            "LinearClassifier",
            ["x"],
            ["label", "scores"],
            coefficients=weights,
            intercepts=[0.0] * CLASSES,
            classlabels_ints=classes,
            post_transform="SOFTMAX",
        ),
        make("ZipMap", ["scores"], ["probabilities"], classlabels_int64s=classes),
    ]
    number = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    rows_of_maps = helper.make_sequence_type_proto(
        helper.make_map_type_proto(TensorProto.INT64, number)
    )
    model = _model(
        nodes,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, FEATURES])],
        [
            helper.make_tensor_value_info("label", TensorProto.INT64, [None]),
            helper.make_value_info("probabilities", rows_of_maps),
        ],
    )
    x = np.linspace(-2, 2, rows * FEATURES, dtype=np.float32).reshape(rows, FEATURES)
    return model, {"x": x}


def tensors_out(count: int) -> Case:
    """A tensor that is split into a sequence of rows."""
    from onnx import TensorProto, helper

    row = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    model = _model(
        [helper.make_node("SplitToSequence", ["x"], ["y"], axis=0)],
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 4])],
        [helper.make_value_info("y", helper.make_sequence_type_proto(row))],
    )
    return model, {"x": np.ones((count, 4), np.float32)}


def tensors_in(count: int) -> Case:
    """A sequence of tensors, of which the length is asked."""
    from onnx import TensorProto, helper

    row = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    model = _model(
        [helper.make_node("SequenceLength", ["x"], ["y"])],
        [helper.make_value_info("x", helper.make_sequence_type_proto(row))],
        [helper.make_tensor_value_info("y", TensorProto.INT64, [])],
    )
    return model, {"x": [np.ones((1, 4), np.float32) for _ in range(count)]}


def map_in() -> Case:
    """A map, whose values become a tensor."""
    from onnx import TensorProto, helper

    number = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    vocabulary = ["a", "b", "c"]
    model = _model(
        [
            helper.make_node(
                "DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", string_vocabulary=vocabulary
            )
        ],
        [helper.make_value_info("x", helper.make_map_type_proto(TensorProto.STRING, number))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, len(vocabulary)])],
    )
    return model, {"x": {"a": 1.0, "b": 2.0, "c": 3.0}}


def list_in(count: int) -> Case:
    """A list of float for a tensor."""
    from onnx import TensorProto, helper

    model = _model(
        [helper.make_node("Add", ["x", "x"], ["y"])],
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None])],
    )
    return model, {"x": [float(i) for i in range(count)]}


class Contents(Counted):
    """A run of a case: the official package, or in the core's column the drop-in or a `Session`.

    Parameters
    ----------
    make : callable
        Makes the model and its inputs.
    face : str
        ``"compat"`` or ``"session"``.
    outputs : list of str, optional
        The outputs to ask for.
    subject : Subject
        Whose column it is.
    """

    def __init__(
        self, make: Callable[[], Case], face: str, outputs: list[str] | None, subject: Subject
    ) -> None:
        model, feed = make()
        if subject.name != "real" and face == "session":
            with SessionOptions(intra_op_threads=1) as options:
                self.session: Any = Session(model, options)
            self.call: Callable[[], object] = partial(self.session.run, feed, outputs)
            return
        if subject.name == "real":
            import onnxruntime as package
        else:
            from ortcffi import compat as package
        options = package.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = package.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.call = self.make_call(package, outputs, feed)

    def make_call(
        self, _package: Any, outputs: list[str] | None, feed: dict[str, Any]
    ) -> Callable[[], object]:
        """What to call of a program that was written for the official package."""
        return partial(self.session.run, outputs, feed)

    def run(self, count: int) -> float:
        """Call `count` times; the nanoseconds that passed."""
        return repeated(self.call, count)

    def close(self) -> None:
        """Let go of the session."""
        del self.session, self.call


class ContentsOnThreads(Contents):
    """The same on two threads; the nanoseconds of each run."""

    step = 2

    def run(self, count: int) -> float:
        """Call `count` times in all; the nanoseconds that passed."""
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(repeated, [self.call] * 2, [1, 1]))  # starts the threads
            start = perf_counter_ns()
            list(pool.map(repeated, [self.call] * 2, [count // 2] * 2))
            return perf_counter_ns() - start


class FedValues(Contents):
    """A run that is given values."""

    def make_call(
        self, package: Any, outputs: list[str] | None, feed: dict[str, Any]
    ) -> Callable[[], object]:
        """Make values of the arrays."""
        make = package.OrtValue.ortvalue_from_numpy
        return partial(self.session.run, outputs, {name: make(x) for name, x in feed.items()})


class CopiedBack(Contents):
    """Inputs bound, a run, and outputs copied back."""

    def make_call(
        self, _package: Any, outputs: list[str] | None, feed: dict[str, Any]
    ) -> Callable[[], object]:
        """Use one binding."""
        del outputs
        session, binding = self.session, self.session.io_binding()
        (x,) = feed.values()

        def call() -> object:
            binding.bind_cpu_input("x", x)
            binding.bind_output("y")
            session.run_with_iobinding(binding)
            return binding.copy_outputs_to_cpu()

        return call


class ValueToArray(Contents):
    """The array of a value."""

    def make_call(
        self, package: Any, outputs: list[str] | None, feed: dict[str, Any]
    ) -> Callable[[], object]:
        """Read a value."""
        del outputs
        return package.OrtValue.ortvalue_from_numpy(*feed.values()).numpy  # type: ignore[no-any-return]


class ArrayToValue(Contents):
    """The value of an array."""

    def make_call(
        self, package: Any, outputs: list[str] | None, feed: dict[str, Any]
    ) -> Callable[[], object]:
        """Make a value."""
        del outputs
        return partial(package.OrtValue.ortvalue_from_numpy, *feed.values())


class InputNames(Contents):
    """The names of the inputs."""

    def make_call(
        self, _package: Any, _outputs: list[str] | None, _feed: dict[str, Any]
    ) -> Callable[[], object]:
        """Ask the session each time."""
        session = self.session
        return lambda: [each.name for each in session.get_inputs()]


class CustomMetadata(Contents):
    """What the model's author added."""

    def make_call(
        self, _package: Any, _outputs: list[str] | None, _feed: dict[str, Any]
    ) -> Callable[[], object]:
        """Ask the session each time."""
        session = self.session
        return lambda: session.get_modelmeta().custom_metadata_map


class FailingRun(Contents):
    """A run that fails because its array has a dimension too many; the exception is caught."""

    def make_call(
        self, _package: Any, outputs: list[str] | None, feed: dict[str, Any]
    ) -> Callable[[], object]:
        """Run the model."""
        run, wrong = self.session.run, {name: x[None] for name, x in feed.items()}

        def call() -> object:
            try:
                run(outputs, wrong)
            except Exception as error:  # noqa: BLE001  # of either package
                return error
            raise RuntimeError("the run did not fail")

        return call


def array_in() -> Case:
    """The list's model with an array of four numbers."""
    model, _ = list_in(4)
    return model, {"x": np.ones(4, np.float32)}
