# SPDX-License-Identifier: MIT
"""Words about models: sessions, custom ops that ask what a row asks, graphs that providers see."""

from collections.abc import Callable
from functools import cache
from typing import Any

from ortcffi._native import ffi, lib
from ortcffi.conformance import models
from ortcffi.conformance.calls import KEPT, Failed, buffer, callback
from ortcffi.conformance.telling import told
from ortcffi.conformance.words import Words, slot_word
from ortcffi.testing.rules import NotTried

Ask = Callable[[Any], Any]
_EP = "ortcffi.conformance"


class SessionWords(Words):
    """Return the words of a table, with those about models."""

    models = models
    ADAPTER = models.ADAPTER

    # --- custom ops -------------------------------------------------------------------------------

    def op(self, name: str = "Op", version: int = 16, **functions: Any) -> Any:
        """Make a custom op; a function that is given as a constant returns it."""
        made = buffer("OrtCustomOp*")
        made.version = version
        types = dict(ffi.typeof("OrtCustomOp").fields)
        own: dict[str, Any] = {"GetName": buffer("char[]", name.encode())}
        own |= {"GetExecutionProviderType": ffi.NULL, "GetInputMemoryType": 0}
        own |= dict.fromkeys(("GetInputType", "GetOutputType"), 1)
        own |= dict.fromkeys(("GetInputTypeCount", "GetOutputTypeCount"), 1)
        own |= dict.fromkeys(("GetInputCharacteristic", "GetOutputCharacteristic"), 0)
        ends = "MinArity", "Homogeneity"
        own |= {f"GetVariadic{side}{end}": 1 for side in ("Input", "Output") for end in ends}
        own |= {"GetStartVersion": 1, "GetEndVersion": 1, "KernelDestroy": lambda _: None}
        own |= {"CreateKernelV2": lambda *given: given[3].__setitem__(0, ffi.NULL) or ffi.NULL}
        for field, given in {**own, **functions}.items():
            if given is not None:
                is_constant = isinstance(given, int | ffi.CData)
                function = (lambda *_, given=given: given) if is_constant else given
                setattr(made, field, callback(types[field].type.cname, function))
        return made

    def with_op(self, domain: str, op: Any) -> Any:
        """Session options with a custom op."""
        options, made = self.options(), self._do("CreateCustomOpDomain", domain)
        self._do("CustomOpDomain_Add", made, op)
        self._do("AddCustomOpDomain", options, made)
        return options

    def _twice(self, _kernel: Any, context: Any) -> Any:
        value = self._do("KernelContext_GetInput", context, 0)
        count = self._do("GetTensorShapeElementCount", self.shape_of(value))
        out = self._do("KernelContext_GetOutput", context, 0, [count], 1)
        given, to = (ffi.cast("float*", self._do("GetTensorMutableData", v)) for v in (value, out))
        for i in range(count):
            to[i] = 2 * given[i]
        return ffi.NULL

    def twice(self) -> Any:
        """Session options with the op Twice."""
        return self.with_op("twice", self.op("Twice", KernelComputeV2=self._twice))

    # --- sessions ---------------------------------------------------------------------------------

    def session(self, options: Any = None) -> Any:
        """Make a session of the model of two nodes Twice."""
        given = models.twice()
        options = options or self.twice()
        return self._do("CreateSessionFromArray", self.env(), given, len(given), options)

    def opened(self, given: bytes, options: Any = None) -> Any:
        """Return what comes of a session of these bytes."""
        slot = self._slots["CreateSessionFromArray"]
        return self.made(slot(self.env(), given, len(given), options))

    def run(
        self, session: Any, inputs: dict[str, Any], *outputs: str, into: Any = None, how: Any = None
    ) -> Any:
        """Return what a run answers: its outputs."""
        values = buffer("OrtValue*[]", [into or ffi.NULL] * len(outputs))
        given = list(inputs), list(inputs.values()), len(inputs), list(outputs), len(outputs)
        answer = self._slots["Run"](session, how, *given, values)
        return answer if isinstance(answer, Failed) else tuple(values)

    # --- what is asked inside callbacks -----------------------------------------------------------

    def _asked(self, ask: Ask) -> tuple[list[str], Ask]:
        """Make a list for an answer, or an exception, and a function that asks once."""
        answers: list[Any] = []
        asked: list[Any] = []

        def once(given: Any) -> None:
            if not asked:
                asked.append(given)
                try:
                    answers.append(told(self._sure, ask(given)))
                except Exception as error:  # noqa: BLE001  # raised again outside
                    answers.append(error)

        return answers, once

    def _probe(self, ask: Ask, field: str, place: int) -> str:
        answers, once = self._asked(ask)
        own: dict[str, Any] = {"KernelComputeV2": lambda *_: ffi.NULL}
        own[field] = lambda *given: once(given[place]) or ffi.NULL
        kinds: dict[str, Any] = {"GetInputTypeCount": 6, "GetOutputTypeCount": 3}
        kinds["GetOutputType"] = lambda _, i: 8 if i == 2 else 1  # a tensor of strings
        kinds["GetInputCharacteristic"] = lambda _, i: 2 if i == 5 else i % 2
        kinds["GetOutputCharacteristic"] = lambda _, i: i % 2
        options = self.with_op("probe", self.op("Probe", self._table.version, **kinds, **own))
        self._do("AddSessionConfigEntry", options, "my.key", "my value")
        given = models.probe()
        session = self._slots["CreateSessionFromArray"](self.env(), given, len(given), options)
        if field == "KernelComputeV2" and not isinstance(session, Failed):
            x = self.borrowed(1, buffer("float[]", [1, 2, 3, 4, 5, 6]), 24, 2, 3)
            values = {"X": x, "Y": self.floats(1, 2, 3, 4), "V": self.floats(1)}
            self.run(session, values, "O", "S")
        return self._one(answers, session)

    def _one(self, answers: list[Any], otherwise: Any) -> str:
        if not answers:
            return f"nothing was asked: {told(self._sure, otherwise)}"
        if isinstance(answers[0], Exception):
            raise answers[0]
        return str(answers[0])

    def making(self, ask: Ask) -> str:
        """Return what a kernel is answered while it is made: a function of its OrtKernelInfo."""
        return self._probe(ask, "CreateKernelV2", 2)

    def computing(self, ask: Ask) -> str:
        """Return what a kernel is answered at work: a function of its OrtKernelContext."""
        return self._probe(ask, "KernelComputeV2", 1)

    def inferring(self, ask: Ask) -> str:
        """Return what an op is answered while shapes are inferred."""
        return self._probe(ask, "InferOutputShapeFn", 1)

    # --- graphs -----------------------------------------------------------------------------------

    @cache  # noqa: B019  # as long as the process
    def _provider(self) -> Any:
        """Return the device of an execution provider that asks what `showing` asks."""
        if self._table.version < 23:  # the first with graphs for providers in libraries
            raise NotTried("graphs for execution providers came with API version 23")
        import ortcffi

        words = self

        class Provider:
            def capability(self, graph: Any) -> list[Any]:
                if graph.name == "main":
                    words._look(graph.handle)
                return []

            def compile(self, _graph: Any) -> Any:
                raise AssertionError

        path = ortcffi.execution_provider(_EP)(Provider).path
        self._do("RegisterExecutionProviderLibrary", self.env(), _EP, path)
        devices, count = self._do("GetEpDevices", self.env())
        names = [self._slots["EpDevice_EpName"](devices[i]) for i in range(count)]
        return devices[names.index(_EP)]

    def showing(self, ask: Ask) -> str:
        """Return what is answered about the graph of a provider: a function of its OrtGraph."""
        answers, self._look = self._asked(ask)
        options, device = self.options(), self._provider()
        slot = "SessionOptionsAppendExecutionProvider_V2"
        self._do(slot, options, self.env(), [device], 1, None, None, 0)
        self._do("SetSessionGraphOptimizationLevel", options, 0)
        given = models.branching()
        found = self._slots["CreateSessionFromArray"](self.env(), given, len(given), options)
        return self._one(answers, found)

    def items(self, slot: str, of: Any, room: int = 8) -> list[Any]:
        """Return what a slot lists that fills an array of pointers."""
        kind = self._slots[slot].arguments[1].item.cname
        count = self._do(slot.replace("_Get", "_GetNum", 1), of)
        found = buffer(f"{kind}[{max(room, 1)}]")
        self._do(slot, of, found, room)
        return list(found)[:count]

    def node(self, graph: Any, op: str) -> Any:
        """Return the first node of an operator."""
        nodes = self.items("Graph_GetNodes", graph)
        return next(n for n in nodes if self._do("Node_GetOperatorType", n) == op)

    def value(self, graph: Any, name: str) -> Any:
        """Return the value of a graph with that name."""
        for node in self.items("Graph_GetNodes", graph):
            for slot in ("Node_GetInputs", "Node_GetOutputs"):
                for value in self.items(slot, node):
                    if value and self._do("GetValueInfoName", value) == name:
                        return value
        raise LookupError(name)

    def branch(self, graph: Any, name: str = "then_branch") -> Any:
        """Make a graph of the node If."""
        graphs, names = buffer("OrtGraph*[2]"), buffer("char*[2]")
        self._do("Node_GetSubgraphs", self.node(graph, "If"), graphs, 2, names)
        return graphs[[ffi.string(each).decode() for each in names].index(name)]

    def names_of(self, values: list[Any]) -> str:
        """Return the names of values, or the operators of nodes."""
        slots = {"struct OrtNode *": "Node_GetOperatorType"}
        given = [(slots.get(ffi.typeof(v).cname, "GetValueInfoName"), v) for v in values]
        return ",".join(self._do(slot, v) if v else "NULL" for slot, v in given)

    def view(self, graph: Any, *nodes: Any) -> Any:
        """Return what a view of some nodes consists of; inputs and initializers by their names."""
        found = self._slots["Graph_GetGraphView"](graph, list(nodes), len(nodes))
        if isinstance(found, Failed):
            return found
        slots = [f"Graph_Get{each}" for each in ("Nodes", "Inputs", "Outputs", "Initializers")]
        texts = [self.names_of(self.items(slot, found)) for slot in slots]
        texts[1], texts[3] = (",".join(sorted(texts[i].split(","))) for i in (1, 3))
        return tuple(texts)

    # --- the model editor -------------------------------------------------------------------------

    def free_value(self, name: str = "x", *dims: int) -> Any:
        """Make a value of the model editor, that no graph has."""
        shape = self.shape(*(dims or (2, 3)))
        self._do("SetTensorElementType", shape, lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT)
        return self._do("CreateValueInfo", name, self._do("CreateTensorTypeInfo", shape))

    def free_node(
        self,
        op: str = "Add",
        inputs: str = "a b",
        outputs: str = "b",
        domain: str = "",
        **more: Any,
    ) -> Any:
        """Make a node of the model editor, that no graph has; "-" is no name."""
        names = [
            ["" if each == "-" else each for each in texts.split()] for texts in (inputs, outputs)
        ]
        listed = [part for each in names for part in (each, len(each))]
        attributes = more.get("attributes", [])
        return self._do("CreateNode", op, domain, "n", *listed, attributes, len(attributes))

    graph = slot_word("CreateGraph")

    def empty(self, domain: str = "", version: int = 21) -> Any:
        """Make a model of the model editor, without a graph."""
        return self._do("CreateModel", [domain], [version], 1)

    def attribute(self) -> Any:
        """Make an attribute: axis = 7."""
        value = buffer("int64_t[1]", [7])
        return self._do("CreateOpAttr", "axis", value, 1, lib.ORT_OP_ATTR_INT)

    def more(self, given: str, to: str, version: int = 1) -> Any:
        """Make a model with a node Twice, for a session of the model editor."""
        graph, model = self.graph(), self.empty("twice", version)
        self._do("AddNodeToGraph", graph, self.free_node("Twice", given, to, "twice"))
        self._do("SetGraphOutputs", graph, [self.free_value(to, 2)], 1)
        self._do("AddGraphToModel", model, graph)
        return model

    def editing(self) -> Any:
        """Make a session of the model editor."""
        given = models.twice()
        slot = "CreateModelEditorSessionFromArray"
        return self._do(slot, self.env(), given, len(given), self.twice())

    binding = slot_word("CreateIoBinding")

    def bound(self, binding: Any) -> Any:
        """Return the values that outputs are bound to, or were given by a run."""
        slot = self._slots["GetBoundOutputValues"]
        found = slot(binding, self.allocator())
        if isinstance(found, Failed):
            return found
        values, count = found
        KEPT.append(values)
        return (count, *(values[i] for i in range(count)))
