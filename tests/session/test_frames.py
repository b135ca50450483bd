# SPDX-License-Identifier: MIT
"""Tables as inputs and outputs of sessions: pandas, pyarrow, and what has columns as they have."""

import numpy as np
import pytest
from support.graphs import graph_of

import ortcffi as ort
from ortcffi.errors import InvalidArgument

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")


def passing(**types):
    """A model that gives each of its inputs back, whose types and shapes are given by name."""
    nodes = "; ".join(f"{name}_out = Identity {name}" for name in types)
    inputs = ", ".join(f"{name} {kind}" for name, kind in types.items())
    outputs = ", ".join(f"{name}_out {kind.split('[')[0]}" for name, kind in types.items())
    return ort.Session(graph_of(inputs, nodes, outputs))


@pytest.fixture
def session():
    with passing(age="f4[n,1]", port="O[n,1]", count="i8[n]") as session:
        yield session


def passengers(**columns):
    data = {"age": [1.5, None], "port": ["S", "C"], "count": pandas.array([1, 2], dtype="Int64")}
    return pandas.DataFrame(data | columns, index=[7, 8])


def test_each_column_is_the_input_of_its_name(session):
    age, port, count = session.run(passengers())
    assert age.dtype == np.float32
    np.testing.assert_array_equal(age, [[1.5], [np.nan]])
    assert [port.tolist(), count.tolist()] == [[["S"], ["C"]], [1, 2]]


def test_outputs_are_a_table_with_the_index_of_the_inputs(session):
    table = session.predict(passengers(age=[1, 2], port=pandas.Categorical(["S", "C"])))
    assert table.index.tolist() == [7, 8]
    assert table.to_dict("list") == {"age_out": [1, 2], "port_out": ["S", "C"], "count_out": [1, 2]}


def test_a_table_of_arrow_gives_one_of_arrow(session):
    table = pyarrow.table({"age": [1.5, None], "port": ["S", "C"], "count": [1, 2]})
    found = session.predict(table)
    assert type(found) is pyarrow.Table
    assert found.column("port_out").to_pylist() == ["S", "C"]
    assert np.isnan(found.column("age_out")[1].as_py())


def test_one_matrix_takes_all_columns():
    with passing(X="f4[n,3]") as session:
        table = pandas.DataFrame({"a": [1, 2], "b": [0.5, 1.5], "c": [True, False]})
        assert session.run(table)[0].tolist() == [[1, 0.5, 1], [2, 1.5, 0]]
        assert list(session.predict(table)) == ["X_out_0", "X_out_1", "X_out_2"]


@pytest.mark.parametrize("missing", [None, float("nan"), pandas.NA])
def test_the_error_names_the_row_that_has_no_value(session, missing):
    with pytest.raises(
        InvalidArgument,
        match=r"'port' has no value in row 1, of index .*8.*df\['port'\]\.fillna\(''\)",
    ):
        session.run(passengers(port=["S", missing]))
    with pytest.raises(
        InvalidArgument,
        match=r"'count' has no value in row 0, of index .*7.*df\['count'\]\.fillna\(0\)",
    ):
        session.run(passengers(count=[missing, 1]))


STRINGS = {
    "list": list,
    "array": lambda x: np.array(x, object),
    "column": pandas.Series,
    "column of strings": lambda x: pandas.Series(x, dtype="string"),
    "Arrow": pyarrow.array,
    "table of Arrow": lambda x: pyarrow.chunked_array([x]),
}


@pytest.mark.parametrize("container", STRINGS)
def test_the_error_of_a_missing_string_names_its_place_and_how_to_fill_it(container):
    made = STRINGS[container]
    with passing(port="O[n]") as session:
        assert session.run(port=made(["S", "C"]))[0].tolist() == ["S", "C"]
        with pytest.raises(TypeError, match=r"'port'.* 1 must be a str.*from_strings\(x, fill=''"):
            session.run(port=made(["S", None]))
    value = ort.Value.from_strings(made(["S", None]), fill="")
    assert value.strings() == ["S", ""]


def test_the_way_to_fill_a_column_is_one_that_it_has(session):
    grades = pandas.Categorical(["S", None])
    with pytest.raises(InvalidArgument, match=r"df\['port'\]\.astype\(object\)\.fillna\(''\)"):
        session.run(passengers(port=grades))
    table = pyarrow.table({"age": [1.5, 2], "port": ["S", None], "count": [1, 2]})
    with pytest.raises(InvalidArgument, match=r"in row 1 and .*df\['port'\]\.fill_null\(''\)"):
        session.run(table)


def test_a_column_that_a_matrix_cannot_have_is_named():
    numbers = pandas.DataFrame({"a": [1, 2], "b": pandas.array([1, 2], dtype="Int64")})
    with passing(X="f4[n,2]") as session:
        for wrong in ("text", pandas.Timestamp("2020-01-01")):
            with pytest.raises(InvalidArgument, match=r"column 'b' has elements of type .*float"):
                session.run(numbers.assign(b=wrong))
        with pytest.raises(InvalidArgument, match="more than one column 'a'"):
            session.run(numbers[["a", "a"]])
        assert session.run(X=numbers)[0].tolist() == [[1, 1], [2, 2]]


def test_a_table_without_data_is_refused(session):
    class LazyFrame:  # of polars
        columns = property(lambda _: pytest.fail("it computes the names"))

    with pytest.raises(TypeError, match=r"collect\(\)"):
        session.run(LazyFrame())


def test_columns_that_no_input_has_are_named(session):
    with pytest.raises(InvalidArgument, match=r"for the columns 'id'; .* df\[\['age', 'port', 'c"):
        session.run(passengers(id=[1, 2]))
    with pytest.raises(InvalidArgument, match="for the columns 'Age'; the table lacks 'age'"):
        session.run(passengers().rename(columns={"age": "Age"}))
    with pytest.raises(InvalidArgument, match="input 'age' is missing"):
        session.run(passengers().drop(columns="age"))


def test_a_series_where_a_column_is_wanted_says_what_to_write(session):
    table = passengers(age=[1, 2])
    with pytest.raises(InvalidArgument, match=r"x\[:, None\] has, and df\[\['name'\]\] of"):
        session.run(dict(table))


def test_what_is_no_table_makes_none(session):
    with pytest.raises(TypeError, match="table must have columns, as a DataFrame has, not dict"):
        session.predict({"age": [1]})


def test_an_output_that_makes_no_columns_is_named():
    with passing(x="f4[n,1,1]") as session:
        table = pandas.DataFrame({"x": [1.0]})
        with pytest.raises(InvalidArgument, match="input 'x' is float"):
            session.predict(table)


NUMBERS = {
    "array": np.array,
    "list": list,
    "column": pandas.Series,
    "Arrow": pyarrow.array,
}


@pytest.mark.parametrize("container", NUMBERS)
def test_numbers_of_each_container_become_those_of_the_model(container):
    made = NUMBERS[container]
    with passing(x="f4[n]", k="i8[n]") as session:
        x, k = session.run(x=made([1, 2]), k=made([3.0, 4.0]))
        assert [x.dtype, x.tolist(), k.dtype, k.tolist()] == [np.float32, [1, 2], np.int64, [3, 4]]
        with pytest.raises(InvalidArgument, match="input 'k' "):
            session.run(x=made([1.0]), k=made([2.5]))
        with pytest.raises(InvalidArgument, match="input 'x' "):
            session.run(x=made([1e300]), k=made([2]))
        if container == "Arrow":  # whose missing numbers are NaN
            x = made([1, None])
            assert np.isnan(session.run(x=x, k=[1, 2])[0][1])
            with pytest.raises(InvalidArgument, match="input 'k' "):
                session.run(x=[1, 2], k=x)
