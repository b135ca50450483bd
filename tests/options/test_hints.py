# SPDX-License-Identifier: MIT
"""What errors say to users who know the official package's names."""

import re
import warnings

import pytest
from support import models

import ortcffi as ort
from ortcffi import compat
from ortcffi.options import config_entries


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("get_inputs", "inputs"),
        ("get_outputs", "outputs"),
        ("get_modelmeta", "metadata"),
        ("io_binding", "bind"),
        ("run_with_ort_values", "run_values"),
    ],
)
def test_a_method_of_a_session_of_another_name_is_refused_with_ours(real_api, name, ours):
    with ort.Session(models.add(), api=real_api) as session:
        with pytest.raises(AttributeError, match=f"'Session'.*{name}.*mean '{ours}'"):
            getattr(session, name)
        with pytest.raises(AttributeError, match=r"no attribute 'quite_another'$"):
            session.quite_another = 1


def test_a_property_that_raises_says_why():
    options = ort.SessionOptions.__new__(ort.SessionOptions)
    with pytest.raises(AttributeError, match="no library has made this object yet"):
        _ = options.api


@pytest.mark.parametrize(
    ("make", "name", "ours"),
    [
        (ort.SessionOptions, "add_session_config_entry", "config"),
        (ort.RunOptions, "add_run_config_entry", "config"),
        (ort.SessionOptions, "intra_op_num_threads", "intra_op_threads"),
        (ort.SessionOptions, "graph_optimization_level", "optimization_level"),
        (ort.SessionOptions, "log_severity_level", "log_severity"),
    ],
)
def test_an_option_of_another_name_is_refused_with_ours(make, name, ours):
    with make() as options:
        for ask in (lambda: setattr(options, name, 1), lambda: getattr(options, name)):
            with pytest.raises(AttributeError, match=f"'{make.__name__}'.*{name}.*mean '{ours}'"):
                ask()


# --- configuration entries ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "wrong", "right"),
    [
        (ort.SessionOptions, "session.use_env_allocator", "session.use_env_allocators"),
        (ort.SessionOptions, "session.intra_op_allow_spinning", "session.intra_op.allow_spinning"),
        (ort.RunOptions, "memory.enable_arena_shrinkage", "memory.enable_memory_arena_shrinkage"),
    ],
)
def test_a_key_that_is_nearly_a_known_one_is_taken_with_one_warning(make, wrong, right, api):
    message = re.escape(f"{wrong!r}: did you mean {right!r}?")
    with make(api) as options:
        config_entries._warned_of.discard(wrong)
        with pytest.warns(UserWarning, match=message) as warned:
            options.config[wrong] = "1"
        assert warned[0].filename == __file__
        assert options.config[wrong] == "1"
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            options.config[wrong] = "2"
            make(api, config=dict(options.config)).close()


def _with_config(key):
    ort.SessionOptions(config={key: "1"}).close()


def _with_update(key):
    with ort.SessionOptions() as options:
        options.config.update({key: "1"})


def _in_drop_in(key):
    compat.SessionOptions().add_session_config_entry(key, "1")


@pytest.mark.parametrize("give", [_with_config, _with_update, _in_drop_in])
def test_that_warning_names_the_line_of_the_program(give):
    key = "session.use_env_allocator"
    config_entries._warned_of.discard(key)
    with pytest.warns(UserWarning, match="did you mean") as warned:
        give(key)
    assert warned[0].filename == __file__


@pytest.mark.parametrize(
    "key", ["session.set_denormal_as_zero", "ep.mine.some_setting", "key", "my.session.setting"]
)
def test_keys_that_are_known_or_like_none_are_taken_silently(key, api):
    with warnings.catch_warnings(), ort.SessionOptions(api) as options:
        warnings.simplefilter("error")
        options.config[key] = "1"
