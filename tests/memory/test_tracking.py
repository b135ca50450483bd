# SPDX-License-Identifier: MIT
"""Statistics of `Tracking`, its scopes, and the leaks that these report."""

import inspect
import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.processes import TIME_LIMIT
from support.threads import run_threads

from ortcffi import Limiting, Tracking, errors, ffi


def line():
    """The line of the caller."""
    return inspect.currentframe().f_back.f_lineno


def test_figures_of_one_thread_are_exact(make):
    pool = make()
    first, second = pool.empty(100, "u1"), pool.empty(1000, "u1")
    del first
    third = pool.empty(50, "u1")
    assert (pool.bytes_allocated, pool.max_memory, pool.total_bytes) == (1050, 1100, 1150)
    assert (pool.num_allocations, pool.num_frees, pool.max_allocation) == (3, 1, 1000)
    del second, third
    assert (pool.bytes_allocated, pool.max_memory, pool.num_frees) == (0, 1100, 3)


def test_a_block_that_was_refused_is_not_counted(make):
    pool = Tracking(Limiting(make(), 1000))
    with pytest.raises(MemoryError):
        pool.empty(1001, "u1")
    assert (pool.num_allocations, pool.total_bytes, pool.max_memory) == (0, 0, 0)


def test_a_scope_that_is_open_cannot_be_entered_again(make):
    pool = make()
    with pool.scope("mine") as scope, pytest.raises(RuntimeError, match="'mine' is open already"):
        scope.__enter__()
    assert pool.scopes == []


def test_an_exception_ends_a_scope_like_any_other(make):
    pool = Tracking(Limiting(make(), 1000))
    scope = pool.scope()
    with pytest.raises(MemoryError), scope:
        pool.zeros((30, 1 << 40), "u1")
    assert (scope.peak, scope.live, pool.scopes) == (0, 0, [])


def test_leaks_name_the_line_that_allocated(make):
    pool = make()
    with pool.scope() as scope:
        first, where = pool.empty(10, "u1"), line()
        second = pool.zeros(20, "u1")
        pool.empty(30, "u1")
    name = inspect.currentframe().f_code.co_name
    places = [f"{__file__}:{where + i} in {name}" for i in range(2)]
    assert [leak[:2] for leak in scope.leaks] == [(10, places[0]), (20, places[1])]
    assert first.size < second.size


def taken_by_an_installed_package(pool, tmp_path):
    """An array that code in a folder of installed packages takes, two calls deep."""
    file = tmp_path / "site-packages" / "their.py"
    text = (
        "def inner(pool):\n    return pool.empty(10, 'u1')\ndef take(pool):\n    return inner(pool)"
    )
    names = {}
    exec(compile(text, str(file), "exec"), names)
    return names["take"](pool)


def test_leaks_name_the_first_line_outside_of_installed_packages(make, tmp_path):
    pool = make()
    with pool.scope() as scope:
        array, where = taken_by_an_installed_package(pool, tmp_path), line()
    [leak] = scope.leaks
    assert f"{__file__}:" in leak.place
    assert leak.place.endswith("in taken_by_an_installed_package")
    their = tmp_path / "site-packages" / "their.py"
    name = inspect.currentframe().f_code.co_name
    assert leak.stack[:2] == (f"{their}:2 in inner", f"{their}:4 in take")
    assert leak.stack[2:] == (leak.place, f"{__file__}:{where} in {name}")
    assert array.size == 10


def test_the_own_line_is_found_beyond_the_depth_of_the_stack(api, tmp_path):
    pool = Tracking(api.default_allocator, depth=1)
    with pool.scope() as scope:
        array = taken_by_an_installed_package(pool, tmp_path)
    [leak] = scope.leaks
    assert leak.stack == (f"{tmp_path / 'site-packages' / 'their.py'}:2 in inner",)
    assert leak.place.endswith("in taken_by_an_installed_package")
    assert array.size == 10


def test_a_thread_without_own_code_names_its_innermost_line(make):
    pool = make()
    with pool.scope() as scope, ThreadPoolExecutor(1) as threads:
        block = threads.submit(pool.alloc, 10).result(TIME_LIMIT)
    [leak] = scope.leaks
    assert leak.place == leak.stack[0]
    assert "thread.py" in leak.place
    pool.free(block)


def test_leaks_of_equal_stacks_are_one_group_and_the_largest_is_first(make):
    pool, kept = make(), []
    with pool.scope("step") as scope:
        kept.append(pool.empty(50, "u1"))
        kept.extend(pool.empty(size, "u1") for size in (10, 20, 30))
    assert [(group.size, group.blocks) for group in scope.groups] == [(60, 3), (50, 1)]
    assert scope.groups[1][2:] == scope.leaks[0][1:]
    kept.clear()


def test_a_scope_as_text_is_a_table_of_the_programs_lines(make, monkeypatch):
    monkeypatch.chdir(os.path.dirname(__file__))
    pool = make()
    with pool.scope("step") as scope:
        kept, where = [pool.empty(1024, "u1") for _ in range(3)], line()
        pool.empty(100, "u1")
    table = str(scope).splitlines()
    assert table[0] == "scope 'step': 3.10 KB at the peak, 3.00 KB live at the end"
    assert table[2].split()[:6] == ["3.00", "KB", "3", "3.00", "KB", "3"]
    assert f"  {os.path.basename(__file__)}:{where} in " in table[2]
    assert table[3].split()[:6] == ["100", "B", "1", "0", "B", "0"]
    first, second = scope.by_line()
    assert first[1:] == (3072, 3, 3072, 3)
    assert second[1:] == (100, 1, 0, 0)
    assert first.place == scope.leaks[0].place
    assert len(kept) == 3


def test_stacks_that_differ_beyond_the_programs_line_are_one_line(make, tmp_path):
    pool = make()
    with pool.scope() as scope:
        kept = [taken_by_an_installed_package(pool, tmp_path)]
        kept += [taken_by_an_installed_package(pool, tmp_path)]
    assert len(scope.groups) == 2
    [one] = scope.by_line()
    assert (one.live, one.live_blocks) == (20, 2)
    assert len(kept) == 2


def test_a_report_adds_up_the_lines_it_leaves_out(make):
    pool = make()
    with pool.scope() as scope:
        pool.empty(30, "u1")
        pool.empty(40, "u1")
        kept = pool.empty(5, "u1"), pool.empty(70, "u1")
        also = pool.empty(60, "u1")
    assert len(scope.report(top=None).splitlines()) == 2 + len(scope.by_line())
    assert len(scope.by_line()) == 2
    last = scope.report(top=1).splitlines()[-1]
    assert " ".join(last.split()) == "60 B 1 60 B 1 1 more"
    assert len(kept) + also.size == 62


def test_a_scope_without_leaks_is_one_line_of_text(make):
    with make().scope("step") as scope:
        pass
    assert str(scope) == "scope 'step': 0 B at the peak, 0 B live at the end"


def test_blocks_are_counted_whatever_thread_takes_and_frees_them(make):
    pool, arrays = make(), []

    def work():
        arrays.extend(pool.empty(100, "u1") for _ in range(50))

    with pool.scope() as scope:
        run_threads(*[work] * 4)
    assert (scope.live, scope.num_allocations, len(scope.leaks)) == (20_000, 200, 200)
    assert all(" in " in leak.place and __file__ in leak.place for leak in scope.leaks)
    arrays.clear()
    assert (pool.bytes_allocated, pool.num_frees) == (0, 200)


def test_a_block_written_past_its_end_into_the_next_header_is_an_error(make):
    pool = make()
    block = pool.alloc(256)
    header = ffi.buffer(ffi.cast("char*", block) - 64, 64)
    intact = bytes(header)
    header[:] = bytes(64)  # as the block in front would
    with pytest.raises(errors.InvalidArgument, match="was overrun"):
        pool.free(block)
    header[:] = intact
    pool.free(block)
    assert pool.bytes_allocated == 0
