# SPDX-License-Identifier: MIT
"""Runs: what they take, what they refuse before the library is called, and what they return."""

import mmap
from collections import UserDict

import numpy as np
import pytest
from support import models
from support.graphs import graph_of
from support.processes import fork
from support.releases import needs_release
from support.threads import run_threads

import ortcffi as ort
from ortcffi.errors import InvalidArgument


@pytest.fixture
def two(opened):
    return opened(models.two_inputs())


def test_outputs_are_arrays_over_the_librarys_memory(opened, x):
    session = opened(models.add())
    first, second = session.run({"x": x})[0], session.run({"x": x + 1})[0]
    assert isinstance(first.base, ort.Value)
    assert first.flags.writeable
    assert first.tolist() == [[2, 4, 6, 8]]
    assert second.tolist() == [[4, 6, 8, 10]]


def test_inputs_are_given_by_mapping_by_keyword_or_both(two):
    a, b = np.arange(3), np.ones(3, np.int64)
    for results in (two.run({"a": a, "b": b}), two.run(a=a, b=b), two.run({"a": a}, b=b)):
        assert [y.tolist() for y in results] == [[1, 2, 3], [-1, 0, 1]]


@pytest.mark.parametrize("names", [["d", "s", "d"], ("d", "s", "d"), iter("dsd")])
def test_outputs_come_in_the_order_asked_for(two, names):
    d, s, again = two.run({"a": np.arange(2), "b": np.arange(2)}, outputs=names)
    assert [d.tolist(), s.tolist(), again.tolist()] == [[0, 0], [0, 2], [0, 0]]


def test_outputs_are_written_to_arrays_of_the_callers(two):
    a = np.arange(4)
    target = np.zeros(4, np.int64)
    s, d = two.run(a=a, b=a, out={"s": target})
    assert s is target
    assert target.tolist() == [0, 2, 4, 6]
    assert d.tolist() == [0] * 4


def test_values_are_taken_and_returned(opened, x, real_api):
    session = opened(models.add())
    for api in (real_api, ort.core_api()):
        with ort.Value.from_numpy(x, api=api) as value:
            (y,) = session.run_values({"x": value})
        assert isinstance(y, ort.Value)
        assert y.numpy().tolist() == [[2, 4, 6, 8]]


@pytest.mark.parametrize(
    "made",
    [
        lambda x: x.tolist(),
        lambda x: np.asfortranarray(np.stack([x, x], 1))[:, 0],
        lambda x: x[:, ::-1][:, ::-1],
        lambda x: x.astype(">f4"),
        lambda x: np.frombuffer(b"0" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(1, 4),
        memoryview,
        lambda _: [[1, 2.0, 3, np.float32(4)]],
    ],
)
def test_what_cannot_be_borrowed_is_converted(opened, x, made):
    assert opened(models.add()).run({"x": made(x)})[0].tolist() == [[2, 4, 6, 8]]


@pytest.mark.parametrize(
    "kind", [object, "U", np.dtypes.StringDType() if hasattr(np.dtypes, "StringDType") else object]
)
def test_strings_go_in_and_out(opened, kind):
    texts = [["", "a\0b", "ü", "long " * 9]]
    (y,) = opened(models.identity("str")).run({"x": np.array(texts, kind)})
    assert y.dtype == object
    assert y.tolist() == texts


@pytest.mark.parametrize(("given", "shape"), [([], (0,)), ([[], []], (2, 0))])
def test_a_list_without_elements_is_one_of_strings(opened, given, shape):
    (y,) = opened(models.identity("str", None)).run(x=given)
    assert (y.dtype, y.shape) == (np.dtype(object), shape)


@needs_release(23, "casts to int4")
def test_elements_that_share_bytes_come_unpacked(opened):
    pytest.importorskip("ml_dtypes")
    node = models.node("Cast", "x", "y", to=models.ELEMENTS["int4"])
    ports = [models.value("x", shape=[3])], [models.value("y", "int4", [3])]
    (y,) = opened(models.model([node], *ports, opset=21)).run(x=[1.0, -2.0, 3.0])
    assert y.dtype.name == "int4"
    assert y.tolist() == [1, -2, 3]


def same_sequence() -> bytes:
    """y = x, a sequence of tensors of float32."""
    kind = models.sequence_type(models.tensor_type("float32", None))
    ports = [models.value_info("x", kind)], [models.value_info("y", kind)]
    return models.model([models.node("Identity", "x", "y")], *ports)


def test_a_sequence_goes_in_and_out(opened):
    session = opened(same_sequence())
    assert session.inputs[0].kind is ort.ValueKind.SEQUENCE
    arrays = [np.ones(2, np.float32), np.zeros(1, np.float32)]
    assert session.run(x=arrays) == [[[1, 1], [0]]]
    for wrong in (5, np.ones(2, np.float32), "text", {"a": 1}):
        with pytest.raises(TypeError, match="input 'x' must be a list of arrays"):
            session.run(x=wrong)


@pytest.mark.parametrize("given", [[[1, 2], 3], ([1, 2], 3), {0: [1, 2], 1: 3}.values()])
def test_a_sequence_may_be_given_as_lists_and_numbers(opened, given):
    session = opened(same_sequence())
    assert session.run(x=given) == [[[1, 2], 3]]
    with pytest.raises(InvalidArgument, match="float"):
        session.run(x=[np.ones(2)])
    with pytest.raises(ValueError, match="input 'x': item 1 cannot be made an array"):
        session.run(x=[1, [[1], [2, 3]]])


def test_an_empty_sequence_is_made_once(opened, real_api, monkeypatch):
    options = ort.SessionOptions(real_api, intra_op_threads=1)
    sessions = [opened(same_sequence(), options) for _ in range(2)]
    assert sessions[0].run(x=[]) == [[]]
    monkeypatch.setattr("ortcffi.session.empty._make", None)
    results = []
    run_threads(*[lambda: results.append(sessions[1].run(x=[]))] * 4)
    assert results == [[[]]] * 4
    with sessions[0].bind(x=[]) as bound:
        bound.run()
        bound.run()
    assert fork(lambda: sessions[0].run(x=[]) == [[]]) == 0


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("feed", "message"),
    [
        ({}, "input 'x' is missing: the model wants float[1, 4]"),
        ({"X": 0}, "there is no input 'X'; the model has 'x'"),
        (
            {"x": np.ones((1, 4), complex)},
            (
                "input 'x' is complex128[1, 4]; the model wants float[1, 4]: "
                "cast it with .astype(numpy.float32)"
            ),
        ),
        (
            {"x": np.full((1, 4), 1e300)},
            "input 'x' has 1e+300, which float32 cannot hold; the model wants float[1, 4]",
        ),
        (
            {"x": np.ones(4, np.float32)},
            "input 'x' is float[4] with 1 dimensions; the model wants float[1, 4] with 2",
        ),
        (
            {"x": np.ones((1, 5), np.float32)},
            (
                "input 'x' is float[1, 5], whose dimension 1 is 5; "
                "the model wants float[1, 4], where it is 4"
            ),
        ),
        (
            {"x": np.array([["a"] * 4])},
            "input 'x' is string[1, 4]; the model wants float[1, 4]",
        ),
        (
            {"x": np.array([[1, 2, 3, "4"]], object)},
            (
                "input 'x' is an array of Python objects; the model wants float[1, 4]; "
                "element [0, 3] is '4', which is no number"
            ),
        ),
        (
            {"x": [[1, 2, None, 4]]},
            (
                "input 'x' is an array of Python objects; the model wants float[1, 4]; "
                "element [0, 2] is None, which is no number"
            ),
        ),
        (
            {"x": np.array([[1, 2, 3, 4]], object)},
            (
                "input 'x' is an array of Python objects; "
                "the model wants float[1, 4]: cast it with .astype(numpy.float32)"
            ),
        ),
        (
            {"x": [[1, 2, 1e300, 4]]},
            "input 'x' has 1e+300, which float32 cannot hold; the model wants float[1, 4]",
        ),
    ],
)
def test_an_error_says_which_input_what_it_is_and_what_the_model_wants(opened, feed, message):
    with pytest.raises(InvalidArgument) as caught:
        opened(models.add()).run(feed)
    assert str(caught.value) == message
    assert caught.value.code is ort.ErrorCode.INVALID_ARGUMENT


def test_numbers_are_no_strings(opened):
    with pytest.raises(InvalidArgument, match=r"^input 'x' is int64\[2\]; .* wants string\[n\]$"):
        opened(models.identity("str", ["n"])).run(x=[1, 2])


def test_a_name_that_is_nearly_right_is_suggested(opened):
    node = models.node("Identity", "image", "label")
    session = opened(models.model([node], [models.value("image")], [models.value("label")]))
    with pytest.raises(InvalidArgument, match=r"no input 'imag': did you mean 'image'\?"):
        session.run(imag=1)
    hint = r"no output 'labels': did you mean 'label'\? The model has 'label'$"
    with pytest.raises(InvalidArgument, match=hint):
        session.run({"image": 1.0}, ["labels"])


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((5,), {}, "feed must be a mapping, not int"),
        (({1: 2},), {}, "the name of an input must be a str, not 1"),
        (({}, "y"), {}, r"outputs must be a list of names, not a str: write \['y'\]"),
        (({}, 5), {}, "outputs must be a list of names, not int"),
        ((None, {"x": 1}), {}, r"inputs come first, as in run\(inputs, outputs\)"),
        ((["y"], {"x": 1}), {}, r"inputs come first, as in run\(inputs, outputs\)"),
        (({}, [], 5), {}, "feed and outputs by position"),
        (({"x": 1},), {"x": 1}, "input 'x' was given twice"),
        (({"x": 1},), {"feed": {}}, "feed was given twice"),
        (({},), {"out": 5}, "out must be a mapping of output names to arrays, not int"),
        (({},), {"options": 5}, "options must be RunOptions, not int"),
        (({},), {"timeout": "soon"}, "timeout must be a number of seconds"),
        (({},), {"timeout": bytearray(b"soon")}, "timeout must be a number of seconds"),
        (({"x": None},), {}, r"input 'x' must be an array of float.*, not NoneType"),
        (({"x": {}},), {}, r"input 'x' must be an array of float.*, not dict"),
        (({"x": np.ma.ones(())},), {}, "input 'x' must not be masked"),
        (({"x": np.ndarray},), {}, "input 'x' must be an array, not the class ndarray"),
        (({"x": np.ones((), "M8[s]")},), {}, "input 'x': tensors have no elements of dtype"),
    ],
)
def test_arguments_of_wrong_types_are_named(opened, arguments, keywords, message):
    session = opened(models.identity(shape=()))
    good = {"x": np.float32(1)} if not arguments or arguments[0] == {} else {}
    with pytest.raises(TypeError, match=message):
        session.run(
            *([{**arguments[0], **good}] if good else arguments[:1]), *arguments[1:], **keywords
        )


class KeysThatLie(UserDict):
    """A mapping with a key that it has no value for."""

    def __iter__(self):
        return iter(["x", "nothing"])


def test_inputs_that_cannot_be_what_they_say_are_refused(opened, x):
    session = opened(models.add())
    with pytest.raises(InvalidArgument, match=r"input 'x' cannot be made an array: .*inhomog"):
        session.run(x=[[1, 2], [3]])
    with pytest.raises(ValueError, match="feed has the key 'nothing' and no value for it"):
        session.run(KeysThatLie(x=x))
    with pytest.raises(TypeError, match="inputs must be a mapping, not list"):
        session.bind([x])


def test_bytes_of_a_model_that_are_closed_are_named(tmp_path):
    (tmp_path / "model.onnx").write_bytes(models.add())
    with (tmp_path / "model.onnx").open("rb") as file:
        closed = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    closed.close()
    with pytest.raises(ValueError, match="model: mmap closed"):
        ort.Session(closed)


def test_a_target_that_does_not_fit_is_named(opened, x):
    session = opened(models.add())
    readonly = np.zeros((1, 4), np.float32)
    readonly.flags.writeable = False
    for target, message in [
        (np.zeros((1, 4)), r"out\['y'\] is double"),
        (np.zeros((2, 4), np.float32), r"out\['y'\] is float\[2, 4\], whose dimension 0"),
        (readonly, r"out\['y'\] is read-only"),
        (np.zeros((1, 8), np.float32)[:, ::2], "not C-contiguous"),
    ]:
        with pytest.raises(ValueError, match=message):
            session.run({"x": x}, out={"y": target})
    with pytest.raises(TypeError, match=r"out\['y'\] must be an ndarray or a Value, not list"):
        session.run({"x": x}, out={"y": [1]})
    with pytest.raises(InvalidArgument, match="there is no output 'z'"):
        session.run({"x": x}, out={"z": x})


def test_a_closed_value_is_refused(opened, x, real_api):
    value = ort.Value.from_numpy(x, api=real_api)
    value.close()
    session = opened(models.add())
    with pytest.raises(ValueError, match="input 'x' is a Value that is closed"):
        session.run({"x": value})
    with pytest.raises(ValueError, match=r"out\['y'\] is a Value that is closed"):
        session.run({"x": x}, out={"y": value})


def test_a_value_of_another_kind_is_refused(opened, real_api):
    with (
        ort.Value.sequence([np.ones(1)], api=real_api) as value,
        pytest.raises(InvalidArgument, match=r"input 'x' is a sequence; the model wants float"),
    ):
        opened(models.add()).run({"x": value})


def test_an_error_of_the_library_is_typed_and_leaves_the_session_usable(opened):
    session = opened(graph_of("x f4[n], shape i8[1]", "y = Reshape x shape", "y f4[m]"))
    x = np.ones(4, np.float32)
    with pytest.raises(ort.OrtError) as caught:
        session.run(x=x, shape=np.array([3]))
    assert caught.value.function == "Run"
    assert session.run(x=x, shape=np.array([4]))[0].tolist() == [1] * 4


def test_run_options_of_either_library_are_taken(opened, x, real_api):
    session = opened(models.add())
    for api in (real_api, ort.core_api()):
        with ort.RunOptions(api, tag="mine") as options:
            assert session.run({"x": x}, options=options)[0].tolist() == [[2, 4, 6, 8]]


def test_many_inputs_and_outputs_need_no_less_care(opened):
    names = [f"x{i}" for i in range(40)]
    nodes = [models.node("Identity", f"x{i}", f"y{i}") for i in range(40)]
    ports = [[models.value(f"{side}{i}", "int64", [1]) for i in range(40)] for side in "xy"]
    session = opened(models.model(nodes, *ports))
    feed = {name: np.array([i]) for i, name in enumerate(names)}
    assert [int(y[0]) for y in session.run(feed)] == list(range(40))
    assert [int(y[0]) for y in session.run(**feed)] == list(range(40))
    del feed["x39"]
    with pytest.raises(InvalidArgument, match="input 'x39' is missing"):
        session.run(feed)


def test_an_array_that_frees_itself_while_it_is_converted_is_kept(opened):
    class Sly:
        """Drops itself out of the feed in the middle of its conversion."""

        def __dlpack__(self, **keywords):
            feed.clear()
            return np.ones((1, 4), np.float32).__dlpack__()

        def __dlpack_device__(self):
            return (1, 0)

    feed = {"x": Sly()}
    assert opened(models.add()).run(feed)[0].tolist() == [[2] * 4]


# --- arrays at the same place in memory -----------------------------------------------------------


def test_each_run_sees_what_the_array_holds_then(opened, x):
    session = opened(models.add())
    for number in range(5):
        x[:] = number
        assert session.run({"x": x})[0].tolist() == [[2 * number] * 4]


def test_arrays_of_other_shapes_at_the_same_place_keep_their_shape(opened):
    session = opened(models.identity(shape=None))
    memory = np.arange(4, dtype=np.float32)
    for shape in [(4,), (2, 2), (4,), (1, 2, 2), (4, 1), (1, 4)] * 2:
        (y,) = session.run({"x": memory.reshape(shape)})
        assert y.shape == shape
        assert y.ravel().tolist() == [0, 1, 2, 3]
    for count in (4, 2, 0, 4):
        assert session.run({"x": memory[:count]})[0].tolist() == memory[:count].tolist()
    assert session.run({"x": memory[0:1].reshape(())})[0] == 0


def test_a_refused_run_leaves_the_next_right_with_one_array_for_two_inputs(
    opened,
):
    session = opened(models.two_inputs())
    a = np.array([1, 2], np.int64)
    for _ in range(3):
        with pytest.raises(ort.errors.InvalidArgument, match="missing"):
            session.run({"a": a})
        assert [y.tolist() for y in session.run(a=a, b=a)] == [[2, 4], [0, 0]]


def test_a_session_keeps_no_array_and_takes_no_timeout_that_is_no_time(opened):
    session = opened(models.add())
    a = np.ones((1, 4), np.float32)
    session.run({"x": a})
    a.resize((2, 4))  # refused where somebody refers to the array
    for seconds in (-1, float("nan")):
        with pytest.raises(ValueError, match="timeout must be 0 or more seconds"):
            session.run({"x": a[:1]}, timeout=seconds)


# --- memory that a run would read and write -------------------------------------------------------

MEMORY = np.arange(12, dtype=np.float32)
OVERLAPS = {
    "an output begins in the input": (MEMORY[:8], MEMORY[4:]),
    "an output begins before the input": (MEMORY[4:], MEMORY[:8]),
}


@pytest.fixture
def doubles(opened):
    return opened(models.add(shape=["n"]))


@pytest.mark.parametrize("way", ["run", "bound", "value"])
@pytest.mark.parametrize("case", OVERLAPS)
def test_an_output_in_the_midst_of_an_input_is_refused(doubles, real_api, case, way):
    x, y = OVERLAPS[case]
    value = ort.Value.from_numpy(y, api=real_api)
    ways = {
        "bound": doubles.bind(x=x, y=y).run,
        "run": lambda: doubles.run(x=x, out={"y": y}),
        "value": lambda: doubles.run(x=x, out={"y": value}),
    }
    with pytest.raises(ort.errors.InvalidArgument, match="output 'y' overlaps that of input 'x'"):
        ways[way]()
    assert MEMORY.tolist() == list(range(12))


def test_an_output_may_be_the_input_itself_or_lie_beside_it(doubles):
    x = np.ones(8, np.float32)
    doubles.run(x=x, out={"y": x})
    assert x.tolist() == [2] * 8
    doubles.bind(x=x[:4], y=x[4:]).run()
    assert x.tolist() == [2] * 4 + [4] * 4


def test_two_outputs_in_one_memory_are_refused(opened):
    session = opened(graph_of("x f4[4]", "y = Neg x; z = Abs x", "y f4[4], z f4[4]"))
    x, y = np.ones(4, np.float32), np.empty(4, np.float32)
    with pytest.raises(ort.errors.InvalidArgument, match="output 'y' overlaps that of output 'z'"):
        session.run(x=x, out={"y": y, "z": y})
    bound = session.bind(x=x, y=y, z=y)
    with pytest.raises(ort.errors.InvalidArgument, match="overlaps"):
        bound.run()
    bound.bind_output("z")
    bound.run()
    assert y.tolist() == [-1] * 4
