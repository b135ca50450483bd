# SPDX-License-Identifier: MIT
"""The figures of a scope of `Tracking`, and what was in use at its peak."""

from typing import NamedTuple

import pytest


def sizes(scope):
    return [(group.size, group.blocks) for group in scope.at_peak]


class Figures(NamedTuple):
    """Those of a scope, the sizes of its leaks, and bytes and blocks at its peak."""

    peak: int
    live: int
    num_allocations: int
    num_frees: int
    total_bytes: int
    leaks: list[int]
    at_peak: list[tuple[int, int]]


# Blocks that are taken (+) and freed (-), by their sizes, before a scope, in it, and after it.
PLAYS = {
    "blocks freed after the peak are in it": (
        "| +700 +100 -700 -100 +50 |",
        Figures(800, 50, 3, 2, 850, [50], [(800, 2)]),
    ),
    "blocks freed before the peak are not in it": (
        "| +700 -700 +300 +500 |",
        Figures(800, 800, 3, 1, 1500, [300, 500], [(800, 2)]),
    ),
    "a new peak replaces the last one": (
        "| +700 -700 +701 -701 |",
        Figures(701, 0, 2, 2, 1401, [], [(701, 1)]),
    ),
    "a peak that is only reached again does not": (
        "| +600 -600 +600 -600 +300 +300 |",
        Figures(600, 600, 4, 2, 1800, [300, 300], [(600, 1)]),
    ),
    "blocks from before are in none of it": (
        "+1000 | +10 +500 -500 |",
        Figures(510, 10, 2, 1, 510, [10], [(510, 2)]),
    ),
    "what is freed after it changes nothing": (
        "| +100 | -100",
        Figures(100, 100, 1, 0, 100, [100], [(100, 1)]),
    ),
    "frees of blocks from before": ("+1000 | -1000 |", Figures(0, -1000, 0, 1, 0, [], [])),
    "what was freed makes room below the peak": (
        "+1000 | +500 -1000 -500 +700 |",
        Figures(500, -300, 2, 2, 1200, [700], [(500, 1)]),
    ),
}


def play(pool, steps, blocks):
    for step in steps.split():
        if step[0] == "+":
            blocks.setdefault(step[1:], []).append(pool.empty(int(step[1:]), "u1"))
        else:
            blocks[step[1:]].pop()


@pytest.mark.parametrize("name", PLAYS)
def test_a_scope_has_the_figures_of_its_block(make, name):
    steps, expected = PLAYS[name]
    pool, blocks = make(), {}
    before, during, after = steps.split("|")
    play(pool, before, blocks)
    with (
        pool.scope("block") as scope,
        pool.scope(leaks=False) as without,
    ):
        play(pool, during, blocks)
    play(pool, after, blocks)
    figures = [getattr(scope, figure) for figure in Figures._fields[:5]]
    assert Figures(*figures, [leak.size for leak in scope.leaks], sizes(scope)) == expected
    assert (without.peak, without.live) == (expected.peak, expected.live)
    assert (without.leaks, without.at_peak) == ([], [])
    assert all(__file__ in group.place for group in scope.at_peak)


def test_each_of_two_nested_scopes_has_the_blocks_of_its_own_peak(make):
    pool = make()
    with pool.scope("outer") as outer:
        pool.empty(1000, "u1")
        with pool.scope("inner") as inner:
            pool.empty(10, "u1")
    assert (sizes(inner), sizes(outer)) == ([(10, 1)], [(1000, 1)])
