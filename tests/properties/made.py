"""Random small datasets: what real results hold and what nobody would think of, imported in this process."""

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from core.filters import Filters
from core.importers import import_sources
from core.store import Dataset, open_dataset
from core.tiers.completions import flag_completion, read_completion
from tests import synthetic

Record = dict[str, Any]

NAMES = [
    *synthetic.STRANGE_NAMES,
    "plain", "NaN", "inf", "None", "null", "0", "-1", "1e999", "true", "n", "eval_id", "task", "tier",
    "index", "default", "Σχήμα", "e\u0301\u200b\u202eabc", "x" * 200, " padded ", "a,b;c", "𝟙", "1", "１＋１",
    "%00", "{{x}}", "${x}", "\\u0000", "[link](javascript:alert(1))", ":material/bug:", ":red[x]",
]  # fmt: skip
"""Names of models, templates, tasks, params, groups: hostile, like numbers, like words of our own."""

NUMBERS = [0, 1, 2, 3, 2.5, -1, -0.5, 1e-300, 1e300, 2**53, 10, 11, 12, 13, 14, 15, 16]
TEXTS = ["", "NaN", "2", "true", "=1+1", "<b>x</b>", "ü", "easy", "hard"]
RESPONSES = [
    None, "", "yes", "\x00", "=cmd|' /C calc'!A0", "<img src=x onerror=alert(1)>", "$x$ **b** [a](b)",
    "so " * 400, "emoji 🤖\u2028 line", "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
    "The answer is 42.",
]  # fmt: skip
SCORES = [None, None, 0, 1, 0.5, 0.25, 1 / 3, 0.999999999, True, "0.75", 0.1 + 0.2]
UNUSABLE: list[Record] = [
    {"score": "NaN"}, {"score": 1.5}, {"outcome": "perhaps"}, {"model": ""}, {"base_task": None},
    {"completion_tokens": -1}, {"params": "[1]"}, {"choices": 0}, {"outcome": None, "score": None},
]  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """What kind of dataset: small numbers that Hypothesis can make smaller, the details from a seed."""

    seed: int
    evals: int
    tasks: int
    params: int
    items: int
    repeats: int
    tiers: int
    outcomes: str
    tokens: str
    texts: bool
    config: str
    flags: int
    unusable: int

    def draw(self, what: str) -> random.Random:
        """A stream of its own for each purpose, so that one that is longer leaves the others as they are."""
        return random.Random(f"{self.seed} {what}")


SHAPES = st.builds(
    Shape,
    seed=st.integers(0, 2**32),
    evals=st.integers(1, 4),
    tasks=st.integers(1, 3),
    params=st.integers(0, 3),
    items=st.integers(1, 8),
    repeats=st.integers(1, 3),
    tiers=st.integers(0, 3),
    outcomes=st.sampled_from(["mixed", "scores", "all truncated", "all wrong", "all error", "all right"]),
    tokens=st.sampled_from(["all", "some", "none", "zero"]),
    texts=st.booleans(),
    config=st.sampled_from(["inferred", "edited", "overlapping", "hidden"]),
    flags=st.integers(0, 2),
    unusable=st.integers(0, 3),
)


@dataclass(frozen=True)
class Made:
    """A dataset with what its import said of it."""

    dataset: Dataset
    read: int
    kept: int
    skipped: int


def make(shape: Shape, folder: Path) -> Made:
    """Import the records of a shape, edit the config as it says, flag some completions, open the result."""
    source = synthetic.write_records(folder / "source" / "records.jsonl", records(shape))
    report = import_sources([source], name="made", data=folder)
    path = folder / "made.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    edit(document, shape)
    path.write_text(json.dumps(document), encoding="utf-8")
    if shape.flags:
        _flag(path, shape)
    return Made(open_dataset(path), report.read, report.kept, sum(report.skipped.values()))


def records(shape: Shape) -> list[Record]:
    """The records of a shape; one at least is usable."""
    draw = shape.draw("records")
    identities = _identities(shape)
    tasks = draw.sample(NAMES, shape.tasks)
    made = []
    for task in tasks:
        grid = _grid(shape, task)
        choices = [draw.choice([None, 2, 3, 4, 10**6]) for _ in grid]
        for identity in identities:
            if len(identities) > 1 and draw.random() < 0.1:
                continue
            for params, options in zip(grid, choices, strict=True):
                for item in range(shape.items):
                    if draw.random() < 0.2:
                        continue
                    for repeat in range(draw.randint(1, shape.repeats)):
                        made.append(
                            {
                                **identity,
                                "base_task": task,
                                "params": params,
                                "choices": options,
                                **_item(shape, item, repeat, draw),
                                **_answer(shape, draw),
                            }
                        )
    made = made[:400] or [{**identities[0], "base_task": tasks[0], "outcome": "correct"}]
    bad = [{**draw.choice(made), **draw.choice(UNUSABLE)} for _ in range(shape.unusable)]
    return [*made, *bad]


def _identities(shape: Shape) -> list[Record]:
    draw = shape.draw("evals")
    models = draw.sample(NAMES, shape.evals)
    found = []
    for number, model in enumerate(models):
        identity: Record = {"model": models[number - 1] if number and draw.random() < 0.2 else model}
        if draw.random() < 0.5:
            identity["template"] = draw.choice(NAMES)
        identity["sampler"] = f"s{number}"
        if draw.random() < 0.3:
            identity["label"] = "twin"
        if draw.random() < 0.5:
            identity["groups"] = [f"kind:{draw.choice(NAMES)}", draw.choice(["size:small", "size:large"])]
        if draw.random() < 0.3:
            identity["hf_id"] = draw.choice(["org/name", "../../etc/passwd", "<b>", "a/b/c"])
        found.append(identity)
    return found


def _grid(shape: Shape, task: str) -> list[Record]:
    draw = shape.draw(f"params {task}")
    names = draw.sample(["size", "depth", "difficulty", "n", "model", *NAMES], shape.params)
    values = {
        name: draw.sample(draw.choice([NUMBERS, TEXTS, [True, False], NUMBERS[:4]]), 2) for name in names
    }
    grid = []
    for _ in range(draw.randint(1, 4)):
        grid.append({name: draw.choice(values[name]) for name in names if draw.random() < 0.9})
    return grid


def _item(shape: Shape, item: int, repeat: int, draw: random.Random) -> Record:
    kind = shape.seed % 3
    if kind == 0:
        return {"item_key": f"{item}", "repeat": repeat}
    if kind == 1:
        found: Record = {"prompt": f"What is {item}? " * 8, "item_key": None if item % 2 else item}
        if shape.texts:
            found["prompt_token_ids"] = [(place * (item + 1)) % 7 for place in range(24)]
        return found
    return {} if draw.random() < 0.5 else {"item_key": f"{item} {draw.choice(NAMES)}"}


def _answer(shape: Shape, draw: random.Random) -> Record:
    answer: Record = {}
    wanted = shape.outcomes.removeprefix("all ")
    if wanted == "mixed":
        answer["outcome"] = draw.choice(["correct", "incorrect", "invalid", "truncated", "error"])
    elif wanted == "scores":
        score = draw.choice(SCORES)
        answer = {"outcome": "incorrect"} if score is None else {"score": score}
    else:
        answer["outcome"] = {"wrong": "incorrect", "right": "correct"}.get(wanted, wanted)
    if shape.tokens == "zero":
        answer["completion_tokens"] = 0
    elif shape.tokens == "all" or (shape.tokens == "some" and draw.random() < 0.5):
        answer["completion_tokens"] = draw.choice([0, 1, 7, 50, 51, 400, 2**31 - 1])
    if draw.random() < 0.2:
        answer |= {"token_limit": draw.choice([0, 1, 50, 10**6]), "prompt_tokens": draw.choice([0, 12, None])}
    if shape.texts:
        answer |= {"response": draw.choice(RESPONSES), "answer": draw.choice([None, "", *NAMES])}
        answer |= {
            "reference": draw.choice([None, "", "42"]),
            "finish_reason": draw.choice([None, "stop", "odd"]),
        }
    if draw.random() < 0.1:
        answer |= {"scorer": draw.choice(NAMES), "explanation": draw.choice(RESPONSES)}
    return answer


def edit(document: dict[str, Any], shape: Shape) -> None:
    """Change a config as a person might: tiers, overlapping and hidden evals, slices, a threshold."""
    draw = shape.draw("config")
    document["name"] = draw.choice(["made", "../made", "<b>made</b>", "=made"])
    if shape.config == "inferred":
        return
    tasks = list(document["basetasks"])
    document["tiers"] = [
        {"id": f"{draw.choice(NAMES)}{number}", "label": draw.choice(NAMES), **_tier(tasks, shape, draw)}
        for number in range(shape.tiers)
    ]
    if draw.random() < 0.3:
        document["threshold"] = draw.choice([0.25, 0.5, 1.0])
    for task in tasks:
        _slices(document["basetasks"][task], tasks.index(task), _grid(shape, task), draw)
    for entry in document["evals"]:
        if draw.random() < 0.3:
            entry["label"] = draw.choice(NAMES)
            entry["groups"] = draw.sample(NAMES, 2)
        if draw.random() < 0.2:
            entry |= {"parameters": draw.choice(["7B", 1e9]), "price": {"input": 0.1, "output": 0.5}}
    if shape.config == "overlapping":
        document["evals"].append({"label": "everything", "filters": {}, "groups": ["size:small"]})
        document["evals"].append({"label": "nobody", "filters": {"model": "nobody"}})
    elif shape.config == "hidden":
        document["evals"][-1]["hidden"] = True
        document["evals"][0]["order"] = 9


def _tier(tasks: list[str], shape: Shape, draw: random.Random) -> Record:
    filters = {}
    for task in tasks:
        params = draw.choice(_grid(shape, task))
        some = {
            name: draw.choice([value, [value, 3]]) for name, value in params.items() if draw.random() < 0.6
        }
        filters[task] = draw.choice([some, [some, {"size": 1}], {}])
    if draw.random() < 0.4:
        return {"filter": draw.choice(list(filters.values()))}
    return {"filters": {task: one for task, one in filters.items() if draw.random() < 0.8}}


def _slices(task: Record, number: int, grid: list[Record], draw: random.Random) -> None:
    names = list(dict.fromkeys(name for params in grid for name in params))
    if len(names) < 2 or draw.random() < 0.3:
        return
    x, y = draw.sample(names, 2)
    task["surfaces"] = [
        *task.get("surfaces", []),
        {
            "id": f"own {number}", "label": draw.choice(NAMES), "x_data": x, "y_data": y,
            "x_values": _values(grid, x), **_steps("y_", _values(grid, y)), "filter": {},
        },
    ]  # fmt: skip
    task["projections"] = [
        *task.get("projections", []),
        {"id": f"own {number}", "label": draw.choice(NAMES), "axis": x, **_steps("", _values(grid, x))},
    ]


def _values(grid: list[Record], name: str) -> list[Any]:
    found: list[Any] = []
    for params in grid:
        if name in params and not any(v == params[name] and type(v) is type(params[name]) for v in found):
            found.append(params[name])
    return found


def _steps(side: str, values: list[Any]) -> Record:
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return {f"{side}bins": [[min(values), max(values)], [1e299, 1e301]]}
    return {f"{side}values": values}


def _flag(path: Path, shape: Shape) -> None:
    """Flag the first completions, whichever they are."""
    dataset = open_dataset(path)
    try:
        shown = dataset.rows(
            "SELECT point_id, completion_id FROM data.completions ORDER BY ALL LIMIT $n", n=shape.flags
        )
        for row in shown:
            found = read_completion(dataset, Filters(), row["completion_id"])
            flag_completion(dataset.config_path, found, "=1+1 <b>doubtful</b>")
    finally:
        dataset.close()
