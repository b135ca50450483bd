# SPDX-License-Identifier: MIT
"""What the package onnx does with graphs: types of inner values, versions, functions.

It gets no large weights: they are numbers in what it reads and writes.
"""

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ortcffi._convert import SIZE, integer
from ortcffi._public import quoted
from ortcffi.errors import InvalidGraph
from ortcffi.models.graph_attributes import names_of
from ortcffi.models.graph_edits import versions_apart
from ortcffi.models.message import Message, domain_of, subgraphs_of

if TYPE_CHECKING:
    from ortcffi.models.graph import Graph
    from ortcffi.models.model import Model

Key = tuple[str, str]  # domain, operator
_DEEPEST = 100  # functions within functions
_DESCRIBED = "ortcffi.described"  # the domain of functions that describe operators
MISSING = (
    "types of inner values come from the package onnx, which is not installed: run 'pip install "
    "onnx', or save what Model.prepare() makes where it is"
)


def _changed(graph: "Graph", change: Callable[[Any], Any]) -> tuple[bytes, list[Any]]:
    """Get what a function makes of the model, as an object of the package onnx, and the weights."""
    try:
        import onnx
    except ImportError as error:
        raise ModuleNotFoundError(MISSING, name="onnx") from error
    home = graph._home
    if home.message.graph is not graph._message:
        raise ValueError("the graph is in an attribute or a function: change the whole model")
    content, weights = home.bytes_of(home.message)
    with _blamed("read the model"):
        proto = onnx.load_model_from_string(content)
    try:
        return change(proto).SerializeToString(), weights
    except UnicodeDecodeError as error:
        raise InvalidGraph(f"onnx cannot change a model with such a name: {error}") from error


@contextmanager
def _blamed(what: str) -> Iterator[None]:
    """Have an error of onnx, which may be any of C++, say what onnx cannot do."""
    try:
        yield
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise InvalidGraph(f"onnx cannot {what}: {reason}") from error


def _change(graph: "Graph", change: Callable[[Any], Any]) -> None:
    """Replace the model by what a function makes of it."""
    home = graph._home
    home.replace(*_changed(graph, change))
    graph._message, graph._made = home.message.graph, None


def convert_version(graph: "Graph", version: int) -> None:
    """Convert the nodes to another version of ONNX's operators, by the package onnx.

    All nodes are new ones then: those that were read before are none of the graph any more.

    Parameters
    ----------
    version : int
        The version of the operator set.

    Raises
    ------
    ModuleNotFoundError
        The package onnx is not installed.
    ValueError
        onnx cannot convert an operator.
    """
    number = integer("version", version, (1, 2**31 - 1))

    def convert(proto: Any) -> Any:
        from onnx import version_converter

        with _blamed(f"convert to version {number}"):
            made = version_converter.convert_version(proto, number)
        own = {each.domain for each in made.opset_import}
        made.opset_import.extend(e for e in proto.opset_import if e.domain not in own | {"ai.onnx"})
        made.functions.extend(proto.functions)
        made.metadata_props.extend(proto.metadata_props)
        return made

    if any(each.opsets.get("", number) != number for each in graph.functions):
        raise ValueError("the model has functions of another version: inline() replaces them")
    _change(graph, convert)
    graph.opsets[""] = number


def infer_shapes(graph: "Graph") -> None:
    """Say the type and shape of each inner value, by the package onnx.

    Raises
    ------
    ModuleNotFoundError
        The package onnx is not installed.
    ValueError
        The types of the graph contradict each other.
    """
    content, _ = _changed(graph, _inferred)
    _take_types(graph._message, Message("ModelProto", content).graph)


def _take_types(graph: Any, typed: Any) -> None:
    """Take the types that a copy of a graph has, in subgraphs too."""
    graph.value_info = typed.value_info
    for mine, found in zip(graph.output, typed.output, strict=True):
        mine.type = found.type
    for node, other in zip(graph.node, typed.node, strict=True):
        for inner, found in zip(subgraphs_of(node), subgraphs_of(other), strict=True):
            _take_types(inner, found)


def _inferred(proto: Any) -> Any:
    """Return a copy of the model with types of inner values."""
    from onnx import shape_inference

    with _blamed("say which types the model has"):
        made = shape_inference.infer_shapes(proto, data_prop=True)
    for output, before in zip(made.graph.output, proto.graph.output, strict=True):
        _keep_declared(output.type, before.type)
    return made


def _keep_declared(inferred: Any, declared: Any) -> None:
    """Take back what inference adds to the declared type of an output.

    It names free dimensions ``unk__0`` and so on, and gives elements of containers a shape: no user
    of the model can rely on either.
    """
    if declared.WhichOneof("value") not in (None, "tensor_type"):
        inferred.CopyFrom(declared)
        return
    names = {length.dim_param for length in declared.tensor_type.shape.dim}
    for length in inferred.tensor_type.shape.dim:
        name = length.dim_param  # bytes where it is not UTF-8
        if isinstance(name, str) and name.startswith("unk__") and name not in names:
            length.Clear()


# --- functions ------------------------------------------------------------------------------------


def _function_key(message: Any) -> tuple[str, str, str]:
    name = message.name if message.kind == "FunctionProto" else message.op_type
    return domain_of(message.domain), name, message.overload


class _Counter:
    """Counts the nodes that a graph has when its functions are inlined."""

    def __init__(self, functions: Iterable[Any]) -> None:
        self._functions = {_function_key(each): each for each in functions}
        self._counts: dict[tuple[str, str, str], int] = {}

    def nodes(self, nodes: Iterable[Any], within: tuple[Any, ...] = ()) -> int:
        """Return the nodes of some nodes; `ValueError` for a function that calls itself."""
        total = 0
        for node in nodes:
            total += sum(self.nodes(inner.node, within) for inner in subgraphs_of(node))
            key = _function_key(node)
            total += self._function(key, within) if key in self._functions else 1
        return total

    def _function(self, key: tuple[str, str, str], within: tuple[Any, ...]) -> int:
        if key in within or len(within) >= _DEEPEST:
            how = "calls itself" if key in within else f"is called {_DEEPEST} functions deep"
            raise InvalidGraph(f"the function {quoted(key[1])} {how}")
        if key not in self._counts:
            self._counts[key] = self.nodes(self._functions[key].node, (*within, key))
        return self._counts[key]


def inline(graph: "Graph", max_nodes: int = 1_000_000) -> None:
    """Replace each node that calls a function by the nodes of the function, by the package onnx.

    All nodes are new ones then: those that were read before are none of the graph any more.

    Parameters
    ----------
    max_nodes : int, optional
        The most nodes that the graph may have then.

    Raises
    ------
    ModuleNotFoundError
        The package onnx is not installed.
    ValueError
        A function calls itself, or there would be too many nodes.
    """
    functions = graph._home.message.functions
    if not functions:
        return
    limit = integer("max_nodes", max_nodes, SIZE)
    count = _Counter(functions).nodes(graph._message.node)
    if count > limit:
        raise InvalidGraph(f"the graph would have {count:,} nodes, and max_nodes is {limit:,}")

    def inlined(proto: Any) -> Any:
        from onnx import inliner

        _spell_out_defaults(proto)
        for function in proto.functions:
            _pass_on(function)
        with _blamed("inline the functions"):
            return inliner.inline_local_functions(proto)

    for function in graph.functions:
        if apart := versions_apart(graph, function):
            own, version, name = apart
            raise InvalidGraph(
                f"the function {quoted(function.name)} uses version {version} of the operators of "
                f"{name}, and the model version {own}"
            )
    _change(graph, inlined)


def _spell_out_defaults(proto: Any) -> None:
    """Give each call of a function all attributes: onnx's inliner knows no defaults."""
    defaults = {
        (each.domain, each.name, each.overload): list(each.attribute_proto)
        for each in proto.functions
    }
    for body in (proto.graph, *proto.functions):
        for node in _all_nodes(body):
            given = {each.name for each in node.attribute}
            known = defaults.get((node.domain, node.op_type, node.overload), ())
            node.attribute.extend(each for each in known if each.name not in given)
    for function in proto.functions:
        function.attribute.extend(each.name for each in function.attribute_proto)
        del function.attribute_proto[:]


def _all_nodes(graph: Any) -> Iterator[Any]:
    """Yield the nodes of a GraphProto or a FunctionProto, and of its subgraphs."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _all_nodes(inner)


def _pass_on(function: Any) -> None:
    """Have each output of a function made by a node of its own: onnx's inliner needs that."""
    made = {name for node in function.node for name in node.output}
    for i, name in enumerate(function.output):
        if name not in made:
            node = function.node.add(op_type="Identity", input=[name])
            function.output[i] = f"{name}/passed/{i}"
            node.output.append(function.output[i])


# --- operators that ONNX describes by others ------------------------------------------------------


def prepare(graph: "Graph", operators: Iterable[str], max_nodes: int) -> "Model":
    """See `Model.prepare`."""
    names = names_of("operators", operators)
    check_described(names, dict(graph.opsets))
    inline(graph, max_nodes)
    infer_shapes(graph)
    keys = {key_of(name) for name in names}
    for _ in range(_DEEPEST if keys else 0):
        described = _Descriptions(keys, dict(graph.opsets))
        _change(graph, described.add_to)
        if described.count == 0:
            if described.untyped is not None:
                raise ValueError(f"onnx cannot replace {described.untyped}")
            break
        inline(graph, max_nodes)
        infer_shapes(graph)
    if keys:
        graph.opsets.pop(_DESCRIBED, None)
    return graph._model()


def key_of(name: str) -> Key:
    """Return the domain and the operator of a name such as "ai.onnx.ml.Scaler"."""
    domain, _, operator = name.rpartition(".")
    return domain_of(domain), operator


def check_described(names: Iterable[str], opsets: dict[str, int]) -> None:
    """Raise `ValueError` for an operator that is not described by others."""
    for name in names:
        schema = schema_of(key_of(name), opsets)
        if schema is None:
            raise ValueError(f"operators: ONNX has no operator {quoted(name)}")
        if not _has_body(schema):
            raise ValueError(f"operators: ONNX does not describe {quoted(name)} by other operators")


def schema_of(key: Key, opsets: dict[str, int]) -> Any:
    """Return what ONNX says of an operator; None if it does not have it."""
    from onnx import defs

    domain, operator = key
    try:
        return defs.get_schema(operator, opsets.get(domain, 1), domain)
    except defs.SchemaError:
        return None


def _has_body(schema: Any) -> bool:
    return schema is not None and (schema.has_function or schema.has_context_dependent_function)


class _Descriptions:
    """Makes functions of the model of operators, and calls of them of their nodes.

    The package onnx can inline operators, but not with inputs in the middle that are left out, nor
    with defaults of attributes.

    Attributes
    ----------
    count : int
        How many nodes call such a function.
    untyped : str or None
        An operator whose function depends on a type that is not known, and the value.
    """

    def __init__(self, keys: set[Key], opsets: dict[str, int]) -> None:
        self.count = 0
        self.untyped: str | None = None
        self._keys, self._opsets = keys, opsets
        self._functions: list[Any] = []

    def add_to(self, proto: Any) -> Any:
        """Change a ModelProto."""
        self._visit(proto.graph, ChainMap())
        proto.functions.extend(self._functions)
        if self._functions:
            proto.opset_import.add(domain=_DESCRIBED, version=1)
        return proto

    def _visit(self, graph: Any, around: "ChainMap[str, bytes]") -> None:
        types = around.new_child(dict(_types_of(graph)))
        for node in graph.node:
            for attribute in node.attribute:
                for inner in (
                    *([attribute.g] if attribute.HasField("g") else ()),
                    *attribute.graphs,
                ):
                    self._visit(inner, types)
            self._describe(node, types)

    def _describe(self, node: Any, types: "ChainMap[str, bytes]") -> None:
        key = domain_of(node.domain), node.op_type
        schema = schema_of(key, self._opsets) if key in self._keys else None
        content = self._content(schema, node, types) if _has_body(schema) else b""
        if schema is None or not content:
            return
        from onnx import FunctionProto

        function = FunctionProto.FromString(content)
        for each in function.opset_import:  # ONNX has them valid for later versions, too
            each.version = self._opsets.get(each.domain, each.version)
        given = {each.name for each in node.attribute}
        defaults = [*function.attribute_proto]
        defaults += [each.default_value for each in schema.attributes.values()]
        for default in defaults:
            if default.type and default.name not in given:
                given.add(default.name)
                node.attribute.append(default)
        del function.attribute_proto[:]
        function.attribute[:] = given
        self.count += 1
        function.domain, function.name = _DESCRIBED, f"{node.op_type}_{self.count}"
        node.domain, node.op_type = function.domain, function.name
        self._functions.append(function)

    def _content(self, schema: Any, node: Any, types: "ChainMap[str, bytes]") -> bytes:
        """Return the function in the version that the model uses; empty where there is none."""
        version = self._opsets.get(schema.domain, 1)
        if any(each <= version for each in schema.function_opset_versions):
            return bytes(schema.get_function_with_opset_version(version))
        versions = [n for n in schema.context_dependent_function_opset_versions if n <= version]
        if not versions:
            return b""
        given = []
        for name in node.input:
            if name and name not in types:
                self.untyped = f"{schema.name}: the type of {quoted(name)} is not known"
                return b""
            given.append(types.get(name, b""))
        build = schema.get_context_dependent_function_with_opset_version
        with _blamed(f"replace {schema.name}"):
            return bytes(build(max(versions), node.SerializeToString(), given))


def _types_of(graph: Any) -> Iterator[tuple[str, bytes]]:
    """Yield the serialized types of a graph's own values."""
    from onnx import helper

    for value in (*graph.input, *graph.output, *graph.value_info):
        if value.type.WhichOneof("value"):
            yield value.name, value.type.SerializeToString()
    for weights in graph.initializer:
        made = helper.make_tensor_type_proto(weights.data_type, weights.dims)
        yield weights.name, made.SerializeToString()
    for sparse in graph.sparse_initializer:
        made = helper.make_tensor_type_proto(sparse.values.data_type, sparse.dims)
        yield sparse.values.name, made.SerializeToString()


def with_types(model: "Model") -> "Model":
    """Return the model with the types that it lacks, where they can be had; otherwise as it is."""
    try:
        return model.prepare() if model._untyped() else model
    except (ModuleNotFoundError, ValueError):
        return model
