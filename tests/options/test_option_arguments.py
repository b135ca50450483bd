# SPDX-License-Identifier: MIT
"""Arguments of options, environments and arenas that are of a wrong type: errors that name them."""

import numpy as np
import pytest

import ortcffi as ort

JUNK = [-1, 1.5, "text", b"bytes", [None], object()]
CONTENTS = [
    ("values", lambda api, x: ort.SessionOptions(api).add_external_initializers(x)),
    ("files", lambda api, x: ort.SessionOptions(api).add_external_files(x)),
]
USES = [
    ("config", lambda api, x: ort.SessionOptions(api, config=x)),
    ("config", lambda api, x: ort.RunOptions(api, config=x)),
    ("config", lambda api, x: ort.Env(api=api, config=x)),
    ("free_dimensions", lambda api, x: ort.SessionOptions(api, free_dimensions=x)),
    *CONTENTS,
]


@pytest.mark.parametrize("junk", JUNK, ids=[type(x).__name__ for x in JUNK])
@pytest.mark.parametrize(("name", "use"), USES)
def test_an_argument_that_is_no_mapping_is_refused_by_name(api, name, use, junk):
    with pytest.raises(TypeError, match=f"{name} must be a mapping"):
        use(api, junk)


@pytest.mark.parametrize(("name", "use"), CONTENTS)
def test_contents_that_are_none_are_refused_by_name(api, name, use):
    with pytest.raises(TypeError, match=f"{name} must be a mapping, not NoneType"):
        use(api, None)


@pytest.mark.parametrize("name", ["profiling", "optimized_model_path"])
def test_an_argument_that_is_no_path_is_refused_by_name(api, name):
    with pytest.raises(TypeError, match=f"{name} must be a str or os.PathLike, not int"):
        ort.SessionOptions(api, **{name: 3})


def test_adapters_that_cannot_be_iterated_over_are_refused_by_name(api):
    with pytest.raises(TypeError, match="adapters must be an iterable, not int"):
        ort.RunOptions(api, adapters=3)


def test_a_strategy_that_is_no_text_is_refused_by_name(api):
    with pytest.raises(ValueError, match="strategy must be 'power_of_two'"):
        ort.ArenaCfg(api, strategy=[])


@pytest.mark.parametrize("on", [np.bool_(True), 1])
def test_a_switch_takes_what_is_one_in_c_and_in_numpy(api, on):
    with ort.SessionOptions(api, mem_pattern=False) as options:
        options.mem_pattern = on
        assert options.mem_pattern is True
