# SPDX-License-Identifier: MIT
"""The benchmark runs and reports; how fast anything is, no test says."""

import io
import json
import math
import os
import pty
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from subprocess import DEVNULL, CompletedProcess
from types import SimpleNamespace

import pytest
from support import models
from support.processes import run

from ortcffi.bench import adaptor_tasks, cli, report
from ortcffi.bench.goals import meets
from ortcffi.bench.measure import Result, able, measure
from ortcffi.bench.rows import ROWS
from ortcffi.bench.subjects import NAMES, Subject, find

FEW_ROWS = "status-55,alloc-64,batch-64K"


def bench(*arguments):
    """The exit code of the command, and what it wrote to stdout and stderr."""
    output, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(errors):
        try:
            code = cli.main(list(map(str, arguments)))
        except SystemExit as end:
            code = end.code
    return CompletedProcess(arguments, code, output.getvalue(), errors.getvalue())


pytestmark = pytest.mark.xdist_group("bench")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """One quick run: what it wrote, and its JSON."""
    path = tmp_path_factory.mktemp("bench") / "figures.json"
    with pytest.MonkeyPatch.context() as patch:
        # A busy machine could leave no time for the last row.
        patch.setattr(cli, "time", SimpleNamespace(monotonic=lambda: 0.0))
        done = bench("--seconds", 0.2, "--rows", FEW_ROWS, "--json", path)
    assert done.returncode == 0, done.stderr
    return done, json.loads(path.read_text())


def test_the_table_has_a_line_for_each_chosen_row(quick):
    done, _ = quick
    titles = [row.title for row in ROWS if row.name in FEW_ROWS.split(",")]
    assert all(title in done.stdout for title in titles)


def test_what_is_no_terminal_gets_a_plain_line_for_each_row_and_no_progress_bar(quick):
    done, _ = quick
    lines = [line.partition(":")[0] for line in done.stderr.splitlines()]
    assert lines == ["1 of 3", "2 of 3", "3 of 3"]
    assert "\033" not in done.stdout + done.stderr
    assert "\r" not in done.stdout + done.stderr


def test_the_json_has_the_documented_keys(quick):
    _, figures = quick
    assert figures.keys() == {"environment", "subjects", "missing", "left_out", "rows"}
    keys = {"name", "title", "unit", "figures", "slices", "ratio", "spread"}
    keys |= {"required", "wanted"}
    assert all(row.keys() == keys for row in figures["rows"])
    assert all(row["required"].keys() == {"goal", "met"} for row in figures["rows"])


def test_every_subject_was_either_measured_or_is_missing_for_a_reason(quick):
    _, figures = quick
    assert figures["subjects"].keys() | figures["missing"].keys() == set(NAMES)
    assert all(figures["missing"].values())


def test_every_figure_is_above_zero(quick):
    _, figures = quick
    found = [figure for row in figures["rows"] for figure in row["figures"].values()]
    assert found
    assert all(figure > 0 and math.isfinite(figure) for figure in found)


def test_a_figure_is_the_minimum_of_its_turns(quick):
    _, figures = quick
    for row in figures["rows"]:
        assert row["figures"] == {name: min(turns) for name, turns in row["slices"].items()}


def test_plain_allocators_are_not_asked_for_statuses(quick):
    _, figures = quick
    status = next(row for row in figures["rows"] if row["name"] == "status-55")
    assert "glibc" not in status["figures"]


def test_the_floor_has_every_slot_that_is_measured_of_it():
    floor = find("floor")
    for row in ROWS:
        if able(row, [floor]):
            assert measure(row, [floor], 0.001).figures


def test_a_terminal_gets_a_progress_bar_that_is_wiped_at_the_end():
    reader, terminal = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "ortcffi",
        "bench",
        "--seconds=0.1",
        "--rows=get-api",
        "--subjects=core",
    ]
    run(*command, stdout=DEVNULL, stderr=terminal)
    drawn = os.read(reader, 4096).decode()
    os.close(terminal)
    os.close(reader)
    assert "GetApi" in drawn
    assert drawn.endswith("\r\033[K")


@pytest.mark.parametrize("option", ["--json", "--plot"])
def test_a_file_in_no_directory_is_an_error_before_anything_is_measured(option):
    done = bench(option, "/no/such/directory/figures.svg")
    assert done.returncode == 2
    assert "/no/such/directory" in done.stderr
    assert done.stdout == ""


def test_a_row_is_measured_even_if_no_time_is_left():
    done = bench("--seconds", 1e-9, "--rows", FEW_ROWS, "--subjects", "core")
    assert done.returncode == 0, done.stderr
    assert "left out: alloc-64, batch-64K: no time is left\n" in done.stdout


def test_an_unknown_format_of_the_plot_is_an_error(tmp_path):
    done = bench("--plot", tmp_path / "figures.doc")
    assert done.returncode == 2
    assert ".svg" in done.stderr


def test_a_plot_without_matplotlib_says_what_to_install(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SystemExit):
        cli.main(["--plot", str(tmp_path / "figures.svg")])
    assert "ortcffi[bench]" in capsys.readouterr().err


def test_an_unknown_row_is_an_error_that_lists_the_rows():
    done = bench("--rows", "no-such-row")
    assert done.returncode == 2
    assert "'no-such-row'" in done.stderr
    assert "status-55" in done.stderr


def test_an_unknown_subject_is_an_error_that_lists_the_subjects():
    done = bench("--subjects", "core,nobody")
    assert done.returncode == 2
    assert "'nobody'" in done.stderr
    assert "tcmalloc" in done.stderr


def test_a_path_that_is_no_library_is_an_error_that_names_it():
    done = bench("--against", __file__)
    assert done.returncode == 2
    assert __file__ in done.stderr


def test_the_list_names_every_row_and_measures_nothing():
    done = bench("--list")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == [row.name for row in ROWS]


def test_row_names_are_unique():
    assert len({row.name for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("required", "code"), [("<= 1000000000", 0), ("<= 0", 1)])
def test_check_fails_if_and_only_if_a_required_figure_is_missed(monkeypatch, required, code):
    row = next(row for row in ROWS if row.name == "get-api")
    monkeypatch.setattr(cli, "ROWS", [replace(row, required=required)])
    assert cli.main(["--check", "--seconds", "0.2", "--subjects", "core"]) == code


class Clock:
    """A clock that advances by what measuring a row takes."""

    def __init__(self, monkeypatch, takes):
        self.now, self.takes, self.given = 0.0, takes, []
        monkeypatch.setattr(cli.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(cli, "measure", self.measure)

    def measure(self, row, _, seconds):
        self.given.append(seconds)
        self.now += self.takes(seconds)
        return Result(row, {"core": [1.0]})


def test_quick_takes_ten_seconds(monkeypatch):
    clock = Clock(monkeypatch, lambda seconds: seconds)
    cli.main(["--quick", "--subjects", "core"])
    assert clock.now == pytest.approx(10)


def test_rows_that_take_longer_leave_less_time_for_the_later_ones(monkeypatch):
    clock = Clock(monkeypatch, lambda seconds: 1.2 * seconds)
    cli.main(["--quick", "--subjects", "core"])
    assert clock.now <= 11
    assert clock.given[0] > clock.given[-1]


def test_rows_are_left_out_by_name_once_the_time_is_up(monkeypatch, capsys):
    clock = Clock(monkeypatch, lambda _: 6)
    cli.main(["--quick", "--subjects", "core", "--rows", "status-*,alloc-64,get-api"])
    assert clock.now == 12
    assert "left out: get-api, alloc-64: no time is left\n" in capsys.readouterr().out


def test_rows_of_many_seconds_are_left_out_of_a_short_run(monkeypatch, capsys):
    clock = Clock(monkeypatch, lambda seconds: seconds)
    cli.main(["--quick", "--subjects", "core"])
    output = capsys.readouterr().out
    assert re.search(
        r"^left out: .*\bresident.*: takes about \d+ s at least$", output, re.MULTILINE
    )
    cli.main(["--subjects", "core"])
    assert "left out" not in capsys.readouterr().out
    assert clock.now == pytest.approx(cli.QUICK_SECONDS + cli.SECONDS)


STEADY, LOOSE = [1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("goal", "core", "verdict"),
    [
        ("<= 1.5", STEADY, "ok"),
        ("<= 0.5", STEADY, "MISSED"),
        ("<= 1.5", LOOSE, "noisy"),
        ("<= 2.5", LOOSE, "ok"),
        ("<= 0.5", LOOSE, "MISSED"),
        ("<= 1.2", [1.0], "noisy"),
        ("<= 2", [1.0], "ok"),
        ("<= 0.5", [1.0], "noisy"),
        ("2x", STEADY, "?"),
    ],
)
def test_a_verdict_is_noisy_where_the_spread_hides_the_answer(goal, core, verdict):
    assert Result(ROWS[0], {"core": core}).verdict(goal) == verdict


def test_a_noisy_peer_hides_the_answer_as_well():
    slices = {"core": STEADY, "real": [1.5, 3.0, 3.0, 3.0]}
    assert Result(ROWS[0], slices).verdict("2x") == "noisy"


def test_a_line_shows_the_spread_and_a_question_mark_for_too_few_turns():
    row, core = ROWS[0], [Subject("core", "", frozenset(), None)]
    assert " 100% " in report.line(Result(row, {"core": LOOSE}), core)
    assert " ? " in report.line(Result(row, {"core": [1.0]}), core)


def test_the_plot_is_an_svg_that_names_the_rows(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "figures.svg"
    done = bench("--seconds", 0.2, "--rows", "status-*", "--subjects", "core", "--plot", path)
    assert done.returncode == 0, done.stderr
    assert path.read_text().startswith("<?xml")


class Scripted:
    """A loop whose samples are given; the last one is repeated."""

    def __init__(self, *samples):
        self.samples = list(samples)

    def sample(self):
        return self.samples.pop(0) if len(self.samples) > 1 else self.samples[0]

    def prepare(self):
        pass

    close = prepare


def test_what_an_adaptor_adds_is_the_difference_of_both_minima(monkeypatch):
    monkeypatch.setattr(adaptor_tasks, "FIRST", 1)
    row = next(row for row in ROWS if row.name == "adaptor-tracking")
    task = row.make(core := find("core"))
    # The processor becomes faster between the samples of the inner pair and of the outer one.
    task._inner, task._outer = Scripted(10, 10, 8), Scripted(14, 15)
    result = measure(replace(row, make=lambda _: task), [core], 0.1)
    assert result.ratio is None
    assert result.figures == {"core": 14 - 8}
    assert max(result.slices["core"]) == 15 - 8


@pytest.mark.parametrize(
    ("goal", "figures", "answer"),
    [
        ("4x", {"core": 10, "real": 40}, True),
        ("4x", {"core": 11, "real": 40}, False),
        ("4x", {"core": 11}, None),
        ("<= 150", {"core": 150}, True),
        ("<= 150", {"core": 151}, False),
        ("<= real + 0.3", {"core": 1.3, "real": 1.0}, True),
        ("<= real + 0.3", {"core": 1.5, "real": 1.0}, False),
        ("4x, <= tcmalloc", {"core": 10, "real": 40, "tcmalloc": 9}, False),
        ("4x, <= tcmalloc", {"core": 10, "real": 40}, None),
        ("4x, <= tcmalloc", {"core": 11, "real": 40}, False),
    ],
)
def test_a_goal_is_met_missed_or_undecided(goal, figures, answer):
    assert meets(goal, figures) is answer


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_goal_can_be_judged(row):
    figures = dict.fromkeys(NAMES, 1.0)
    assert (meets(row.required, figures) is None) == (row.required == "")
    assert (meets(row.wanted, figures) is None) == (row.wanted == "")


# --- one model, in a process of its own: the drop-in keeps its environment ------------------------


def bench_model(*arguments, code=0):
    return run(sys.executable, "-m", "ortcffi", "bench", *map(str, arguments), code=code)


def test_a_model_is_measured_in_all_ways(tmp_path):
    path, figures = tmp_path / "two.onnx", tmp_path / "figures.json"
    path.write_bytes(models.two_inputs())
    options = "--threads=1", "--seconds=0.1", "--shape=a=5", "--size=5", "--json", figures
    done = bench_model(path, *options)
    assert "input a: int64[5]" in done.stdout
    ways = [row["way"] for row in json.loads(figures.read_text())["ways"]]
    assert ways == ["official", "drop-in", "Session", "bound", "awaited"]
    for row in json.loads(figures.read_text())["ways"]:
        assert 0 < row["p50"] <= row["p99"]
        assert row["runs"] >= 1


def test_a_model_that_cannot_be_measured_is_one_line(tmp_path):
    done = bench_model(tmp_path / "no.onnx", code=1)
    assert "no.onnx" in done.stderr
    assert done.stderr.count("\n") == 1
    assert bench(tmp_path / "no.onnx", "--seconds=0").returncode == 2
    assert "no.onnx" in bench_model(tmp_path / "no.onnx", "--quick", code=1).stderr


def test_a_shape_that_does_not_fit_is_one_line(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(models.scaled())
    done = bench_model(path, "--shape", "x=3", code=1)
    assert "input 'x' is float[3] with 1 dimensions" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_file_that_cannot_be_written_is_found_before_the_model_is_run(tmp_path):
    done = bench_model(tmp_path / "no.onnx", "--json", tmp_path, code=2)
    assert f"{tmp_path} cannot be written: it is a folder" in done.stderr
