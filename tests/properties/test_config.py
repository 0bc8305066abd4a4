"""A config file is read or refused with one sentence, whatever stands in it; what is read is written back."""

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import DatasetConfig, dump_config, load_config, save_config
from core.errors import ConfigError
from tests.properties.profiles import new_every_time, same_every_time

TEXT = st.text(max_size=6)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
)
VALUES = (
    st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
)
FILTERS = st.dictionaries(TEXT, VALUES | st.lists(VALUES, max_size=3), max_size=2)
BINS = st.lists(st.tuples(st.integers(-9, 0), st.integers(0, 9)).map(list), min_size=1, max_size=3)


def axis(side: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.lists(VALUES, max_size=3).map(lambda some: {f"{side}values": some}) | BINS.map(
        lambda some: {f"{side}bins": some}
    )


def merged(*parts: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.tuples(*parts).map(lambda some: {key: value for one in some for key, value in one.items()})


EVALS = st.lists(
    st.fixed_dictionaries(
        {"label": TEXT},
        optional={
            "hf_id": TEXT | st.none(),
            "filters": st.fixed_dictionaries({}, optional={"model": TEXT | st.lists(TEXT), "sampler": TEXT}),
            "groups": st.lists(TEXT, max_size=3),
            "hidden": st.booleans(),
            "order": st.floats(allow_nan=False, allow_infinity=False) | st.none(),
            "note": ANYTHING.filter(lambda value: value == value),
        },
    ),
    max_size=3,
)
SURFACE = merged(
    st.fixed_dictionaries({"id": TEXT, "label": TEXT, "x_data": TEXT, "y_data": TEXT}), axis("x_"), axis("y_")
)
PROJECTION = merged(st.fixed_dictionaries({"id": TEXT, "label": TEXT, "axis": TEXT}), axis(""))
TASKS = st.dictionaries(
    TEXT,
    st.fixed_dictionaries(
        {"label": TEXT},
        optional={
            "category": TEXT | st.none(),
            "loop_ratio": st.floats(0, 1) | st.none(),
            "surfaces": st.lists(SURFACE, max_size=1),
            "projections": st.lists(PROJECTION, max_size=1),
        },
    ),
    max_size=2,
)
TIERS = st.lists(
    merged(
        st.fixed_dictionaries({"id": TEXT, "label": TEXT}),
        st.fixed_dictionaries(
            {"filters": st.dictionaries(TEXT, FILTERS | st.lists(FILTERS, max_size=2), max_size=2)}
        )
        | st.fixed_dictionaries({}, optional={"filter": FILTERS}),
    ),
    max_size=3,
)
CONFIGS = st.fixed_dictionaries(
    {"db": st.text(min_size=1, max_size=6), "name": TEXT},
    optional={"threshold": st.floats(0.01, 1), "evals": EVALS, "basetasks": TASKS, "tiers": TIERS},
)


def read(text: str) -> DatasetConfig | str:
    """A config, or the sentence that refuses it; any other error is the program's."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "some.json"
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        try:
            config = load_config(path)
        except ConfigError as fault:
            assert str(path) in str(fault) or "'db'" in str(fault)
            return str(fault)
        # Written and read again, it is the same.
        save_config(config, path)
        assert load_config(path) == config
        return config


@same_every_time(60)
@given(CONFIGS)
def test_what_is_read_is_written_back(document: dict[str, Any]) -> None:
    found = read(json.dumps(document))
    if isinstance(found, str):
        # Only what one of them has twice, or a name that is nothing, may be refused.
        assert "used twice" in found, found
        return
    written = json.loads(dump_config(found))
    assert DatasetConfig.model_validate(written) == found
    assert {key: written[key] for key in ("db", "name")} == {key: document[key] for key in ("db", "name")}
    assert [entry["label"] for entry in written.get("evals", [])] == [
        entry["label"] for entry in document.get("evals", [])
    ]


def damaged(document: Any, where: list[int], value: Any) -> Any:
    """Put any value in place of one that is there, some steps down."""
    document = copy.deepcopy(document)
    inside = document
    for step in where:
        places = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        if not places:
            return document
        place = places[step % len(places)]
        if not isinstance(inside[place], dict | list) or step % 3 == 0:
            inside[place] = value
            return document
        inside = inside[place]
    return document


@same_every_time(80)
@given(CONFIGS, st.lists(st.integers(0, 30), min_size=1, max_size=6), ANYTHING)
def test_a_damaged_config_is_read_or_refused(document: dict[str, Any], where: list[int], value: Any) -> None:
    read(json.dumps(damaged(document, where, value)))


@same_every_time(60)
@given(ANYTHING.map(json.dumps) | st.text(max_size=40))
def test_anything_for_a_config_is_read_or_refused(text: str) -> None:
    read(text)


@pytest.mark.slow
@new_every_time(1500)
@given(CONFIGS, st.lists(st.integers(0, 30), min_size=1, max_size=6), ANYTHING)
def test_many_damaged_configs_are_read_or_refused(
    document: dict[str, Any], where: list[int], value: Any
) -> None:
    read(json.dumps(document))
    read(json.dumps(damaged(document, where, value)))
