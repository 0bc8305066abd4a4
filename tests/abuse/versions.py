"""Versions of one dataset that no number of any page has in common: other items, outcomes, tokens, texts."""

import random
from pathlib import Path
from typing import Any

from tests.synthetic import write_records

MODELS = ("ada", "bob", "cyd")
TASKS = ("add", "sort", "spell")
COUNT = 3
"""How many versions there are."""

CONFIG: dict[str, Any] = {
    "db": "crowd.duckdb",
    "name": "crowd",
    "evals": [
        {
            "label": name.capitalize(),
            "filters": {"model": name},
            "groups": [f"size:{size}"],
            "parameters": 10**9 * (place + 1),
        }
        for place, (name, size) in enumerate(zip(MODELS, ("small", "small", "large"), strict=True))
    ],
    "tiers": [
        {"id": "easy", "label": "Easy", "filter": {"length": [1, 2]}},
        {"id": "hard", "label": "Hard", "filter": {"length": [2, 3]}},
    ],
}


def records(version: int) -> list[dict[str, Any]]:
    """Return the completions of a version: every cell has a number of items that no other version has."""
    draw = random.Random(version)
    return [
        {
            "model": model,
            "base_task": task,
            "params": {"length": length, "digits": digits},
            "item_key": f"{item}",
            "prompt": f"{task} {' '.join(str(draw.randrange(10**digits)) for _ in range(length))} v{version}",
            "response": " ".join(draw.choice(("so", "thus", "hence", "42")) for _ in range(20 + 9 * version)),
            "outcome": draw.choices(
                ("correct", "incorrect", "truncated", "invalid"), (5 + skill + version, 3, 1, 1)
            )[0],
            "choices": 4 if task == "sort" else None,
            "completion_tokens": draw.randrange(10 + 100 * version, 100 + 100 * version),
            "token_limit": 110 + 100 * version,
            "prompt_tokens": 5 + length + version,
        }
        for skill, model in enumerate(MODELS)
        for task in TASKS
        for length in (1, 2, 3)
        for digits in (1, 2)
        for item in range(7 + 2 * version)
    ]


def write(folder: Path) -> list[Path]:
    """Write the records of every version, each to a file of its own."""
    return [write_records(folder / f"version-{version}.jsonl", records(version)) for version in range(COUNT)]
