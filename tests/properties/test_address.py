"""An address says exactly what the widgets said: filters to query parameters and back, on any dataset."""

import tempfile
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from hypothesis import given
from hypothesis import strategies as st

from core.errors import FilterError
from core.filters import Filters
from core.store import Dataset
from core.tiers.offers import Offers, read_offers
from core.ui import filter_state as keys
from core.ui import filter_texts
from core.ui.wording import apart
from tests.properties.drawn_filters import draw_filters
from tests.properties.made import SHAPES, Shape, make
from tests.properties.profiles import same_every_time


def options(dataset: Dataset, offers: Offers) -> dict[str, Mapping[Hashable, str]]:
    """What each widget of the sidebar takes, by its key."""
    config = dataset.config
    return {
        keys.EVALS: filter_texts.eval_texts(config),
        keys.GROUPS: filter_texts.group_texts(config),
        keys.TIERS: filter_texts.tier_texts(config),
        keys.TASKS: filter_texts.task_texts(dataset.catalog),
        keys.SURFACES: filter_texts.surface_texts(config),
        keys.PROJECTIONS: filter_texts.projection_texts(config),
        **{keys.PARAM + name: filter_texts.param_texts(by_task) for name, by_task in offers.params.items()},
    }


def state_of(address: str, offered: Mapping[str, Mapping[Hashable, str]]) -> dict[str, Any]:
    """What the widgets hold after an address was opened."""
    state: dict[str, Any] = {}
    for key, text in parse_qsl(address, keep_blank_values=True, strict_parsing=True):
        if key in offered:
            (option,) = (one for one, said in offered[key].items() if said == text)
            state.setdefault(key, []).append(option)
        elif key == keys.THRESHOLD:
            state[key] = float(text)
        elif key == keys.FLAGGED:
            state[key] = text == "true"
        else:
            state[key] = text
    return state


@same_every_time(8)
@given(SHAPES)
def test_filters_survive_the_address(shape: Shape) -> None:
    with tempfile.TemporaryDirectory() as folder:
        dataset = make(shape, Path(folder)).dataset
        try:
            offers = read_offers(dataset)
            offered = options(dataset, offers)
            for texts in offered.values():
                assert len(set(texts.values())) == len(texts)
            draw = shape.draw("address")
            for _ in range(20):
                wanted = Filters.from_dict(draw_filters(dataset, draw)).resolved(dataset.catalog)
                pairs = filter_texts.filter_pairs(wanted, dataset.catalog, offers)
                state = state_of(urlencode(pairs), offered) if pairs else {}
                assert keys.read_filters(state).resolved(dataset.catalog) == wanted
                keys.lift(state)
                assert keys.read_filters(state) == Filters()
        finally:
            dataset.close()


LABELS = st.text(max_size=3) | st.sampled_from(
    ["a", "a [0]", "a [1]", "a [2]", "a [1] [1]", " a", "", "(no label)"]
)


@same_every_time(200)
@given(st.lists(LABELS, max_size=6))
def test_no_two_options_of_a_widget_read_alike(labels: list[str]) -> None:
    told = apart(range(len(labels)), labels)
    assert len(set(told.values())) == len(labels)
    assert all(text.strip() for text in told.values())


@same_every_time(200)
@given(st.floats(0.01, 1))
def test_a_threshold_keeps_every_digit(threshold: float) -> None:
    assert float(keys.param_text(threshold)) == threshold


NAMES = st.text(max_size=4) | st.sampled_from(["a", "b"])


@same_every_time(200)
@given(st.text(max_size=30) | st.text(alphabet='a:,|[]" ', max_size=20))
def test_the_field_of_nested_groups_is_read_or_refused(text: str) -> None:
    try:
        groups = keys.parse_any_groups(text)
    except FilterError as fault:
        assert str(fault).startswith(("Any of these groups", "Filter 'groups'"))
        return
    assert all(isinstance(name, str) for some in groups for name in some)


@same_every_time(100)
@given(
    st.dictionaries(
        st.sampled_from(["eval", "tier", "param.x", "param.", "dataset", "threshold", "odd", ""]),
        st.lists(st.text(max_size=5), max_size=3),
    )
)
def test_what_an_address_asks_for_in_vain_is_named(address: dict[str, list[str]]) -> None:
    offered = {"eval": ["a", "b"], "param.x": ["1"]}
    told = keys.unknown_in_address(address, offered)
    asked = [
        value for key in ("eval", "tier", "param.x", "param.") for value in address.get(key, []) if value
    ]
    known = [value for key, texts in offered.items() for value in address.get(key, []) if value in texts]
    assert len(told) == len(asked) - len(known)
