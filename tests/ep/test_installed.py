# SPDX-License-Identifier: MIT
"""Packages with execution providers are found by name, and registered once."""

import sys

import pytest

import ortcffi as ort
from ortcffi.ep import installed


def test_a_package_is_found_without_its_import(tmp_path, monkeypatch):
    library = installed._library(str(tmp_path / "onnxruntime_ggml/lib"), "onnxruntime_ggml")
    (tmp_path / "onnxruntime_ggml/lib").mkdir(parents=True)
    (tmp_path / "onnxruntime_ggml/__init__.py").write_text("raise RuntimeError")
    with open(library, "w", encoding="utf-8"):
        pass
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert ort.installed_eps() == [ort.InstalledEp("ggml", "onnxruntime-ggml", library, {})]


def test_an_option_names_a_library_beside_the_providers(tmp_path, monkeypatch):
    folder = tmp_path / "onnxruntime_qnn"
    folder.mkdir()
    (folder / "__init__.py").touch()
    for name in ("onnxruntime_providers_qnn", "QnnHtp"):
        with open(installed._library(str(folder), name), "w", encoding="utf-8"):
            pass
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    (qnn,) = ort.installed_eps()
    assert qnn.options == {"backend_path": installed._library(str(folder), "QnnHtp")}


def test_one_that_is_not_installed_is_named_with_its_package(monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    assert ort.installed_eps() == []
    with pytest.raises(LookupError, match="'pip install onnxruntime-ggml'"):
        installed.ep_named("ggml")


def test_a_library_is_registered_once_under_a_name(env, asked_ep):
    first = installed.register_once(env, asked_ep, "asked")
    again = installed.register_once(env, asked_ep, "asked")
    other = installed.register_once(env, asked_ep, "other")
    assert first is again
    assert {first.name, other.name} == {"asked", "other"}


def test_a_registration_that_was_closed_is_made_again(env, asked_ep):
    first = installed.register_once(env, asked_ep, "asked")
    first.close()
    assert not installed.register_once(env, asked_ep, "asked").closed
