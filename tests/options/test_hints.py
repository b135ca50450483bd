# SPDX-License-Identifier: MIT
"""What errors say to users who know the official package's names."""

import pytest
from support import models

import ortcffi as ort


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("intra_op_num_threads", "intra_op_threads"),
        ("graph_optimization_level", "optimization_level"),
        ("log_severity_level", "log_severity"),
    ],
)
def test_an_option_of_another_name_is_refused_with_ours(name, ours):
    options = ort.SessionOptions()
    for ask in (lambda: setattr(options, name, 1), lambda: getattr(options, name)):
        with pytest.raises(AttributeError, match=f"'SessionOptions'.*{name}.*mean '{ours}'"):
            ask()


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
    ("make", "name"),
    [
        (ort.SessionOptions, "add_session_config_entry"),
        (ort.RunOptions, "add_run_config_entry"),
    ],
)
def test_the_official_names_for_entries_lead_to_ours(make, name):
    with make() as options, pytest.raises(AttributeError, match="did you mean 'config'"):
        getattr(options, name)
