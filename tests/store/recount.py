"""Statistics of completions counted one by one in plain Python, from the written definitions."""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from tests.store.staging import Row, completion

OUTCOMES = ("correct", "incorrect", "invalid", "truncated", "error")
COUNTED = OUTCOMES[:3]
Item = tuple[str, str, str]


def effective_outcome(row: Row, threshold: float) -> str:
    """What a completion counts as at a threshold."""
    if row["outcome"] in ("error", "truncated") or row["score"] is None:
        return str(row["outcome"])
    if row["score"] >= threshold:
        return "correct"
    return "invalid" if row["outcome"] == "invalid" else "incorrect"


def item_of(row: Row) -> Item:
    """An item is one key of one task and its params."""
    return row["base_task"], row["params"], row["item_key"]


def by_item(rows: Iterable[Row]) -> dict[Item, list[Row]]:
    groups: dict[Item, list[Row]] = defaultdict(list)
    for row in rows:
        groups[item_of(row)].append(row)
    return groups


def item_counts(rows: Iterable[Row], threshold: float) -> dict[Item, Counter[str]]:
    """Outcomes of each item."""
    return {
        item: Counter(effective_outcome(row, threshold) for row in some)
        for item, some in by_item(rows).items()
    }


def counted(outcomes: Counter[str]) -> int:
    return sum(outcomes[name] for name in COUNTED)


def tokens_of(rows: list[Row]) -> list[int]:
    return [row["completion_tokens"] for row in rows if row["completion_tokens"] is not None]


def statistics(rows: list[Row], threshold: float = 1.0) -> dict[str, float | None]:
    """Every column of POINT_STATISTICS over some completions."""
    total = Counter(effective_outcome(row, threshold) for row in rows)
    items = item_counts(rows, threshold).values()
    tokens = tokens_of(rows)
    scores = [row["score"] for row in rows if row["score"] is not None]
    by_items = [tokens_of(some) for some in by_item(rows).values()]
    tries = [counted(one) + one["truncated"] for one in items]
    result: dict[str, float | None] = {name: total[name] for name in OUTCOMES}
    result |= {
        "token_items": sum(len(one) > 0 for one in by_items),
        "token_tt": sum(sum(one) ** 2 for one in by_items),
        "token_tc": sum(sum(one) * len(one) for one in by_items),
        "token_cc": sum(len(one) ** 2 for one in by_items),
        "empty": sum(row["response_bytes"] == 0 for row in rows),
        "items": sum(counted(one) > 0 for one in items),
        "yy": sum(one["correct"] ** 2 for one in items),
        "yk": sum(one["correct"] * counted(one) for one in items),
        "kk": sum(counted(one) ** 2 for one in items),
        "all_items": sum(n > 0 for n in tries),
        "all_yk": sum(one["correct"] * n for one, n in zip(items, tries, strict=True)),
        "all_kk": sum(n**2 for n in tries),
        "least_tries": min((n for n in tries if n), default=None),
        "most_tries": max(tries),
        "score_n": len(scores),
        "score_sum": sum(scores),
        "score_item_squares": sum(
            sum(row["score"] or 0 for row in some) ** 2 for some in by_item(rows).values()
        ),
        "token_n": len(tokens),
        "token_sum": sum(tokens),
        "token_squares": sum(n * n for n in tokens),
        "tokenized_n": sum(
            row["completion_tokens"] is not None and row["token_source"].startswith("tokenized")
            for row in rows
        ),
        "truncation_unknown": sum(row["truncation"] == "unknown" for row in rows),
    }
    for outcome in ("correct", "incorrect"):
        some = [
            row["completion_tokens"]
            for row in rows
            if row["completion_tokens"] is not None and effective_outcome(row, threshold) == outcome
        ]
        result |= {f"{outcome}_token_n": len(some), f"{outcome}_token_sum": sum(some)}
    return result


def choices_of(rows: list[Row], threshold: float = 1.0) -> Counter[int]:
    """Counted completions per number of choices; free-form ones left out."""
    return Counter(
        row["choices"]
        for row in rows
        if row["choices"] is not None and effective_outcome(row, threshold) in COUNTED
    )


def points(rows: Iterable[Row]) -> dict[tuple[str, ...], list[Row]]:
    """Completions of each point, named (model, template, sampler, base_task, params)."""
    groups: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in ("model", "template", "sampler", "base_task", "params"))].append(
            row
        )
    return groups


def params_of(row: Row) -> dict[str, Any]:
    return dict(json.loads(row["params"]))


def random_rows(seed: int, *, points_each: int = 3) -> list[Row]:
    """Completions with ragged repeats, every outcome, choices, scores, and gaps in everything optional."""
    draw = random.Random(seed)
    rows: list[Row] = []
    for model, template in (("one", "default"), ("one", "cot"), ("two", "default"), ("three", "default")):
        for task in ("add", "sort", "word's"):
            for level in range(points_each):
                skill = draw.random()
                for item in range(draw.choice([1, 1, 2, 5, 8])):
                    choices = {"add": None, "sort": 2 + item % 3, "word's": 4 if item % 2 else None}[task]
                    for _ in range(draw.choice([1, 1, 2, 4])):
                        rows.append(
                            completion(
                                model=model, template=template, base_task=task, item_key=f"{item}",
                                params={"level": level, "deep": level % 2 == 0},
                                choices=choices, **_result(draw, skill),
                            )
                        )  # fmt: skip
    # A point of which nothing can be counted.
    rows += [completion(model="two", base_task="add", params={"level": 99}, outcome="error") for _ in "ab"]
    draw.shuffle(rows)
    return rows


def _result(draw: random.Random, skill: float) -> Row:
    outcome = draw.choices(OUTCOMES, [skill, 1 - skill, 0.15, 0.2, 0.1])[0]
    score = {"correct": 1.0, "incorrect": draw.choice([0.0, 0.25, 0.5, 0.75])}.get(outcome)
    if outcome in ("invalid", "truncated", "error"):
        score = draw.choice([None, 0.0, 0.75])
    return {
        "outcome": outcome,
        "score": draw.choice([score, score, None]),
        "completion_tokens": draw.choice([None, draw.randrange(0, 3_000)]),
        "token_source": draw.choice(["reported", "tokenized:o200k_base"]),
        "truncation": draw.choice(["reported", "inferred", "unknown"]),
        "response": draw.choice([None, "", "an answer", "ä" * 40]),
    }
