"""Every tier on random small datasets: documented errors only, and no completion lost or counted twice."""

import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, note

from core.errors import NothingFoundError
from core.filters import Filters
from core.stats.intervals import METHODS as INTERVALS
from core.tiers.methods import REPEATS, Methods
from tests.properties.asked import Asked
from tests.properties.counted import One, count, everything
from tests.properties.drawn_filters import draw_filters
from tests.properties.made import SHAPES, Made, Shape, make
from tests.properties.profiles import new_every_time, same_every_time
from tests.properties.reads import MAY_LACK, READS

METHODS = [Methods(interval, repeats) for interval, repeats in product(INTERVALS, REPEATS)]


def check(shape: Shape, *, selections: int, thorough: bool) -> None:
    """Build a dataset, and ask every tier for all of it and for some selections."""
    with tempfile.TemporaryDirectory() as folder:
        made = make(shape, Path(folder))
        try:
            rows = everything(made.dataset)
            conserved(made, rows)
            draw = shape.draw("filters")
            drawn = [{}, *(draw_filters(made.dataset, draw) for _ in range(selections))]
            for turn, document in enumerate(drawn):
                methods = draw.choice(METHODS)
                ask(made, rows, document, methods, shape.seed * turn + turn, thorough=thorough)
        finally:
            made.dataset.close()


def conserved(made: Made, rows: list[One]) -> None:
    """What was read was kept or skipped, and what was kept is there."""
    assert made.read == made.kept + made.skipped
    assert made.kept == len(rows) == len({one.number for one in rows})


def ask(
    made: Made, rows: list[One], document: dict[str, Any], methods: Methods, turn: int, *, thorough: bool
) -> None:
    """Ask every tier for a selection; one that has nothing to show says so in a documented error."""
    filters = Filters.from_dict(document)
    counted = count(rows, made.dataset.config, filters)
    asked = Asked(made.dataset, filters, methods, counted, turn, thorough)
    for name, read in READS.items():
        note(f"{name} {document} {methods}")
        try:
            read(asked)
        except NothingFoundError as fault:
            assert str(fault).strip()
            assert name in MAY_LACK or not counted.kept, f"{name}: {fault}"


@same_every_time(6, shrink=False)
@given(SHAPES)
def test_every_tier_on_random_datasets(shape: Shape) -> None:
    check(shape, selections=1, thorough=False)


@pytest.mark.slow
@new_every_time(22, shrink=False)
@given(SHAPES)
def test_every_tier_on_many_random_datasets(shape: Shape) -> None:
    check(shape, selections=1, thorough=shape.seed % 4 == 0)
