"""Maximal cliques against networkx, by the clock, and where the search is capped."""

import time

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.stats.cliques import MOST_CLIQUES, graph_cliques, interval_cliques


def oracle(linked: np.ndarray) -> list[tuple[int, ...]]:
    graph = nx.from_numpy_array(linked & ~np.eye(len(linked), dtype=bool))
    return sorted(tuple(sorted(clique)) for clique in nx.find_cliques(graph))


def overlap(center: np.ndarray, margin: np.ndarray) -> np.ndarray:
    return np.abs(center[:, None] - center) <= margin[:, None] + margin


def test_intervals_equal_networkx_on_a_thousand_random_sets() -> None:
    draw = np.random.default_rng(3)
    for number in range(1_000):
        n = int(draw.integers(1, 25))
        center, margin = draw.random(n), draw.random(n) * draw.choice([0.02, 0.1, 0.4])
        if number % 2:
            # Sixteenths are exact, so that many intervals touch and many are equal.
            center, margin = np.round(center * 16) / 16, np.round(margin * 16) / 16
        found = interval_cliques(center, margin)
        assert found.complete
        assert list(found.cliques) == oracle(overlap(center, margin))


def test_a_wide_interval_is_in_both_cliques() -> None:
    assert interval_cliques([0.9, 0.5, 0.1], [0.1, 0.35, 0.1]).cliques == ((0, 1), (1, 2))


def test_all_tied_none_tied_and_one() -> None:
    assert interval_cliques([0.5, 0.5, 0.5], [0.0, 0.1, 0.2]).cliques == ((0, 1, 2),)
    assert interval_cliques([0.9, 0.5, 0.1], [0.1, 0.1, 0.1]).cliques == ((0,), (1,), (2,))
    assert interval_cliques([0.4], [0.0]).cliques == ((0,),)
    assert interval_cliques([], []).cliques == ()


def test_bounds_that_differ_by_rounding_touch() -> None:
    assert 0.5 - 0.2 != 0.1 + 0.2
    assert interval_cliques([0.5, 0.1], [0.2, 0.2]).cliques == ((0, 1),)


def test_a_model_without_a_number_is_in_no_clique() -> None:
    assert interval_cliques([0.5, np.nan, 0.5], [0.1, np.nan, 0.1]).cliques == ((0, 2),)


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="equally long"):
        interval_cliques([0.5], [0.1, 0.2])


@pytest.mark.parametrize("width", [1e-4, 0.05, 0.5])
def test_two_thousand_models_in_a_tenth_of_a_second(width: float) -> None:
    draw = np.random.default_rng(1)
    center, margin = draw.random(2_000), draw.random(2_000) * width
    times = []
    for _ in range(5):
        start = time.perf_counter()
        found = interval_cliques(center, margin)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.1
    assert len(found.cliques) <= 2_000


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.3)), min_size=1, max_size=30))
def test_every_model_is_in_a_clique_and_no_clique_in_another(intervals: list[tuple[float, float]]) -> None:
    center, margin = np.array(intervals).T
    cliques = [set(clique) for clique in interval_cliques(center, margin).cliques]
    assert set.union(*cliques) == set(range(len(intervals)))
    assert not any(one < other for one in cliques for other in cliques)
    assert len(cliques) <= len(intervals)


def test_graphs_equal_networkx() -> None:
    draw = np.random.default_rng(5)
    for density in (0.1, 0.5, 0.8):
        for n in range(1, 16):
            linked = draw.random((n, n)) < density
            linked = linked | linked.T | np.eye(n, dtype=bool)
            found = graph_cliques(linked)
            assert found.complete
            assert list(found.cliques) == oracle(linked)


def test_a_model_that_takes_no_part() -> None:
    linked = np.ones((3, 3), dtype=bool)
    linked[1, 1] = False
    assert graph_cliques(linked).cliques == ((0, 2),)


def test_the_cap_keeps_the_cliques_of_the_first_models() -> None:
    # Twelve groups of three with no link inside a group: 3^12 maximal cliques (Moon and Moser 1965).
    linked = ~np.kron(np.eye(12, dtype=bool), np.ones((3, 3), dtype=bool)) | np.eye(36, dtype=bool)
    found = graph_cliques(linked)
    assert not found.complete
    assert len(found.cliques) == MOST_CLIQUES
    assert all(clique[0] == 0 for clique in found.cliques)
    assert all(linked[np.ix_(clique, clique)].all() for clique in found.cliques)


def test_exactly_as_many_as_the_cap_is_complete() -> None:
    linked = np.eye(4, dtype=bool)
    assert graph_cliques(linked, most=4).complete
    assert not graph_cliques(linked, most=3).complete


@pytest.mark.parametrize("matrix", [np.ones((2, 3)), np.array([[1, 1], [0, 1]])], ids=["wide", "one-sided"])
def test_what_is_no_graph_is_refused(matrix: np.ndarray) -> None:
    with pytest.raises(ValueError, match="symmetric"):
        graph_cliques(matrix)
