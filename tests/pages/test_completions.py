"""The Completions page: the list, what is open, an item across evals, flags, the hardest items."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import FilterError
from core.filters import Filters
from core.flags import flags_path, read_flags
from core.store import open_dataset
from core.tiers import completions as tier
from core.tiers.completions import Wanted
from core.tiers.loops import LoopRule
from core.ui import completions, drill
from core.ui.completions_item import letter
from core.ui.completions_list import params_text
from tests.pages.conftest import Open, said

OpenPage = Callable[..., AppTest]


@pytest.fixture
def open_page(open_app: Open) -> OpenPage:
    def open_(data: Path, **address: str | list[str]) -> AppTest:
        app = open_app(data, "Completions", **{key.replace("__", "."): text for key, text in address.items()})
        assert not app.exception
        return app

    return open_


def test_the_list_is_the_selection_and_narrows(open_page: OpenPage, demo_dataset: Path) -> None:
    dataset = open_dataset(demo_dataset)
    app = open_page(demo_dataset.parent)
    total = tier.count_completions(dataset, Filters(), Wanted())
    assert f"{total:,} completions of " in said(app)
    app.button_group(key=drill.OUTCOMES).set_value(["incorrect"]).run()
    app.selectbox(key=drill.SORT).set_value("tokens")
    app.toggle(key=completions.DESCENDING).set_value(True).run()
    wanted = Wanted(outcomes=("incorrect",), sort="tokens", descending=True)
    n = tier.count_completions(dataset, Filters(), wanted)
    assert f"{n:,} completions of {total:,} selected ones: incorrect." in said(app)
    expected = tier.read_page(dataset, Filters(), wanted, 1)
    assert app.dataframe[0].value["completion_tokens"].tolist() == expected["completion_tokens"].tolist()
    app.text_input(key=completions.SEARCH).set_value("\u2603").run()
    assert "No completion of the selection is like that" in app.info[0].value
    assert not app.error


def test_an_address_opens_a_completion_with_its_item(open_page: OpenPage, repeats_dataset: Path) -> None:
    dataset = open_dataset(repeats_dataset)
    one = tier.read_page(dataset, Filters(), Wanted(outcomes=("invalid",)), 1).iloc[0]
    found = tier.read_item(dataset, Filters(), int(one["item_id"]))
    app = open_page(
        repeats_dataset.parent, list__completion=str(one["completion_id"]), list__outcome="invalid"
    )
    assert [heading.value for heading in app.subheader] == [
        "∅ Invalid",
        f"Item {one['item_id']} across evals",
    ]
    assert "No answer could be read." in said(app)
    assert len(app.dataframe[2].value) == len(found.completions)
    assert "The dataset has no responses" in said(app)
    assert "1 of " in said(app)


def test_next_and_previous_go_through_the_list_over_its_pages(
    open_page: OpenPage, demo_dataset: Path
) -> None:
    dataset = open_dataset(demo_dataset)
    first, second = (
        tier.read_page(dataset, Filters(), Wanted(), n)["completion_id"].tolist() for n in (1, 2)
    )
    app = open_page(demo_dataset.parent)
    assert app.button(key="list step -1").disabled
    app.button(key="list step 1").click().run()
    assert app.number_input(key=completions.OPEN).value == first[0]
    app.number_input(key=completions.OPEN).set_value(first[-1]).run()
    app.button(key="list step 1").click().run()
    assert app.number_input(key=completions.OPEN).value == second[0]
    assert app.session_state[completions.PAGE] == 2
    app.button(key="list step -1").click().run()
    assert app.number_input(key=completions.OPEN).value == first[-1]
    assert app.session_state[completions.PAGE] == 1


def test_a_completion_that_is_not_there_is_said(open_page: OpenPage, one_model_dataset: Path) -> None:
    app = open_page(one_model_dataset.parent, list__completion="99999")
    assert app.info[0].value == "No completion 99999 in this dataset\\."


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ({"list__items": "3 x"}, "Items are numbers with spaces between, such as 12 15; given: '3 x'"),
        (
            {"list__tokens_from": "9", "list__tokens_to": "3"},
            "The range of tokens ends before it begins: 9 to 3",
        ),
    ],
)
def test_a_mistake_is_told(
    open_page: OpenPage, demo_dataset: Path, address: dict[str, str], message: str
) -> None:
    app = open_page(demo_dataset.parent, **address)
    assert app.error[0].value.replace("\\", "") == message
    # The controls are there to correct it.
    assert app.text_input(key=drill.ITEMS)


def test_a_link_of_another_page_opens_its_list(open_page: OpenPage, demo_dataset: Path) -> None:
    dataset = open_dataset(demo_dataset)
    labels = dataset.config.eval_names
    app = open_page(
        demo_dataset.parent, eval=labels[3], task="Arithmetic", list__pair="Second does better",
        list__pair_a=labels[0], list__pair_b=labels[1], list__sort="Item, then eval", list__outcome="correct",
        list__tokens_from="3", list__loops="false",
    )  # fmt: skip
    wanted = Wanted(outcomes=("correct",), tokens=(3, None), pair=(0, 1, "lost"), sort="item")
    filters = Filters(eval_id=(3,), base_task=("arithmetic",))
    n = tier.count_completions(dataset, filters, wanted)
    assert n > 0
    assert f"{n:,} completions of" in said(app)
    assert wanted.sentence(dataset.config) in said(app)
    assert set(app.dataframe[0].value["eval"]) <= {labels[0], labels[1]}


def test_a_flag_and_the_filter_that_leaves_it_out(
    open_page: OpenPage, no_repeats_dataset: Path, tmp_path: Path
) -> None:
    for path in (no_repeats_dataset, no_repeats_dataset.with_suffix(".duckdb")):
        shutil.copy(path, tmp_path)
    flags = flags_path(tmp_path / no_repeats_dataset.name)
    app = open_page(tmp_path, list__completion="2")
    assert [toggle.key for toggle in app.toggle if toggle.key == "flagged"] == []
    app.text_input(key="note 2 None").set_value("odd <b>item</b>")
    app.button(key="flag it").click().run()
    assert "Flagged: odd <b>item</b>" in said(app)
    assert [flag.note for flag in read_flags(flags)] == ["odd <b>item</b>"]
    app.toggle(key="flagged").set_value(True).run()
    assert "Flagged completions left out." in said(app)
    assert "17 completions of " in said(app)
    app.button(key="clear_filters").click().run()
    assert "18 completions of " in said(app)
    app.button(key="unflag it").click().run()
    assert read_flags(flags) == ()
    assert not app.exception


def test_a_sidecar_that_cannot_be_read_is_named(
    open_app: Open, no_repeats_dataset: Path, tmp_path: Path
) -> None:
    for path in (no_repeats_dataset, no_repeats_dataset.with_suffix(".duckdb")):
        shutil.copy(path, tmp_path)
    flags_path(tmp_path / no_repeats_dataset.name).write_text("no flag\n", encoding="utf-8")
    app = open_app(tmp_path, "Scores")
    assert not app.exception
    assert "line 1: not a flag" in said(app)


def test_hardest_items_and_one_of_them(open_page: OpenPage, repeats_dataset: Path) -> None:
    dataset = open_dataset(repeats_dataset)
    found = tier.read_hardest(dataset, Filters(), kind="one")
    app = open_page(repeats_dataset.parent, list__view="Hardest items")
    assert f"one eval alone fails {found.one} items" in said(app)
    app.button_group(key="hard.kind").set_value("one").run()
    shown = app.dataframe[0].value
    assert shown["Item"].tolist() == found.rows["item_id"].tolist()
    assert shown["Fails alone"].tolist() == [
        dataset.config.eval_names[one] for one in found.rows["failing_eval"]
    ]
    item = int(found.rows["item_id"].iloc[0])
    app.number_input(key="hard.item").set_value(item).run()
    assert f"Item {item} across evals" in [heading.value for heading in app.subheader]
    assert not app.exception


def test_one_eval_has_no_hardest_items(open_page: OpenPage, one_model_dataset: Path) -> None:
    app = open_page(one_model_dataset.parent, list__view="Hardest items")
    assert "Hardest items need at least two evals" in app.info[0].value


def test_the_widgets_say_what_is_wanted() -> None:
    state = {
        drill.OUTCOMES: ["error"], drill.ITEMS: "3, 5  3", completions.RANGED: ["a", "b", "c"],
        completions.LEAST + "a": 1.0, completions.MOST + "b": 2.0, drill.FROM_TOKENS: 4, drill.LOOPS: True,
        completions.LOOP_BYTES: 50, completions.LOOP_PERCENT: 25.0, completions.SEARCH: "x",
        completions.SEARCHED: "prompts", completions.CASE: True, drill.PAIR: "lost", drill.PAIR_A: 0,
        drill.PAIR_B: 2, completions.FLAGGED: True, drill.SORT: "score", completions.DESCENDING: True,
    }  # fmt: skip
    assert completions.read_wanted(state) == Wanted(
        ("error",), (3, 5), (("a", (1.0, None)), ("b", (None, 2.0))), (4, None), LoopRule(50, 0.25), "x",
        "prompts", True, (0, 2, "lost"), True, "score", True,
    )  # fmt: skip
    assert completions.read_wanted({}) == Wanted()
    half = {drill.PAIR: "lost", drill.PAIR_A: 1, drill.PAIR_B: 1}
    assert completions.read_wanted(half) == Wanted()
    for text in ("1.5", "-3", "12345678901", "\u0663"):
        with pytest.raises(FilterError, match="Items are numbers"):
            completions.read_items(text)


def test_small_words() -> None:
    assert [letter(group) for group in (1, 2, 26, 27, 53, 703)] == ["A", "B", "Z", "AA", "BA", "AAA"]
    assert params_text('{"a":1,"b":2.5,"c":true,"d":"x"}') == "a 1, b 2.5, c true, d x"
    assert params_text("{}") == ""


@pytest.mark.parametrize("key", ["list__tokens_from", "list__tokens_to", "list__completion"])
@pytest.mark.parametrize("text", ["inf", "1e999"])
def test_a_number_that_no_integer_can_be_is_dropped(
    open_page: OpenPage, repeats_dataset: Path, key: str, text: str
) -> None:
    assert "completions of" in said(open_page(repeats_dataset.parent, **{key: text}))


def test_a_pair_of_an_eval_that_is_not_there_is_named(open_page: OpenPage, repeats_dataset: Path) -> None:
    words = said(open_page(repeats_dataset.parent, list__pair_b="renamed"))
    assert "The address names an eval that is not here" in words
    assert "renamed" in words
