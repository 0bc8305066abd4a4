"""Cluster and Spiderweb: every kind of dataset, every control, the same numbers as the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.tiers.cluster import RULE_WORDS
from core.ui.cluster import chosen_clique
from tests.command import ask
from tests.pages.conftest import Open, said

Show = Callable[..., AppTest]
PAGES = ("cluster", "spiderweb")
DATASETS = (
    "demo_dataset",
    "repeats_dataset",
    "partial_dataset",
    "no_repeats_dataset",
    "one_model_dataset",
    "bare_dataset",
    "strange_dataset",
)


@pytest.fixture
def show(open_app: Open) -> Show:
    """Open one of the two pages on a dataset, with an address."""

    def open_(config: Path, page: str, **address: str | list[str]) -> AppTest:
        app = open_app(config.parent, **address)
        return app.switch_page(f"pages/{page}.py").run()

    return open_


def healthy(app: AppTest) -> str:
    """What a page says, after it was found to show no fault."""
    assert not app.exception
    assert not app.error
    return said(app)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("dataset", DATASETS)
def test_pages_open_on_every_dataset(
    show: Show, request: pytest.FixtureRequest, dataset: str, page: str
) -> None:
    app = show(request.getfixturevalue(dataset), page)
    healthy(app)
    assert app.title[0].value.lower() == page
    assert not any("<script>" in element.value for element in (*app.markdown, *app.caption))
    assert len(app.dataframe) >= 1
    # The first thing said is the result, in one bold sentence.
    assert app.markdown[0].value.startswith("**") and app.markdown[0].value.endswith("**")


@pytest.mark.parametrize("page", PAGES)
def test_filters_that_leave_nothing(show: Show, repeats_dataset: Path, page: str) -> None:
    app = show(repeats_dataset, page, tier="Hard one", task="Guess")
    assert "Nothing matches these filters" in said(app)
    assert not app.exception


class TestCluster:
    def test_the_rule_in_force_is_explained_with_its_m(self, show: Show, repeats_dataset: Path) -> None:
        app = show(repeats_dataset, "cluster")
        assert "In force: interval overlap, m = " in healthy(app)
        assert RULE_WORDS["overlap"] in said(app)
        app.button_group(key="rule").set_value("paired").run()
        assert "In force: paired difference, Holm, m = " in healthy(app)
        assert RULE_WORDS["paired"] in said(app)

    def test_stack_and_section(self, show: Show, repeats_dataset: Path) -> None:
        app = show(repeats_dataset, "cluster")
        app.button_group(key="stack").set_value("tier").run()
        healthy(app)
        assert app.selectbox(key="section").options == ["Easy one", "Hard one"]
        app.selectbox(key="section").set_value("hard").run()
        assert "**Hard one.**" in healthy(app)

    def test_pairs_and_split(self, show: Show, repeats_dataset: Path) -> None:
        app = show(repeats_dataset, "cluster")
        before = len(app.dataframe)
        app.toggle(key="pairs").set_value(True).run()
        assert "Row minus column" in healthy(app)
        assert len(app.dataframe) == before + 1
        app.selectbox(key="cluster_split").set_value("template").run()
        healthy(app)
        assert app.selectbox(key="cluster_part").options == ["cot", "direct"]
        labels = [button.proto.label for button in app.get("download_button")]
        assert "JSON per template (ZIP)" in labels

    def test_the_top_clique_is_sorted_by_tokens(self, show: Show, demo_dataset: Path) -> None:
        app = show(demo_dataset, "cluster", section="Letters")
        assert "it spends the fewest tokens of the top clique" in healthy(app)
        table = next(f.value for f in app.dataframe if list(f.value)[:2] == ["eval", "cliques"])
        means = [float(cell.split(" ")[0].replace(",", "")) for cell in table["mean tokens [95%]"]]
        assert means == sorted(means)

    @pytest.mark.parametrize("rule", ["interval overlap", "paired difference, Holm"])
    def test_the_overview_agrees_with_the_command_line(
        self, show: Show, repeats_dataset: Path, rule: str
    ) -> None:
        app = show(repeats_dataset, "cluster", rule=rule)
        flag = "paired" if rule.startswith("paired") else "overlap"
        document = ask("cluster", repeats_dataset, "--format", "json", "--rule", flag).document()
        overview = app.dataframe[0].value.set_index("eval")
        for section, column in zip(document["sections"], overview.columns, strict=True):
            for member in section["members"]:
                letters = [
                    chr(ord("a") + place)
                    for place, clique in enumerate(section["cliques"])
                    if member["eval_id"] in clique
                ]
                cell = overview.at[member["label"], column]
                expected = "—" if member["center"] is None else f"{member['center']:.2f}"
                assert cell.split() == [expected, *letters]

    def test_an_eval_filter_can_be_lifted_here(self, show: Show, repeats_dataset: Path) -> None:
        app = show(repeats_dataset, "cluster", eval=["Alpha", "Beta"])
        assert app.multiselect(key="eval").value == [0, 1]
        app.button(key="all_evals").click().run()
        healthy(app)
        assert app.multiselect(key="eval").value == []

    def test_an_unknown_stack_in_the_address_falls_back(self, show: Show, one_model_dataset: Path) -> None:
        app = show(
            one_model_dataset, "cluster", stack="tier", rule="nonsense", section="x", cluster_split="y"
        )
        assert "only is the only eval" in healthy(app)


@pytest.mark.parametrize(
    ("rows", "chosen"), [([1], [2, 5]), ([0], [1, 3, 4]), ([], None), ([7], None)], ids=str
)
def test_a_selected_clique_is_an_eval_filter(rows: list[int], chosen: list[int] | None) -> None:
    assert chosen_clique(((4, 1, 3), (5, 2)), rows) == chosen


class TestSpiderweb:
    def test_views(self, show: Show, repeats_dataset: Path) -> None:
        app = show(repeats_dataset, "spiderweb")
        assert "farthest apart" in healthy(app)
        for view in ("bars", "overlay", "radar"):
            app.button_group(key="spider_view").set_value(view).run()
            healthy(app)

    def test_one_large(self, show: Show, repeats_dataset: Path) -> None:
        app = show(repeats_dataset, "spiderweb", shown="Beta")
        assert "Beta is strongest at" in healthy(app)
        assert {*app.dataframe[0].value["eval"]} == {"Beta"}

    def test_rings_pooled(self, show: Show, repeats_dataset: Path) -> None:
        app = show(repeats_dataset, "spiderweb", rings="Pooled")
        healthy(app)
        assert {*app.dataframe[0].value["tier"]} == {"all"}

    def test_no_tiers_no_rings(self, show: Show, partial_dataset: Path) -> None:
        app = show(partial_dataset, "spiderweb")
        healthy(app)
        assert [group.key for group in app.button_group if group.key == "rings"] == []

    def test_one_task_has_bars_only(self, show: Show, one_model_dataset: Path) -> None:
        app = show(one_model_dataset, "spiderweb")
        healthy(app)
        assert [group.options for group in app.button_group] == [["Bars"]]

    def test_numbers_agree_with_the_command_line(self, show: Show, repeats_dataset: Path) -> None:
        app = show(repeats_dataset, "spiderweb")
        document = ask("spiderweb", repeats_dataset, "--format", "json").document()
        cells = [c for entry in document["evals"] for c in entry["cells"] if c["tier"] is not None]
        texts = ["—" if c["accuracy"] is None else f"{c['accuracy']:.3f}" for c in cells]
        assert list(app.dataframe[0].value["accuracy"]) == texts
