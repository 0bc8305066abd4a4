"""Small made-up datasets, the same on every run: what real results rarely hold all at once."""

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]
Config = dict[str, Any]

STRANGE_NAMES = [
    '=HYPERLINK("http://example.org","click")',
    "+1+2",
    "-2+3",
    "@SUM(A1:A9)",
    "<script>alert(1)</script>",
    'o\'brien "the" model; DROP TABLE points; --',
    "org/model/with/slashes\\and\\back",
    "модель 模型 🤖",
    "pipe|star*under_score`tick`",
    "$dollar {brace} %s",
]
"""Model names that break quoting, paths, spreadsheets, markdown or pages where these are done badly."""


def write_records(path: Path, records: Iterable[Record]) -> Path:
    """Write JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text("".join(lines), encoding="utf-8")
    return path


def simple(model: str = "m", count: int = 10, task: str = "add", **fields: Any) -> list[Record]:
    """Records without repeats: even items correct, odd ones not."""
    return [
        {
            "model": model,
            "base_task": task,
            "params": {"size": 1 + number % 2},
            "item_key": f"{number}",
            "outcome": "correct" if number % 2 == 0 else "incorrect",
            "completion_tokens": 10 + number,
            **fields,
        }
        for number in range(count)
    ]


def bare() -> list[Record]:
    """Nothing but what is required: no item, params, text, tokens."""
    return [
        {"model": model, "base_task": "add", "outcome": "correct" if number < right else "incorrect"}
        for model, right in (("low", 3), ("high", 17))
        for number in range(20)
    ]


def strange() -> list[Record]:
    """Every strange name as model, template, task, param, group and item of some record."""
    records = []
    for place, name in enumerate(STRANGE_NAMES):
        for number in range(6):
            records.append(
                {
                    "model": name,
                    "template": STRANGE_NAMES[-1 - place],
                    "base_task": STRANGE_NAMES[number % 3],
                    "params": {name: name, "size": number % 2},
                    "item_key": f"{name} {number}",
                    "groups": [f"kind:{name}"],
                    "prompt": name,
                    "response": f"{name}\x00\u2028 tail",
                    "answer": name,
                    "outcome": "correct" if (place + number) % 3 else "incorrect",
                }
            )
    return records


def partial() -> list[Record]:
    """Scores with partial credit and no stored outcome but truncated ones; three models, three repeats."""
    draw = random.Random(11)
    records = []
    for model, bonus in (("ada", 0.0), ("bob", 0.2), ("cyd", 0.5)):
        for task, item, repeat in [(t, i, r) for t in ("sum", "maze") for i in range(25) for r in range(3)]:
            score = min(1.0, draw.choice([0.0, 0.25, 0.5, 0.75, 1.0]) + bonus)
            record: Record = {
                "model": model,
                "base_task": task,
                "params": {"level": item % 3},
                "item_key": f"{item}",
                "repeat": repeat,
                "score": score,
                "answer": f"{score}",
                "response": f"the answer is {score}",
            }
            if draw.random() < 0.1:
                record |= {"finish_reason": "length", "token_limit": 64}
            records.append(record)
    return records


def repeats() -> tuple[list[Record], Config]:
    """Ragged repeats, several kinds of choices, lonely items, every outcome, overlapping tiers.

    One eval spans two templates, so that its repeats of an item come from both; one lacks a task.
    """
    draw = random.Random(7)
    records: list[Record] = []
    for model, template, skill in (
        ("alpha", "direct", 0.75),
        ("beta", "direct", 0.72),
        ("gamma", "direct", 0.5),
        ("gamma", "cot", 0.6),
        ("delta", "direct", 0.3),
    ):
        for task, params, choices, items in _grid():
            if (model, task) == ("delta", "guess"):
                continue
            for item in range(items):
                ease = random.Random(f"{task} {params} {item}").gauss(0, 0.25)
                for _ in range(draw.choice([1, 1, 2, 3, 5])):
                    records.append(
                        {
                            "model": model,
                            "template": template,
                            "sampler": "greedy",
                            "base_task": task,
                            "params": params,
                            "item_key": f"{item}",
                            "outcome": _outcome(draw, task, skill + ease),
                            "choices": choices,
                            "completion_tokens": draw.choice([None, draw.randrange(5, 400)]),
                        }
                    )
    draw.shuffle(records)
    return records, {
        "db": "repeats.duckdb",
        "name": "repeats",
        "evals": [
            {
                "label": "Alpha",
                "filters": {"model": "alpha", "template": "direct", "sampler": "greedy"},
                "groups": ["size:small", "family:a"],
            },
            {
                "label": "Beta",
                "filters": {"model": "beta", "template": "direct"},
                "groups": ["size:small", "family:b"],
            },
            {"label": "Gamma", "filters": {"model": "gamma"}, "groups": ["size:large", "family:a"]},
            {
                "label": "Delta",
                "filters": {"model": "delta", "template": ["direct", "cot"]},
                "groups": ["size:large"],
            },
        ],
        "tiers": [
            {
                "id": "easy",
                "label": "Easy one",
                "filters": {
                    "mixed": {"length": [1, 2, 3]},
                    "pick": {"depth": 1},
                    "free": [{"size": 1}, {"size": 2, "kind": "x"}],
                    "guess": {},
                    "sure": {},
                },
            },
            {
                "id": "hard",
                "label": "Hard one",
                "filters": {"mixed": {"length": [3, 4, 5]}, "pick": {"depth": [2, 3]}, "free": {"kind": "y"}},
            },
        ],
    }


def _grid() -> Iterator[tuple[str, Record, int | None, int]]:
    for length, choices, items in ((1, None, 1), (2, 2, 1), (3, 4, 8), (4, 2, 5), (5, 12, 11)):
        yield "mixed", {"length": length}, choices, items
    for depth, items in ((1, 6), (2, 1), (3, 9)):
        yield "pick", {"depth": depth}, 4, items
    for size in (1, 2, 3):
        for kind in ("x", "y"):
            yield "free", {"size": size, "kind": kind}, None, 4 + size
    yield "solo", {}, None, 1
    yield "sure", {"size": 1}, None, 6
    yield "sure", {"size": 2.5}, None, 7
    yield "guess", {"deep": True}, 2, 20


def _outcome(draw: random.Random, task: str, skill: float) -> str:
    if task == "sure":
        return "correct"
    luck = draw.random()
    if task == "free" and luck < 0.15:
        return "truncated"
    if luck < 0.2:
        return "error" if luck < 0.17 else "invalid"
    if task == "guess":
        skill = 0.4
    return "correct" if draw.random() < skill else "incorrect"
