# SPDX-License-Identifier: MIT
"""What errors say to users who know the official package's names."""

import pytest
from support import models

import ortcffi as ort


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
