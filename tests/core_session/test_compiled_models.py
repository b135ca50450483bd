# SPDX-License-Identifier: MIT
"""Models compiled ahead of time for an execution provider, and sessions of these.

Where their weights go is the subject of test_compiled_weights.py.
"""

import os
from contextlib import contextmanager, nullcontext

import numpy as np
import pytest
from support.contexts import EXPECTED, X, compile_for, run, said
from support.graphs import graph_of
from support.prepared import run_program
from support.releases import needs_release

import ortcffi as ort

pytestmark = needs_release(31, "functions for the data of compiled models")


def test_a_model_is_compiled_to_bytes_that_run(api, model, options_for):
    made = compile_for(model, options_for(api))
    assert said() == "enable=1;embed=1;path= compile context compile context"
    with ort.Model.load(made) as read:
        assert [node.op_type for node in read.graph.nodes] == ["EPContext", "Negate", "EPContext"]
        assert list(read.graph.initializers) == []
        assert read.opsets["com.microsoft"] == 1
        found = read.graph.nodes[0].attributes
    assert [found[name] for name in ("main_context", "embed_mode", "max_size")] == [1, 1, 0]
    assert run(made, options_for(api)) == EXPECTED
    assert said().endswith("open open")


def test_without_compilation_only_a_compiled_model_runs_and_without_the_cpu_none(
    api, model, options_for
):
    config = {"session.disable_model_compile": "1"}
    with pytest.raises(ort.errors.ModelRequiresCompilation):
        run(model, options_for(api, config=config))
    options = options_for(api)
    compiled = compile_for(model, options)
    assert run(compiled, options_for(api, config=config)) == EXPECTED
    with pytest.raises(ort.errors.Fail, match="CPU"):
        run(model, options_for(api, config={"session.disable_cpu_ep_fallback": "1"}))


def test_a_compiled_file_has_its_data_beside_it(api, model, options_for, tmp_path):
    (tmp_path / "in.onnx").write_bytes(model)
    out = tmp_path / "out.onnx"
    ort.compile_model(tmp_path / "in.onnx", out, options=options_for(api), api=api)
    assert said() == f"enable=1;embed=;path={out} compile context store compile context store"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("context_0.bin", "context_1.bin", "in.onnx", "out.onnx")
    ]
    assert run(out, options_for(api)) == EXPECTED
    assert said().endswith("open load open load")


def test_the_data_of_a_provider_goes_to_a_function_and_comes_from_one(api, model, options_for):
    kept = {}
    made = ort.compile_model(
        model,
        options=options_for(api),
        embed_ep_context=False,
        ep_context_writer=kept.__setitem__,
        api=api,
    )
    assert {name: np.frombuffer(data, "f4").tolist() for name, data in kept.items()} == {
        "context_0.bin": [1, 1, 1],
        "context_1.bin": [2, 2, 2],
    }
    options = options_for(api, ep_context_reader=kept.__getitem__)
    assert run(made, options) == EXPECTED


def test_a_session_compiles_beside_its_model(api, model, options_for, tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(model)
    asked = {"ep.context_enable": "1", "ep.context_embed_mode": "1"}
    assert run(path, options_for(api, config=asked)) == EXPECTED
    assert said().endswith("compile context compile context")
    assert run(tmp_path / "model_ctx.onnx", options_for(api)) == EXPECTED
    with pytest.raises(ort.OrtError, match="exists already"):
        run(path, options_for(api, config=asked))
    named = {**asked, "ep.context_file_path": str(tmp_path / "named.onnx")}
    assert run(model, options_for(api, config=named)) == EXPECTED
    assert run(tmp_path / "named.onnx", options_for(api)) == EXPECTED


def test_a_custom_op_may_be_called_constant(core_api, options_for):
    """On the core: ONNX Runtime takes it for the operator of ONNX, and refuses the model."""

    @ort.custom_op("constants", name="Constant", inputs=["f4"], outputs=["f4"], op_set=None)
    def constant(x):
        return x + 5

    nodes = "h = Add x w; y = constants.Constant h"
    graph = graph_of("x f4[3]", nodes, "y f4[3]", w=np.ones(3, np.float32))
    options = options_for(core_api)
    with ort.CustomOpDomain("constants", core_api) as domain:
        domain.add(constant)
        options.add_custom_op_domain(domain)
    made = compile_for(graph.to_bytes(), options)
    with ort.Session(made, options, api=core_api) as session:
        assert session.run({"x": X})[0].tolist() == [7, 8, 9]


@needs_release(32, "files that compiled models need")
@pytest.mark.parametrize("embeds", [True, False])
@pytest.mark.parametrize("has_file", [True, False])
def test_a_compiled_model_says_which_files_it_needs(api, options_for, tmp_path, embeds, has_file):
    settings = {"external_initializers": "w.bin", "external_threshold": 0} if has_file else {}
    ones, target = np.ones(3, np.float32), tmp_path / "out.onnx"
    graph = graph_of("x f4[3]", "h = Add x w; y = Sub h v", "y f4[3]", w=ones, v=ones)
    settings |= {"options": options_for(api), "embed_ep_context": embeds}
    ort.compile_model(graph.to_bytes(), target, api=api, **settings)
    needed = ["external_weights"] * has_file + ["ep_context_binary"] * (not embeds)
    with ort.Model.load(target) as read:
        assert read.metadata.custom["external_dependencies"] == ";".join(needed)


@pytest.mark.parametrize("name", ["out", ".onnx", "a.b/out"])
def test_a_compiled_model_needs_a_name_with_an_extension(api, model, options_for, tmp_path, name):
    (tmp_path / "a.b").mkdir()
    with pytest.raises(ort.errors.InvalidArgument, match="should not point to a folder"):
        ort.compile_model(model, tmp_path / name, options=options_for(api), api=api)
    assert [path.name for path in tmp_path.rglob("*")] == ["a.b"]


EXTERNAL = "ep.context_model_external_initializers_file_name"


@pytest.fixture
def stays() -> bytes:
    """y = x + v, which the provider takes, and v, which stays in the compiled model."""
    graph = graph_of("x f4[3]", "y = Add x v", "y f4[3], v f4[3]", v=np.full(3, 2, np.float32))
    return graph.to_bytes()


@pytest.mark.parametrize("by_session", [False, True])
def test_an_entry_names_the_file_of_initializers(api, stays, options_for, tmp_path, by_session):
    target = tmp_path / "out.onnx"
    options = options_for(api, config={EXTERNAL: "w.bin"})
    if by_session:
        options.config.update({"ep.context_enable": "1", "ep.context_file_path": str(target)})
        ort.Session(stays, options, api=api).close()
    else:
        compile_for(stays, options, target)
    assert (tmp_path / "w.bin").read_bytes() == np.full(3, 2, np.float32).tobytes()
    with ort.Session(target, options_for(api), api=api) as session:
        assert [y.tolist() for y in session.run(x=X)] == [[3, 4, 5], [2, 2, 2]]


@pytest.mark.parametrize(
    "case",
    [(name, by_entry) for name in ("/w.bin", "../w.bin") for by_entry in (False, True)],
    ids=str,
)
def test_a_file_of_initializers_that_no_session_reads_is_refused(
    api, stays, options_for, tmp_path, case
):
    name, by_entry = case
    is_made = name == "../w.bin" and not api.is_core  # by ONNX Runtime, which then refuses it
    (tmp_path / "a").mkdir()
    target = tmp_path / "a/out.onnx"
    where = str(tmp_path) + name if name == "/w.bin" else name
    options = options_for(api, config={EXTERNAL: where} if by_entry else {})
    settings = {} if by_entry else {"external_initializers": where, "external_threshold": 0}
    refused = (ort.errors.InvalidArgument, ort.errors.Fail)
    with nullcontext() if is_made else pytest.raises(refused):
        compile_for(stays, options, target, **settings)
    if is_made:
        with pytest.raises(refused):
            ort.Session(target, options_for(api), api=api)
    made = {path.name for path in tmp_path.rglob("*")}
    assert made == ({"a", "out.onnx", "w.bin"} if is_made else {"a"})


def test_a_provider_marks_what_it_has_compiled(api, model, options_for):
    def marks(source, options):
        made = compile_for(source, options)
        with ort.Model.load(made) as read:
            entries = read.metadata.custom
        entries.pop("external_dependencies", None)
        return entries

    options = options_for(api)
    ((key, mark),) = marks(model, options).items()
    assert (key[: len(PREFIX)], mark) == (PREFIX, "of context_ep")
    with ort.Model.load(model) as read:
        graph = read.edit()
    graph.metadata.update({"other": "kept", key: "of another"})
    assert marks(graph.to_bytes(), options) == {"other": "kept", key: "of context_ep"}
    for words in ("empty-mark", *(["null-mark"] if api.is_core else [])):  # ORT crashes at NULL
        assert marks(model, options_for(api, words)) == {}


PREFIX = "ep_compatibility_info.contexts-"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({}, "ep.context_file_path"),
        ({"ep.context_file_path": "/tmp/"}, "context_file_path should not point to a folder"),
        ({"ep.context_file_path": "/tmp/a.b/c"}, "context_file_path should not point to a folder"),
    ],
)
def test_a_session_of_bytes_needs_the_path_of_a_file(api, model, options_for, config, words):
    config = {"ep.context_enable": "1", **config}
    with pytest.raises(ort.OrtError, match=words):
        run(model, options_for(api, config=config))


REASONS = {
    "no-contexts": "returned a NULL EPContext node",
    "no-compile": "it does not compile",
    "other-op": "EPContext|Unrecognized attribute",
    "other-names": "outputs|must be either specified",
    "other-inputs": "Node input 'nowhere' is not a graph input|must be either specified",
    "renamed": "must have the name of the node|an invalid node while compiling",
}


@pytest.mark.parametrize("words", REASONS)
def test_a_provider_that_does_not_compile_fails_it(api, model, options_for, words, tmp_path):
    target = tmp_path / "out.onnx"
    options = options_for(api, words)
    with pytest.raises(ort.OrtError, match=REASONS[words]):
        compile_for(model, options, target)
    assert not target.exists()


def test_a_writer_is_refused_by_a_provider_that_does_not_call_it(api, model, options_for):
    with pytest.raises(ort.OrtError, match="does not support the registered EPContext data write"):
        ort.compile_model(
            model, options=options_for(api, "no-functions"), ep_context_writer=pytest.fail, api=api
        )


def test_without_its_provider_a_compiled_model_names_the_node(api, model, options_for):
    made = compile_for(model, options_for(api))
    words = "not compatible with any execution provider"
    with pytest.raises(ort.errors.NotImplemented, match=words):
        run(made, options_for(api, None))


def test_a_model_without_a_node_to_compile_is_as_it_was(api, tmp_path):
    graph = graph_of("x f4[3]", "y = Neg x", "y f4[3]")
    flags = ort.CompileFlags.ERROR_IF_NO_NODES_COMPILED
    made = ort.compile_model(graph.to_bytes(), api=api)
    with ort.Model.load(made) as read:
        assert [node.op_type for node in read.graph.nodes] == ["Neg"]
    with pytest.raises(ort.OrtError, match="Unable to compile any nodes"):
        ort.compile_model(graph.to_bytes(), flags=flags, api=api)
    with pytest.raises(ort.OrtError, match="path does not exist"):
        ort.compile_model(tmp_path / "nothing.onnx", api=api)


def test_a_file_that_exists_is_replaced_unless_that_is_refused(api, model, options_for, tmp_path):
    target = tmp_path / "out.onnx"
    target.write_bytes(b"precious")
    flags = ort.CompileFlags.ERROR_IF_OUTPUT_FILE_EXISTS
    with pytest.raises(ort.OrtError, match="exists already"):
        ort.compile_model(model, target, flags=flags, options=options_for(api), api=api)
    assert target.read_bytes() == b"precious"
    compile_for(model, options_for(api), target)
    assert run(target, options_for(api)) == EXPECTED


@contextmanager
def files_of_at_most(size):
    """A disk that is full, for each file that is longer."""
    resource = pytest.importorskip("resource")
    _, most = before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(os.name == "nt", reason="needs a privilege for symbolic links")
def test_files_of_other_processes_stay_that_have_the_same_number(tmp_path):
    # In a new process, whose files have the first numbers.
    code = """
import os, sys
import ortcffi as ort
for number in range(3):
    os.symlink("other", f".ortcore.{os.getpid()}.{number}")
graph = ort.Graph()
graph.output(graph.input("x", "f4", [1]))
ort.compile_model(graph.to_bytes(), "out.onnx", api=ort.core_api())
print(*sorted(name.rpartition(".")[2] for name in os.listdir()))
"""
    assert run_program(code, cwd=tmp_path).stdout == "0 1 2 onnx\n"


@pytest.mark.parametrize("where", [{}, {"external_initializers": "w.bin"}])
def test_files_that_exist_stay_where_the_new_ones_cannot_be_written(core_api, tmp_path, where):
    graph = graph_of("x f4[1000]", "y = Mul x w", "y f4[1000]", w=np.arange(1000, dtype=np.float32))
    there = {"out.onnx": b"precious", "w.bin": b"weights"}
    for name, content in there.items():
        (tmp_path / name).write_bytes(content)
    with (
        files_of_at_most(2000),
        pytest.raises(ort.OrtError, match=r"the model cannot be written to '.*(out.onnx|w.bin)'"),
    ):
        ort.compile_model(graph.to_bytes(), tmp_path / "out.onnx", api=core_api, **where)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == there
    ort.compile_model(graph.to_bytes(), tmp_path / "out.onnx", api=core_api, **where)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.onnx", "w.bin"]


def test_options_that_change_the_model_are_in_the_compiled_one(core_api, options_for):
    graph = graph_of(
        "x f4[n]",
        "h = Add x w; c = Constant(value_floats=[1.0, 1.0, 1.0]); k = Mul h u; y = Mul k c",
        "y f4[n]",
        w=np.ones(3, np.float32),
        u=np.ones(3, np.float32),
    )
    options = options_for(core_api)
    options.fix_dimension("n", 3)
    for name in "wuc":
        options.add_initializer(name, ort.Value.from_numpy(np.full(3, 5, np.float32), api=core_api))
    made = compile_for(graph.to_bytes(), options)
    with ort.Model.load(made) as read:
        assert str(read.graph["x"].type) == "tensor(float[3])"
        assert read.graph.initializers["u"].tolist() == [5, 5, 5]
        assert read.graph.initializers["c"].tolist() == [5, 5, 5]
        assert all(node.op_type != "Constant" for node in read.graph.nodes)
        context = read.graph.nodes[0].attributes["ep_cache_context"]
    assert np.frombuffer(context.encode() if isinstance(context, str) else context, "f4")[0] == 5
