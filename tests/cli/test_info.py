# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi info`` tells of the package."""

import csv
import json
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from slots import slots_of
from support.versions import API_VERSION, VERSION_STRING

import ortcffi as ort
from ortcffi._native import lib
from ortcffi.cli import build_flags as config
from ortcffi.cli import info
from ortcffi.table import load as loading


def listed_slots() -> list[tuple[str, str]]:
    """Topic and answerer of each row of the list of slots, read as text."""
    return [(slot.topic, slot.who) for slot in slots_of("ort_slots.def")]


def test_every_slot_is_counted_under_its_topic():
    slots = listed_slots()
    reported = {topic: sum(counts.values()) for topic, counts in info.slots_by_topic().items()}
    assert reported == {topic: sum(1 for t, _ in slots if t == topic) for topic, _ in slots}


def test_only_objects_that_are_alive_are_printed(capsys):
    with ort.RunOptions():
        assert info.main([]) == 0
    (alive,) = (
        line for line in capsys.readouterr().out.splitlines() if line.startswith("live objects ")
    )
    assert "run options 1" in alive
    assert " 0" not in alive


def test_a_slot_is_implemented_where_the_core_answers():
    facts = info.collect()
    assert facts["slots"] == lib.ORTCFFI_SLOTS
    assert facts["implemented"] == sum(1 for _, who in listed_slots() if who == "HOST")


def test_a_topic_that_needs_an_engine_has_no_implemented_slot():
    assert info.slots_by_topic()["providers"] == {
        "implemented": 0,
        "other tables": 0,
        "to come": 0,
        "engine": sum(1 for topic, _ in listed_slots() if topic == "providers"),
    }


def test_live_objects_count_what_is_held(core_api):
    before = info.live_objects()
    pairs = core_api.key_values({"a": "b"})
    assert info.live_objects()["key-value pairs"] == before["key-value pairs"] + 1
    pairs.close()
    assert info.live_objects() == before


def test_versions_are_those_of_what_is_installed():
    facts = info.collect()
    assert (facts["cffi"], facts["numpy"]) == (version("cffi"), version("numpy"))
    assert facts["python"] == ".".join(map(str, sys.version_info[:3]))
    assert (facts["core"], facts["api_versions"]) == (VERSION_STRING, [1, API_VERSION])


def test_a_package_that_is_not_installed_says_so():
    with pytest.raises(PackageNotFoundError):
        version("no-such-package")
    assert info.package_version("no-such-package") == "not installed"


def test_the_allocator_is_the_one_in_the_build_info(core_api):
    facts = info.collect()
    assert facts["build"] == core_api.build_info
    assert f"allocator={facts['allocator']}," in facts["build"]


def test_the_paths_are_where_the_files_are():
    facts = info.collect()
    assert facts["extension"] == loading.extension_path()
    assert (Path(facts["include"]) / "onnxruntime_c_api.h").is_file()


def test_what_is_not_there_is_said_to_be_missing(monkeypatch, capsys):
    def missing() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(config, "get_library", missing)
    assert info.main([]) == 0
    assert "library       not there; 'make -C core' builds it\n" in capsys.readouterr().out


def test_json_is_what_was_collected(capsys):
    assert info.main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out) == info.collect()


def test_the_table_has_a_row_for_each_topic(capsys):
    assert info.main([]) == 0
    _, table = capsys.readouterr().out.split(" slots are implemented:\n\n")
    rows = list(csv.reader(table.splitlines()[1:], delimiter=" ", skipinitialspace=True))
    assert {row[0]: int(row[-1]) for row in rows} == {
        topic: sum(counts.values()) for topic, counts in info.slots_by_topic().items()
    }
