"""Raw source files -> completions, read without the product: `records` JSON Lines and Reasoning Gym trees."""

import decimal
import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

Params = dict[str, Any]
ParamsOf = Callable[[str, str, int, str, str], Params]
"""(dataset, difficulty, index in the file, question, config as JSON) -> the params that regenerate."""


@dataclass(frozen=True)
class Completion:
    """One response: who gave it, to which item of which point, and how it ended."""

    model: str
    template: str
    sampler: str
    base_task: str
    point: str
    item: str
    stored: str | None
    score: float | None
    choices: int | None
    tokens: int | None

    @property
    def params(self) -> Params:
        result: Params = json.loads(self.point)
        return result

    def outcome(self, threshold: float = 1.0) -> str:
        """The effective outcome: error > truncated > correct > invalid > incorrect."""
        if self.stored in ("error", "truncated") or self.score is None:
            assert self.stored is not None
            return self.stored
        if self.score >= threshold:
            return "correct"
        return "invalid" if self.stored == "invalid" else "incorrect"


@cache
def _encoding() -> Any:
    import bpe_openai

    return bpe_openai.get_encoding("o200k_base")


def count_tokens(text: str) -> int:
    """Tokens of a text in o200k_base; special tokens spelt out in a response are text like any other."""
    return len(_encoding().encode_ordinary(text))


def canonical(params: Params) -> str:
    """One text for one set of params: sorted keys, integral floats as integers."""
    tidy = {k: int(v) if isinstance(v, float) and v.is_integer() else v for k, v in params.items()}
    return json.dumps(tidy, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def read_records(path: Path) -> list[Completion]:
    """Read a `records` file of JSON Lines, every line well formed; later duplicates are left out."""
    opener: Any = gzip.open if path.suffix == ".gz" else open
    found: list[Completion] = []
    seen: set[tuple[Any, ...]] = set()
    with opener(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            record = json.loads(line)
            one = _completion(record, number)
            if record.get("repeat") is not None:
                key = (
                    one.model,
                    one.template,
                    one.sampler,
                    one.base_task,
                    one.point,
                    one.item,
                    record["repeat"],
                )
                if key in seen:
                    continue
                seen.add(key)
            found.append(one)
    return found


def _completion(record: dict[str, Any], number: int) -> Completion:
    key, prompt = record.get("item_key"), record.get("prompt")
    if key is not None:
        item = f"key {key}"
    elif prompt is not None:
        item = "prompt " + hashlib.sha256(prompt.encode()).hexdigest()
    else:
        item = f"alone {number}"
    stored = record.get("outcome")
    if stored != "error" and (record.get("truncated") or record.get("finish_reason") == "length"):
        stored = "truncated"
    tokens = record.get("completion_tokens")
    if tokens is None and record.get("response") is not None:
        tokens = count_tokens(record["response"])
    return Completion(
        model=record["model"],
        template=record.get("template") or "default",
        sampler=record.get("sampler") or "default",
        base_task=record["base_task"],
        point=canonical(record.get("params") or {}),
        item=item,
        stored=stored,
        score=record.get("score"),
        choices=record.get("choices"),
        tokens=tokens,
    )


def read_reasoning_gym(root: Path, params_of: ParamsOf) -> list[Completion]:
    """Read a Reasoning Gym tree; `params_of` says what regenerates of an item beside its difficulty."""
    found: list[Completion] = []
    for path in sorted(root.glob("*/*/*/*.json")):
        difficulty, folder = path.parts[-4], path.parts[-3]
        document = json.loads(path.read_text(encoding="utf-8"))
        task, config = document["name"], json.dumps(document["config"], sort_keys=True)
        for index, result in enumerate(document["results"]):
            question = result["question"]
            params = params_of(task, difficulty, index, question, config) | {"difficulty": difficulty}
            digest = hashlib.sha256(question.encode()).hexdigest()[:12]
            for completion in result["completions"]:
                found.append(
                    Completion(
                        model=re.sub(r"_\d{8}_\d{6}$", "", folder),
                        template="default",
                        sampler="default",
                        base_task=task,
                        point=canonical(params),
                        item=f"{difficulty}/{document['config']['seed']}/{index}/{digest}",
                        stored=_reasoning_gym_outcome(completion),
                        score=completion["score"],
                        choices=None,
                        tokens=count_tokens(completion["full_model_response"]),
                    )
                )
    return found


def _reasoning_gym_outcome(completion: dict[str, Any]) -> str:
    if "error" in completion:
        return "error"
    return "incorrect" if completion["model_answer"] else "invalid"


class RegeneratedParams:
    """The params of Reasoning Gym items, regenerated with the reasoning-gym package and sifted.

    Kept: numbers, and text of at most 20 characters with at most 20 distinct values in the task; scalar
    settings nested under the metadata's own `difficulty`. Dropped: source_*, solution*, start_*, target_*,
    and what is the answer. Used only where the regenerated question is the recorded one.
    """

    UNCHANGING = ("zebra_puzzles",)
    """Tasks whose metadata vary with the settings only: one item stands for all (50 take 20 seconds)."""
    PRECISION: ClassVar = {"decimal_chain_sum": 10}
    """Another generator had lowered Python's decimal precision in the process that made these questions."""

    def __init__(self, root: Path) -> None:
        settings = {
            (path.stem, path.parts[-4], json.dumps(json.loads(path.read_text())["config"], sort_keys=True))
            for path in root.glob("*/*/*/*.json")
        }
        made = {key: list(self._generate(key[0], key[2])) for key in sorted(settings)}
        self._questions: dict[tuple[str, str, str], list[str | None]] = {}
        self._params: dict[tuple[str, str, str], list[Params]] = {}
        for task in sorted({key[0] for key in made}):
            keys = [key for key in made if key[0] == task]
            kept = self._kept([entry for key in keys for entry in made[key]])
            for key in keys:
                self._questions[key] = [entry["question"] for entry in made[key]]
                self._params[key] = [
                    {k: v for k, v in _scalars(entry["metadata"]).items() if k in kept} for entry in made[key]
                ]

    def __call__(self, task: str, difficulty: str, index: int, question: str, config: str) -> Params:
        key = (task, difficulty, config)
        recorded = self._questions[key][index]
        return self._params[key][index] if recorded is None or recorded == question else {}

    def _generate(self, task: str, config: str) -> Iterator[dict[str, Any]]:
        import reasoning_gym

        settings = json.loads(config)
        dataset = reasoning_gym.create_dataset(task, **settings)
        if task in self.UNCHANGING:
            first = dataset[0]
            yield from ({**first, "question": None} for _ in range(settings["size"]))
        else:
            with decimal.localcontext(prec=self.PRECISION.get(task, 28)):
                yield from [dataset[index] for index in range(settings["size"])]

    @staticmethod
    def _kept(entries: list[dict[str, Any]]) -> set[str]:
        kept = set()
        for name in {name for entry in entries for name in _scalars(entry["metadata"])}:
            if re.match(r"source_dataset$|source_index$|solution|start_|target_", name):
                continue
            pairs = [
                (_scalars(entry["metadata"])[name], entry["answer"])
                for entry in entries
                if name in _scalars(entry["metadata"])
            ]
            if all(str(value) == str(answer) for value, answer in pairs):
                continue
            texts = {value for value, _ in pairs if isinstance(value, str)}
            if len(texts) <= 20 and all(len(text) <= 20 for text in texts):
                kept.add(name)
        return kept


def _scalars(metadata: Params) -> Params:
    nested = metadata.get("difficulty")
    merged = {**(nested if isinstance(nested, dict) else {}), **metadata}
    return {k: v for k, v in merged.items() if k != "difficulty" and isinstance(v, str | int | float | bool)}
