"""Which pages work with what: the table of needs, and the facts of every kind of dataset."""

import dataclasses
from pathlib import Path

import pytest

from core.store.dataset import open_dataset
from core.tiers.coverage import NEEDS, Facts, coverage_frame, dataset_facts, page_coverage

ALL = Facts(
    completions=100, evals=3, tasks=4, tokens=100, visible_tokens=0, sizes=100, responses=100, prompts=40,
    prompt_tokens=40, spectra=40, params=4, grids=2, surfaces=2, projections=3, tiers=2,
    truncation_unknown=0, shared=True, hf_ids=3, described=3,
)  # fmt: skip


def works(facts: Facts) -> dict[str, str]:
    return {row.page: row.works for row in page_coverage(facts)}


def test_with_everything_every_page_works() -> None:
    assert set(works(ALL).values()) == {"yes"}
    assert coverage_frame(page_coverage(ALL))["why not"].isna().all()


def test_with_nothing_no_page_works() -> None:
    rows = page_coverage(Facts())
    assert {row.works for row in rows} == {"no"}
    assert all(row.lacks for row in rows)


@pytest.mark.parametrize("need", NEEDS, ids=lambda need: f"{need.page}: {need.lack[:30]}")
def test_every_need_can_be_met_and_unmet(need: object) -> None:
    assert need.met(ALL)  # type: ignore[attr-defined]
    assert not all(
        need.met(facts)  # type: ignore[attr-defined]
        for facts in (Facts(), dataclasses.replace(ALL, visible_tokens=1, truncation_unknown=1))
    )


@pytest.mark.parametrize(
    ("lacking", "changed"),
    [
        ({"tokens": 0}, {"Evals": "partly", "Scores": "partly", "Cluster": "partly", "Compression": "partly",
                         "Hazard": "no"}),
        ({"responses": 0}, {"Compression": "partly", "Completions": "partly"}),
        ({"shared": False}, {"Cluster": "partly", "Compare": "no"}),
        ({"described": 0}, {"Model info": "no"}),
        ({"spectra": 0, "prompt_tokens": 0}, {"FFT": "partly"}),
        ({"spectra": 0, "prompt_tokens": 0, "hf_ids": 0}, {"FFT": "partly"}),
        ({"spectra": 0, "prompt_tokens": 0, "prompts": 0}, {"FFT": "no", "Completions": "partly"}),
        ({"evals": 1}, {"Cluster": "no", "Compare": "no"}),
    ],
)  # fmt: skip
def test_what_a_missing_field_costs(lacking: dict[str, int], changed: dict[str, str]) -> None:
    found = works(dataclasses.replace(ALL, **lacking))  # type: ignore[arg-type]
    assert {page: state for page, state in found.items() if state != "yes"} == changed


def test_facts_of_the_demo(demo_dataset: Path) -> None:
    facts = dataset_facts(open_dataset(demo_dataset))
    assert (facts.completions, facts.evals, facts.tasks, facts.tiers, facts.hf_ids) == (7296, 8, 7, 3, 8)
    assert facts.tokens == facts.responses == 7296
    assert facts.shared and facts.grids == 6 and facts.visible_tokens == 0


def test_facts_of_records_with_the_required_fields_only(bare_dataset: Path) -> None:
    facts = dataset_facts(open_dataset(bare_dataset))
    assert facts == Facts(completions=40, evals=2, tasks=1, truncation_unknown=40)


def test_facts_of_evals_that_share_items(no_repeats_dataset: Path, one_model_dataset: Path) -> None:
    assert dataset_facts(open_dataset(no_repeats_dataset)).shared
    assert not dataset_facts(open_dataset(one_model_dataset)).shared


def test_points_that_no_eval_takes_are_no_eval(empty_dataset: Path) -> None:
    facts = dataset_facts(open_dataset(empty_dataset))
    assert facts.evals == facts.tasks == 0
    assert works(facts)["Scores"] == "no"
