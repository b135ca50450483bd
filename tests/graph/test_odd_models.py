# SPDX-License-Identifier: MIT
"""Odd and damaged models: what the package onnx and onnxruntime take, `Model` and the core take.

``tests/fuzz/odd_models.zip`` has the models, and in ``expected.tsv`` what the two packages do with
each: whether it can be parsed, and whether a session can be made.
"""

import zipfile

import pytest
from support.paths import CHECKOUT

import ortcffi as ort

pytest.importorskip("onnx")  # computes the nodes
ODD = zipfile.ZipFile(CHECKOUT / "tests/fuzz/odd_models.zip")
LINES = ODD.read("expected.tsv").decode().splitlines()
ROWS = [line.split("\t") for line in LINES if not line.startswith("#")]
FILES = {name: (parsed, session) for name, parsed, _, session in ROWS}

AT_RUN = "the core infers no shapes: what is wrong with the node, onnx.reference says in the run"
FEWER = "the tensor has less than its shape says, and is refused before it is read"
NAMELESS = "a name ends with a zero byte in C, or is missing: nobody could ask for the value"
OTHERWISE = {
    "crafted_concat_axis": AT_RUN,
    "crafted_conv_rank": AT_RUN,
    "crafted_div_min_-1": "the process of onnxruntime ends",
    "crafted_div_zero_int": AT_RUN,
    "crafted_gather_axis": AT_RUN,
    "crafted_transpose_perm_neg": AT_RUN,
    "dims_string_231": FEWER,
    "lack_segment": "segments of tensors are not read; onnxruntime ignores that there are some",
    "wire_empty_graph": "a graph without nodes and outputs runs, and computes nothing",
    "wire_input_no_name": NAMELESS,
    "wire_ir_0": "the version of the format is missing",
    "wire_nul_in_name": NAMELESS,
    "wire_ref_attr_outside": "no provider takes the node, whose attribute has no value",
}
"""Why the core takes what onnxruntime refuses, or the reverse."""

LACKING = "all that a graph lacks is an invalid graph"
OTHER_CODES = {
    "dims_fp4_huge": "its weights are looked at before the types of its node",
    "function_bomb_30": "the session of onnxruntime is never made",
    "function_deep_500": "nested functions are a matter of the graph",
    "lack_dt0": LACKING,
    "lack_dt99": LACKING,
    "lack_dt_huge": LACKING,
    "lack_dt_neg": LACKING,
    "wire_elem_type_0": LACKING,
    "wire_elem_type_99": LACKING,
    "wire_empty": LACKING,
    "wire_invalid_utf8_op": "onnxruntime's error is no text",
    "wire_no_graph": LACKING,
    "wire_only_ir": LACKING,
}
"""Why the core refuses with another code."""


def read(content: bytes) -> None:
    """Read all that a model has."""
    model = ort.Model.load(content)
    graph = model.graph
    for node in graph.nodes:
        assert isinstance(node.attributes, dict)
    assert all(graph.initializers[name] is not None for name in graph.initializers)
    assert all(function.graph.nodes is not None for function in model.functions)
    model.to_bytes()


def takes(action) -> bool:
    """Whether a call does something; otherwise its error is one for wrong models."""
    try:
        action()
    except (ort.OrtError, ValueError):
        return False
    return True


def make_session(content: bytes) -> None:
    ort.Session(content, providers=["reference"], api=ort.core_api()).close()


@pytest.mark.parametrize("name", FILES)
def test_a_model_is_taken_or_refused_as_by_others(name):
    content, (parsed, session) = ODD.read(name), FILES[name]
    if parsed != "parsed":
        with pytest.raises((ort.errors.InvalidProtobuf, ort.errors.InvalidArgument)):
            read(content)
    reason = OTHERWISE.get(name.removesuffix(".onnx"))
    is_official = session == "session"
    assert takes(lambda: make_session(content)) == (
        is_official if reason is None else not is_official
    )
    if is_official and reason is None:
        read(content)
    if not is_official and reason is None and name.removesuffix(".onnx") not in OTHER_CODES:
        with pytest.raises(getattr(ort.errors, session.removeprefix("refused "))):
            make_session(content)
