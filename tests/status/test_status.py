# SPDX-License-Identifier: MIT
"""Statuses as objects."""

import pytest

from ortcffi import ErrorCode, Status, errors


def test_a_status_has_its_code_and_message(api):
    with api.status(ErrorCode.NOT_FOUND, "naïve 模型") as status:
        assert (status.code, status.message) == (ErrorCode.NOT_FOUND, "naïve 模型")
        assert status.api is api
        assert isinstance(status.code, ErrorCode)
        assert not status.ok


def test_without_a_table_the_default_one_makes_it(core_api):
    with Status(ErrorCode.FAIL) as status:
        assert (status.api, status.message) == (core_api, "")


@pytest.mark.parametrize("code", [16, 9999, 2**32 - 1])
def test_an_unknown_code_keeps_its_number(api, code):
    with Status(code, "m", api) as status:
        assert status.code == code
        assert (type(status.code), status.code.name) == (ErrorCode, f"UNKNOWN_{code}")


def test_raising_gives_the_exception_of_a_failed_call(api):
    with Status(ErrorCode.NO_MODEL, "no model", api) as status:
        with pytest.raises(errors.NoModel) as caught:
            status.raise_("LoadIt")
        assert caught.value == errors.NoModel("no model", "LoadIt")
        with pytest.raises(errors.NoModel):
            status.raise_()  # the status is still there


def test_raising_an_ok_status_does_nothing(api):
    with Status(ErrorCode.OK, "fine", api) as status:
        assert status.ok
        assert status.raise_() is None


def test_the_repr_tells_code_and_message(api):
    with Status(ErrorCode.FAIL, "why", api) as status:
        assert repr(status) == "<Status FAIL: 'why'>"
    assert repr(status) == "<Status closed>"
    with Status(77, "", api) as status:
        assert repr(status) == "<Status UNKNOWN_77: ''>"
