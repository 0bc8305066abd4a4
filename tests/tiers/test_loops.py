"""The rule of suspected loops: its SQL against plain Python, own ratios of tasks, and its words."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from core.config import DatasetConfig
from core.errors import FilterError
from core.store import Dataset
from core.tiers.loops import LoopRule, suspected_loop
from tests.store.staging import Row, completion

CONFIG: dict[str, Any] = {
    "basetasks": {
        "hanoi": {"label": "Hanoi", "loop_ratio": 0.02},
        "never": {"label": "Never", "loop_ratio": 0},
        "add": {"label": "Addition"},
    }
}


def sized(task: str, size: int | None, compressed: int | None, **fields: Any) -> Row:
    return completion(base_task=task, response_bytes=size, compressed_bytes=compressed, **fields)


def random_rows() -> list[Row]:
    draw = random.Random(4)
    rows = []
    for _ in range(400):
        size = draw.choice([0, 1, 999, 1000, 1001, 5000, 131085])
        task = draw.choice(["hanoi", "never", "add", "other"])
        rows.append(sized(task, size, int(size * draw.choice([0.01, 0.05, 0.099, 0.1, 0.3]))))
    rows += [sized("add", None, None), sized("add", 5000, None), sized("add", None, 12)]
    return [row | {"item_key": str(place)} for place, row in enumerate(rows)]


def suspected(dataset: Dataset, rule: LoopRule) -> set[str]:
    sql, parameters = suspected_loop(rule, dataset.config)
    rows = dataset.rows(
        f"""
        SELECT i.key
        FROM data.completions c
        JOIN data.points p USING (point_id)
        JOIN data.items i USING (item_id)
        WHERE {sql}""",
        **parameters,
    )
    return {row["key"] for row in rows}


@pytest.mark.parametrize(
    "rule",
    [LoopRule(), LoopRule(5000, 0.3), LoopRule(1, 1.0, ("add",)), LoopRule(left_out=("hanoi", "other"))],
)
def test_sql_is_the_rule(made: Callable[..., Dataset], rule: LoopRule) -> None:
    rows = random_rows()
    dataset = made(rows, **CONFIG)
    own = {"hanoi": 0.02, "never": 0.0}

    def loops(row: Row) -> bool:
        size, compressed, task = row["response_bytes"], row["compressed_bytes"], row["base_task"]
        if size is None or compressed is None or size < rule.least_bytes:
            return False
        limit = 0 if task in rule.left_out else own.get(task, rule.ratio)
        return bool(compressed / size < limit)

    expected = {row["item_key"] for row in rows if loops(row)}
    assert expected
    assert suspected(dataset, rule) == expected


def test_the_default_is_a_thousand_bytes_below_a_tenth(made: Callable[..., Dataset]) -> None:
    rows = [
        sized("add", size, compressed, item_key=key)
        for key, size, compressed in (("at", 1000, 100), ("below", 1000, 99), ("short", 999, 1))
    ]
    assert suspected(made(rows), LoopRule()) == {"below"}


def test_words_name_the_tasks_with_a_rule_of_their_own() -> None:
    config = DatasetConfig.model_validate({"db": "x", "name": "x", **CONFIG})
    words = LoopRule(2000, 0.125, ("add",)).sentence(config)
    assert words == (
        "at least 2,000 bytes that zlib compresses to less than 12.5%; Hanoi less than 2%;"
        " Never left out; Addition left out"
    )


@pytest.mark.parametrize(
    "wrong", [{"least_bytes": 0}, {"ratio": 0.0}, {"ratio": 1.5}]
)  # fmt: skip
def test_what_is_no_rule_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(FilterError, match="A loop"):
        LoopRule(**wrong)


def test_a_task_that_is_not_there_is_refused() -> None:
    with pytest.raises(FilterError, match="No task 'gone' to leave out; valid: add, sort"):
        LoopRule(left_out=("gone",)).checked(["add", "sort"])


def test_config_refuses_an_own_ratio_that_is_none() -> None:
    with pytest.raises(ValueError, match="loop_ratio"):
        DatasetConfig.model_validate(
            {"db": "x", "name": "x", "basetasks": {"add": {"label": "A", "loop_ratio": 1.2}}}
        )
