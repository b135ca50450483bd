# SPDX-License-Identifier: MIT
"""Types of values: made, read, compared, the same on both tables."""

import pytest

import ortcffi as ort
from ortcffi import ElementType, TensorTypeInfo, TypeInfo, ValueKind

SHAPES = [(), (3,), (0, 3), ("batch", 3), (None, "naïve 模型", 2**62), (None, None)]


@pytest.fixture
def nested(api):
    """A type that contains a type of each kind."""
    tensor = TypeInfo.tensor(ElementType.FLOAT, ["batch", 3], api)
    map_ = TypeInfo.map(ElementType.STRING, tensor)
    with TypeInfo.optional(TypeInfo.sequence(map_)) as nested:
        yield nested


# --- tensors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("element", list(ElementType))
def test_every_element_type_is_kept(api, element):
    with TensorTypeInfo(element, [1], api) as info:
        assert info.element_type is element


@pytest.mark.parametrize("shape", SHAPES)
def test_a_dimension_is_a_number_a_name_or_unknown(api, shape):
    with TensorTypeInfo(ElementType.FLOAT, shape, api) as info:
        assert info.shape == shape
        assert TypeInfo.tensor(info).tensor_info.shape == shape


def test_a_shape_may_be_unknown_as_a_whole(api):
    with TensorTypeInfo(ElementType.FLOAT, api=api) as info:
        assert info.shape is None
        assert str(info) == "float"
        assert TypeInfo.tensor(info).tensor_info.shape is None


def test_the_elements_are_counted(api):
    for shape, size in [((), 1), ((2, 3), 6), ((2, 0), 0), ((2**31, 2**31), 2**62)]:
        with TensorTypeInfo("f4", shape, api) as info:
            assert info.size == size


@pytest.mark.parametrize("shape", [(2, None), ("batch",), (2**40, 2**40)])
def test_a_shape_with_too_many_elements_has_no_size(api, shape):
    with TensorTypeInfo("f4", shape, api) as info, pytest.raises(ort.errors.Fail):
        info.size  # noqa: B018


def test_an_element_type_may_be_any_number_or_dtype(api):
    with TensorTypeInfo(api=api) as info:
        assert info.element_type is ElementType.UNDEFINED
    with TensorTypeInfo(99, api=api) as info:
        assert info.element_type == 99
        assert str(info) == "99"
    for dtype, element in [("f8", ElementType.DOUBLE), (str, ElementType.STRING)]:
        with TensorTypeInfo(dtype, api=api) as info:
            assert info.element_type is element


@pytest.mark.parametrize(
    ("shape", "error", "says"),
    [
        ([-1], ValueError, r"shape\[0\] must be from 0 to"),
        ([2**63], ValueError, r"shape\[0\] must be from 0 to"),
        ([1.5], TypeError, r"shape\[0\] must be an int, not float"),
        (["a\0b"], ValueError, r"shape\[0\] must not contain a null character"),
        (5, TypeError, "shape must be an iterable of int, str and None"),
        ("abc", TypeError, "shape must be an iterable of int, str and None"),
    ],
)
def test_a_wrong_dimension_is_refused(api, shape, error, says):
    with pytest.raises(error, match=says):
        TensorTypeInfo("f4", shape, api)


# --- other kinds ----------------------------------------------------------------------------------


def test_types_contain_types(nested):
    assert nested.kind is ValueKind.OPTIONAL
    sequence = nested.contained
    assert sequence.kind is ValueKind.SEQUENCE
    map_ = sequence.contained
    assert (map_.kind, map_.key_type) == (ValueKind.MAP, ElementType.STRING)
    tensor = map_.contained
    assert tensor.kind is ValueKind.TENSOR
    assert tensor.tensor_info.shape == ("batch", 3)
    assert (tensor.contained, tensor.key_type, map_.tensor_info) == (None, None, None)


def test_a_type_has_a_text_form(nested):
    text = "optional(sequence(map(string, tensor(float[batch, 3]))))"
    assert (str(nested), nested.denotation) == (text, "")
    assert repr(nested) == f"<TypeInfo {text}>"
    assert repr(nested.contained.contained.contained.tensor_info).endswith(" float[batch, 3]>")
    nested.close()
    assert repr(nested) == "<TypeInfo closed>"


def test_a_sparse_tensor_has_a_dense_shape(api):
    sparse = TypeInfo.sparse_tensor(ElementType.FLOAT, [3, None], api)
    assert sparse.kind is ValueKind.SPARSE
    assert sparse.tensor_info.shape == (3, None)
    assert sparse != TypeInfo.tensor(ElementType.FLOAT, [3, None], api)


def test_a_type_copies_its_parts(api):
    with TensorTypeInfo("f4", [1], api) as info:
        made = TypeInfo.tensor(info)
    with TypeInfo.sequence(made) as sequence:
        made.close()
        assert sequence.contained.tensor_info.shape == (1,)


def test_types_with_equal_contents_are_equal_also_across_tables(core_api, real_api):
    def make(api, name):
        tensor = TypeInfo.tensor("f4", [name, 3], api)
        return TypeInfo.sequence(TypeInfo.map("i8", tensor))

    assert make(core_api, "N") == make(core_api, "N") == make(real_api, "N")
    assert make(core_api, "N") != make(real_api, "M")
    assert hash(make(core_api, "N")) == hash(make(real_api, "N"))
    assert make(core_api, "N") != "sequence"
    assert TensorTypeInfo("f4", [1], core_api) == TensorTypeInfo("f4", [1], real_api)
    assert TensorTypeInfo("f4", [1], core_api) != TensorTypeInfo("f4", [2], core_api)
    assert len({TensorTypeInfo("f4", [1], api) for api in (core_api, real_api)}) == 1


def test_a_shape_can_be_given_only_once(api):
    with TensorTypeInfo("f4", [1], api) as info:
        with pytest.raises(TypeError, match="shape must not be given along"):
            TypeInfo.tensor(info, [1])
        other = ort.emulate(22) if api.path else ort.load()
        with pytest.raises(ValueError, match="element_type belongs to"):
            TypeInfo.tensor(info, api=other)


def test_a_host_without_a_model_editor_raises():
    with pytest.raises(ort.errors.NotImplemented, match="version 22"):
        TypeInfo.tensor("f4", [1], ort.emulate(21))


def test_an_old_host_reads_a_shape():
    with TensorTypeInfo("f4", ["batch", None], ort.emulate(17)) as info:
        assert info.shape == ("batch", None)
