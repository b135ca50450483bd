# SPDX-License-Identifier: MIT
"""Rules for what execution providers do with a model."""

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Barrier
from typing import Any

import numpy as np

from ortcffi._native import ffi, lib
from ortcffi._table import core_api
from ortcffi.errors import OrtError, call
from ortcffi.models.providers import CompiledNode
from ortcffi.options.kinds import OptimizationLevel
from ortcffi.options.session_options import SessionOptions
from ortcffi.session.session import Session
from ortcffi.testing.ep_bench import (
    EXCEPTION,
    FIRST,
    Bench,
    claims_of,
    open_model,
    parted_model,
    sum_model,
)
from ortcffi.testing.ep_compare import call_node, check_node
from ortcffi.testing.live_objects import malloced
from ortcffi.testing.rules import Broken, NotTried, rule

_THREADS = 8
_RUNS = 10  # of each thread
_LARGE = 64, 512
_WARM, _TURNS = 5, 20  # before memory is compared, and in between
_PARTS = 2  # of the model that has them
_SLACK = 1024  # bytes for each turn
_LARGEST, _FILL = 4096, 0xA5  # blocks that are overwritten


@rule("nodes", "the header: GetCapability", with_model=True)
def takes_nodes(bench: Bench) -> None:
    """``GetCapability`` accepts a graph, and takes each node at most once.

    If it takes none, the other rules about models are not tried: give another ``--model``.
    """
    with bench.claims() as claims:
        taken = [node for group in claims.groups for node in group.nodes]
        for node in taken:
            if taken.count(node) > 1:
                raise Broken(f"it takes the node {node.name or node.op_type} twice")


@rule("nodes", "programs that ask in advance", with_model=True)
def takes_the_same_nodes_again(bench: Bench) -> None:
    """It takes the same nodes when it is asked again.

    Programs ask in advance which nodes it takes, and a session of the model must agree.
    """
    taken = []
    with bench.provider() as ep:
        for _ in range(2):
            with claims_of(ep, bench.model()) as claims:
                taken.append([[node.outputs for node in each.nodes] for each in claims.groups])
    if taken[0] != taken[1]:
        raise Broken(f"it takes {taken[0]}, and then {taken[1]}, by the outputs of nodes")


@rule("nodes", "the header: Compile", with_model=True)
def compiles_what_it_takes(bench: Bench) -> None:
    """``Compile`` succeeds for what ``GetCapability`` took.

    A node that is taken is not offered to other providers.
    """
    with bench.claims() as claims:
        claims.ep.compile(claims)


@rule("nodes", "the header: ReleaseNodeComputeInfos", with_model=True)
def gives_each_node_an_info(bench: Bench) -> None:
    """``Compile`` gives each fused node an info of its own, with the version of its struct.

    ``ReleaseNodeComputeInfos`` gets all of them, and would get one twice that two nodes share. A
    host reads the fields of an info up to its ``ort_version_supported``, which must not be 0, nor
    more than the library asked ``GetApi`` for. Tried with two sums of matrices of different sizes,
    between which is an operator that no provider knows, or with the model if it does not take both.
    """
    with bench.provider() as ep:
        claims = ep.capability(parted_model())
        if len(claims.groups) < _PARTS:
            claims = claims_of(ep, bench.model())
        with bench.tried("it does not compile what it takes"):
            compiled = ep._compile(claims)
        nodes = compiled.handle.nodes[0 : compiled.handle.node_count]
        infos = [node.info for node in nodes if node.info]
        if len(set(infos)) < len(infos):
            bench.unreleased = compiled  # the provider would release an info twice
            raise Broken("two nodes have one info")
        asked = max(bench.subject.asked, FIRST)
        for info in infos:
            if not FIRST <= info.ort_version_supported <= asked:
                version = info.ort_version_supported
                raise Broken(f"an info declares version {version}; the library asked for {asked}")


@rule("nodes", "the header: graphs are valid during the call", with_model=True)
def uses_no_graph_after_its_call(bench: Bench) -> None:
    """Graphs, nodes, values and their names are not used after the call that they are given to.

    Their memory is closed then: copy names. Nodes that ``Compile`` gets beside the graphs stay.
    """
    lib.ortcffi_close_shown_graphs(1)
    with bench.claims() as claims:
        ep = claims.ep
        _compute(bench, ep.compile(claims))


@rule("nodes", "the header: session_options of CreateEp", with_model=True)
def uses_no_options_after_its_call(bench: Bench) -> None:
    """``CreateEp`` keeps nothing of the session's options.

    The host may release them at once. Here what they were is overwritten.
    """
    with bench.provider() as ep:
        kept = _overwrite_freed()
        with claims_of(ep, bench.model()) as claims:
            _compute(bench, ep.compile(claims))
        del kept


def _overwrite_freed() -> list[Any]:
    """Take blocks of all small sizes from the core's heap, and fill them."""
    allocator = core_api().default_allocator
    arrays = [allocator.empty(n, np.uint8) for n in range(16, _LARGEST, 16) for _ in range(4)]
    for array in arrays:
        array.fill(_FILL)
    return arrays


@rule("results", "ONNX's definition of operators", with_model=True)
def computes_what_others_do(bench: Bench) -> None:
    """It computes what the other engine does, within the tolerance.

    Each part that it takes is called with the inputs that the other engine has for it.
    """
    with bench.compiled() as nodes:
        _check(bench, nodes)


def _check(bench: Bench, nodes: tuple[CompiledNode, ...], others: Any = (), slack: int = 1) -> None:
    """Compare all nodes; a part is not tried if the other engine does not have its inputs."""
    values, (rtol, atol) = bench.values() | dict(others), bench.tolerance
    with _known():
        for node in nodes:
            check_node(node, values, slack * rtol, slack * atol)


def _compute(
    bench: Bench, nodes: tuple[CompiledNode, ...], values: dict[str, Any] | None = None
) -> dict[str, Any]:
    """What the nodes make of the model's values, or of others, by name.

    Whether it is right is another rule.
    """
    given, made = values or bench.values(), dict[str, Any]()
    with _known():
        for node in nodes:
            made |= call_node(node, given)
    return made


def _times(factor: int, values: dict[str, Any]) -> dict[str, Any]:
    return {name: factor * x if x.dtype.kind == "f" else x for name, x in values.items()}


def _expect(found: dict[str, Any], wanted: dict[str, Any], bench: Bench) -> None:
    for name, array in found.items():
        np.testing.assert_allclose(array, wanted[name], *bench.tolerance, err_msg=name)


@contextmanager
def _known() -> Iterator[None]:
    try:
        yield
    except LookupError as error:
        raise NotTried(str(error)) from error


@rule("results", "ONNX's definition of operators", with_model=True)
def computes_anew_in_each_call(bench: Bench) -> None:
    """A result depends on the inputs of its call alone.

    A second call has inputs that are twice as large. Without inputs of floats it is not tried.
    """
    with bench.registered() as registered:
        pair = bench.pair(registered)
        with bench.tried("it does not compile what it takes"):
            nodes, fresh = (ep.compile(ep.capability(bench.model())) for ep in pair)
        given = bench.values()
        names = {name for node in nodes for name in node.inputs if name in given}
        if not any(given[name].dtype.kind == "f" for name in names):
            raise NotTried("no part that it takes has an input of floats")
        _compute(bench, nodes)
        doubled = _times(2, given)
        found = _compute(bench, nodes, doubled)
        _expect(found, _compute(bench, fresh, doubled), bench)


@rule("results", "the header: KernelContext_GetOutput", with_model=True)
def writes_only_its_outputs(bench: Bench) -> None:
    """It writes all of its outputs, nothing beside them, and no input.

    Each part is computed twice, in memory that is guarded, and must give the same bytes.
    """
    with bench.compiled(check=True) as nodes:
        _compute(bench, nodes)


@rule("results", "ONNX's definition of operators", with_model=True)
def computes_other_types_right(bench: Bench) -> None:
    """It computes the element types that it takes, and takes no others.

    Tried with sums of whole numbers and of numbers with 64 bits.
    """
    with bench.provider() as ep:
        for dtype in ("i1", "u1", "i4", "i8", "f8"):
            a, name = np.arange(6).reshape(2, 3).astype(dtype), f"sum of {dtype}"
            with ep.capability(sum_model(dtype, [2, 3])) as claims:
                for node in ep.compile(claims) if claims.groups else ():
                    _expect({name: node(a, a[::-1])[0]}, {name: a + a[::-1]}, bench)


@rule("results", "the header: IsConcurrentRunSupported", with_model=True)
def computes_on_eight_threads(bench: Bench) -> None:
    """Eight threads compute with one provider at the same time.

    Unless ``IsConcurrentRunSupported`` says no. Each thread has inputs of its own.
    """
    with bench.compiled() as nodes:
        assert bench.ep is not None  # noqa: S101  # for the type checker
        struct = bench.ep.handle.ep
        allowed = ffi.new("bool*", True)
        if struct.ort_version_supported >= 24 and struct.IsConcurrentRunSupported:
            function = struct.IsConcurrentRunSupported
            call(core_api().pointer, "IsConcurrentRunSupported", function, struct, allowed)
        if not allowed[0]:
            raise NotTried("IsConcurrentRunSupported answers no")
        _compute_together(bench, nodes, bench.values())
        with bench.ep.capability(sum_model("f4", list(_LARGE))) as claims:
            if claims.groups:
                numbers = np.arange(np.prod(_LARGE), dtype=np.float32).reshape(_LARGE)
                large = {"a": numbers, "b": numbers[::-1].copy()}
                _compute_together(bench, bench.ep.compile(claims), large)


def _compute_together(
    bench: Bench, nodes: tuple[CompiledNode, ...], values: dict[str, Any]
) -> None:
    """Have each thread compute with inputs of its own; compare with what one thread computes."""
    given = [_times(n, values) for n in range(1, _THREADS + 1)]
    alone = [_compute(bench, nodes, each) for each in given]
    together = Barrier(_THREADS)

    def compute(n: int) -> None:
        together.wait(60)
        for _ in range(_RUNS):
            _expect(_compute(bench, nodes, given[n]), alone[n], bench)

    with ThreadPoolExecutor(_THREADS) as pool:
        for task in [pool.submit(compute, n) for n in range(_THREADS)]:
            task.result()


@rule("results", "programs with several sessions", with_model=True)
def computes_after_another_has_ended(bench: Bench) -> None:
    """A provider computes after another one of its library has ended.

    What providers of a library share must stay until the last of them has ended.
    """
    with bench.registered() as registered:
        first, second = bench.pair(registered)
        with claims_of(second, bench.model()) as claims:
            with claims_of(first, bench.model()) as others:
                made = _compute(bench, first.compile(others))
            others.close()
            first.close()
            gc.collect()
            _check(bench, second.compile(claims), made)
        second.close()


def _require_status(error: OrtError) -> None:
    """Refuse an exception of C++: the core makes a status of it, and other hosts need not."""
    if EXCEPTION in error.message:
        raise Broken(f"{error}: answer a status instead")


@rule("results", "ONNX's definition of shapes", with_model=True)
def survives_empty_tensors(bench: Bench) -> None:
    """A tensor without elements is computed or refused.

    Tried with a sum of two matrices whose sizes the model does not state.
    """
    with bench.compiled(open_model()) as (node, *_):
        empty = np.zeros((0, 3), np.float32)
        try:
            (found,) = node(empty, empty)
        except OrtError as error:
            _require_status(error)
            return
    if found.shape != (0, 3):
        raise Broken(f"the sum of two tensors of shape [0, 3] has the shape {list(found.shape)}")


@rule("results", "ONNX's definition of operators", with_model=True)
def refuses_shapes_that_do_not_fit(bench: Bench) -> None:
    """Inputs whose shapes do not fit together are refused with a status.

    Only the provider can check open dimensions. Tried with sums of [2, 3] and [4, 5].
    """
    with bench.compiled(open_model()) as (node, *_):
        try:
            node(np.ones((2, 3), np.float32), np.ones((4, 5), np.float32))
        except OrtError as error:
            _require_status(error)
            return
    raise Broken("it adds tensors of shapes [2, 3] and [4, 5]")


@rule("memory", "the header: who releases what", with_model=True)
def leaves_nothing(bench: Bench) -> None:
    """Nothing is left after a model was compiled and computed.

    The host counts statuses, types and shapes, values, memory infos.
    """

    def work() -> None:
        with bench.compiled(watch=True) as nodes:
            _compute(bench, nodes)

    if left := bench.find_left(work):
        raise Broken(f"it leaves {left}")


@rule("memory", "the header: ReleaseEp, ReleaseNodeComputeInfos", with_model=True)
def gives_its_memory_back(bench: Bench) -> None:
    """A provider that ends gives back the memory that it took.

    What ``malloc`` says is in use grows by less than a kilobyte for each provider that computed.
    """
    with bench.registered() as registered:

        def work() -> None:
            with bench.make(registered) as ep, claims_of(ep, bench.model()) as claims:
                _compute(bench, ep.compile(claims))

        with bench.tried("it does not compute"):
            for _ in range(_WARM):
                work()
        gc.collect()
        if not (before := malloced()):
            raise NotTried("the C library does not say how much memory is in use")
        for _ in range(_TURNS):
            work()
        gc.collect()
        grown = (malloced() - before) / _TURNS
    if grown > _SLACK:
        raise Broken(f"each time {grown / 1024:.1f} KB stay in use")


@rule("memory", "the header: functions that return a status", with_model=True, with_failures=True)
def bears_failures_of_the_host(bench: Bench) -> None:
    """A function of the host may fail: nothing crashes, and no object is left alive.

    Each call that returns a status may fail, for lack of memory for example. Check every status,
    release it, and return one of your own, or do without the result. An exception of C++ must not
    leave the library. Each failing call is tried in a process of its own, from the registration to
    the end of a computation. If that succeeds, its result must be right, within ten times the
    tolerance.
    """
    with suppress(OrtError), bench.compiled() as nodes:
        _check(bench, nodes, slack=10)


@rule("sessions", "ONNX Runtime itself", hosts="real", with_model=True)
def computes_in_a_session(bench: Bench) -> None:
    """A session of the real library computes the same with it as without it.

    Other nodes are the library's own. Graphs are not optimized.
    """
    values = bench.values()
    with bench.registered() as registered:
        if not registered.devices:
            raise NotTried("it lists no device on this hardware")
        providers = [(registered.devices[0], bench.subject.options)]
        options = SessionOptions(bench.api, optimization_level=OptimizationLevel.DISABLE_ALL)
        with options, Session(bench.model(), options, providers=providers) as session:
            wanted = {spec.name: values[spec.name] for spec in session.inputs}
            found = session.run(wanted)
            names = [spec.name for spec in session.outputs]
    _expect(dict(zip(names, found, strict=True)), values, bench)
