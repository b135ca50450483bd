# SPDX-License-Identifier: MIT
"""What was in use at the peak of a scope of `Tracking`."""

import pytest

from ortcffi import Tracking


@pytest.fixture
def make(api):
    return lambda: Tracking(api.default_allocator)


def sizes(scope):
    return [(group.size, group.blocks) for group in scope.at_peak]


def test_blocks_that_were_freed_after_the_peak_are_in_it(make):
    pool = make()
    with pool.scope() as scope:
        large = pool.empty(700, "u1")
        small = pool.empty(100, "u1")
        del large, small
        kept = pool.empty(50, "u1")
    assert (scope.peak, scope.live, sizes(scope)) == (800, 50, [(700, 1), (100, 1)])
    assert all(__file__ in group.place for group in scope.at_peak)
    assert kept.size == 50


def test_blocks_that_were_freed_before_the_peak_are_not_in_it(make):
    pool = make()
    with pool.scope() as scope:
        pool.empty(700, "u1")
        kept = [pool.empty(size, "u1") for size in (300, 500)]
    assert (scope.peak, sizes(scope)) == (800, [(800, 2)])
    kept.clear()


def test_a_new_peak_replaces_the_last_one(make):
    pool = make()
    with pool.scope() as scope:
        first = pool.empty(700, "u1")
        del first
        second = pool.empty(701, "u1")
        del second
    assert (scope.peak, sizes(scope)) == (701, [(701, 1)])


def test_a_peak_that_is_only_reached_again_does_not_replace_the_last_one(make):
    pool = make()
    with pool.scope() as scope:
        for _ in range(3):
            first = pool.empty(600, "u1")
            del first
        second = [pool.empty(300, "u1") for _ in range(2)]
    assert sizes(scope) == [(600, 1)]
    second.clear()


def test_blocks_of_the_peak_that_are_never_freed_are_leaks_as_well(make):
    pool = make()
    with pool.scope() as scope:
        kept = pool.empty(30, "u1")
    assert sizes(scope) == [(30, 1)]
    assert scope.at_peak == scope.groups
    assert kept.size == 30


def test_each_of_two_nested_scopes_has_the_blocks_of_its_own_peak(make):
    pool = make()
    with pool.scope("outer") as outer:
        pool.empty(1000, "u1")
        with pool.scope("inner") as inner:
            pool.empty(10, "u1")
    assert (sizes(inner), sizes(outer)) == ([(10, 1)], [(1000, 1)])


@pytest.mark.parametrize("belongs_to", ["process", "thread", "context"])
def test_blocks_from_before_a_scope_are_not_in_its_peak(make, belongs_to):
    pool = make()
    with pool.scope():
        before = pool.empty(1000, "u1")
        with pool.scope(belongs_to=belongs_to) as scope:
            within = pool.empty(10, "u1")
            del before, within
    assert (scope.peak, sizes(scope)) == (10, [(10, 1)])


def test_what_was_freed_in_a_scope_makes_room_below_its_peak(make):
    pool = make()
    before = pool.empty(1000, "u1")
    with pool.scope() as scope:
        first = pool.empty(500, "u1")
        del before, first
        second = pool.empty(700, "u1")
    # 1500 bytes were in use, and then 700.
    assert (scope.peak, sizes(scope)) == (500, [(500, 1)])
    assert second.size == 700


def test_a_scope_without_leaks_has_no_blocks_of_its_peak(make):
    pool = make()
    with pool.scope(leaks=False) as scope, pool.scope():
        pool.empty(10, "u1")
    assert (scope.peak, scope.at_peak) == (10, [])


def test_the_table_shows_what_was_freed_after_the_peak(make):
    pool = make()
    with pool.scope("step") as scope:
        pool.empty(10, "u1")
    rows = str(scope).splitlines()
    assert rows[0] == "scope 'step': 10 B at the peak, 0 B live at the end"
    assert rows[1].split() == ["at", "the", "peak", "blocks", "live", "blocks", "line"]
    assert rows[2].split()[:6] == ["10", "B", "1", "0", "B", "0"]
