# SPDX-License-Identifier: MIT
"""Statuses as objects."""

import pytest

import ortcffi
from ortcffi import ErrorCode, Status, errors


def test_a_status_has_its_code_and_message(api):
    with Status(ErrorCode.NOT_FOUND, "naïve 模型", api) as status:
        assert (status.code, status.message) == (ErrorCode.NOT_FOUND, "naïve 模型")
        assert isinstance(status.code, ErrorCode)
        assert not status.ok


def test_a_table_makes_statuses_of_its_own(api):
    with api.status(ErrorCode.FAIL, "m") as status:
        assert status.api is api


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


@pytest.mark.parametrize("code", [-1, 2**32])
def test_a_code_beyond_32_bits_is_refused(code):
    with pytest.raises(ValueError, match="code must be from 0 to 4294967295"):
        Status(code, "m")


@pytest.mark.parametrize("code", ["FAIL", None, 1.0])
def test_a_code_that_is_no_integer_is_refused(code):
    with pytest.raises(TypeError, match="code must be an int"):
        Status(code, "m")


@pytest.mark.parametrize("message", [b"bytes", None, 5])
def test_a_message_that_is_no_text_is_refused(message):
    with pytest.raises(TypeError, match="message must be a str"):
        Status(ErrorCode.FAIL, message)


def test_a_message_with_a_null_character_is_refused():
    with pytest.raises(ValueError, match="message must not contain a null character"):
        Status(ErrorCode.FAIL, "a\0b")


def test_a_message_with_a_lone_surrogate_is_refused():
    with pytest.raises(ValueError, match=r"message .* UTF-8, but has a lone surrogate at 1"):
        Status(ErrorCode.FAIL, "a\ud800")


def test_the_repr_tells_code_and_message(api):
    with Status(ErrorCode.FAIL, "why", api) as status:
        assert repr(status) == "<Status FAIL: 'why'>"
    assert repr(status) == "<Status closed>"
    with Status(77, "", api) as status:
        assert repr(status) == "<Status UNKNOWN_77: ''>"


def test_a_status_cannot_be_given_new_attributes(core_api):
    with core_api.status(ErrorCode.FAIL) as status, pytest.raises(AttributeError):
        status.text = "no such attribute"


def test_statuses_need_no_default_table_if_one_is_given(api):
    assert ortcffi.Status(ErrorCode.FAIL, api=api).api == api
