# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi info`` tells of the package."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

from support.versions import API_VERSION, VERSION_STRING

from ortcffi.cli import build_flags as config
from ortcffi.cli import info


def test_the_facts_are_those_of_what_is_installed_and_json_has_them(core_api, capsys):
    facts = info.collect()
    assert (facts["cffi"], facts["numpy"]) == (version("cffi"), version("numpy"))
    assert info.package_version("no-such-package") == "not installed"
    assert facts["python"] == ".".join(map(str, sys.version_info[:3]))
    assert (facts["core"], facts["api_versions"]) == (VERSION_STRING, [1, API_VERSION])
    assert facts["build"] == core_api.build_info
    assert f"allocator={facts['allocator']}," in facts["build"]
    assert facts["extension"] == sys.modules["ortcffi._ort"].__file__
    assert (Path(facts["include"]) / "onnxruntime_c_api.h").is_file()
    assert info.main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out) == facts


def test_what_is_not_there_is_said_to_be_missing(monkeypatch, capsys):
    def missing() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(config, "get_library", missing)
    assert info.main([]) == 0
    assert "library    not there; 'make -C core' builds it\n" in capsys.readouterr().out
