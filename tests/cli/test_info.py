# SPDX-License-Identifier: MIT
"""What ``python -m ortcffi info`` tells of the package."""

import csv
import json
import sys
from importlib.metadata import version
from pathlib import Path

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


def test_the_facts_are_those_of_what_is_installed_and_json_has_them(core_api, capsys):
    facts = info.collect()
    assert (facts["cffi"], facts["numpy"]) == (version("cffi"), version("numpy"))
    assert info.package_version("no-such-package") == "not installed"
    assert facts["python"] == ".".join(map(str, sys.version_info[:3]))
    assert (facts["core"], facts["api_versions"]) == (VERSION_STRING, [1, API_VERSION])
    assert facts["build"] == core_api.build_info
    assert f"allocator={facts['allocator']}," in facts["build"]
    assert facts["extension"] == loading.extension_path()
    assert (Path(facts["include"]) / "onnxruntime_c_api.h").is_file()
    assert facts["slots"] == lib.ORTCFFI_SLOTS
    assert facts["implemented"] == sum(1 for _, who in listed_slots() if who == "HOST")
    assert info.main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out) == facts


def test_every_slot_is_counted_under_its_topic_and_who_answers_it():
    slots = listed_slots()
    found = info.slots_by_topic()
    for topic in {topic for topic, _ in slots}:
        assert sum(found[topic].values()) == sum(1 for each, _ in slots if each == topic)
    engine = sum(1 for topic, _ in slots if topic == "providers")
    others = {"implemented": 0, "other tables": 0, "to come": 0}
    assert found["providers"] == {**others, "engine": engine}


def test_only_objects_that_are_alive_are_printed(capsys):
    with ort.RunOptions():
        assert info.main([]) == 0
    (alive,) = (
        line for line in capsys.readouterr().out.splitlines() if line.startswith("live objects ")
    )
    assert "run options 1" in alive
    assert " 0" not in alive


def test_live_objects_count_what_is_held(core_api):
    before = info.live_objects()
    pairs = core_api.key_values({"a": "b"})
    assert info.live_objects()["key-value pairs"] == before["key-value pairs"] + 1
    pairs.close()
    assert info.live_objects() == before


def test_what_is_not_there_is_said_to_be_missing(monkeypatch, capsys):
    def missing() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(config, "get_library", missing)
    assert info.main([]) == 0
    assert "library       not there; 'make -C core' builds it\n" in capsys.readouterr().out


def test_the_table_has_a_row_for_each_topic(capsys):
    assert info.main([]) == 0
    _, table = capsys.readouterr().out.split(" slots are implemented:\n\n")
    rows = list(csv.reader(table.splitlines()[1:], delimiter=" ", skipinitialspace=True))
    assert {row[0]: int(row[-1]) for row in rows} == {
        topic: sum(counts.values()) for topic, counts in info.slots_by_topic().items()
    }
