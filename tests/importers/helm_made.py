"""Run folders as HELM 0.5 writes them: fields without a value are left out."""

import json
from pathlib import Path
from typing import Any

NAME = "toy:subject=algebra,method=multiple_choice_joint,model=org_model-a"
MAPPING = {"A": "one", "B": "two", "C": "three"}


def state(number: int, text: str, reason: str | None = "stop", **values: Any) -> dict[str, Any]:
    """A RequestState with its result."""
    completion: dict[str, Any] = {
        "text": text, "logprob": 0, "tokens": [{"text": "x", "logprob": 0}] * (number + 2),
    }  # fmt: skip
    if reason is not None:
        completion["finish_reason"] = {"reason": reason}
    if number == 1:
        completion["thinking"] = {"text": "hm"}
    right = number % 3
    return {
        "instance": {
            "input": {"text": f"question {number}"},
            "references": [
                {"output": {"text": one}, "tags": ["correct"] if place == right else []}
                for place, one in enumerate(MAPPING.values())
            ],
            "split": "test", "id": f"id{number}",
        },
        "train_trial_index": 0, "output_mapping": MAPPING,
        "request": {
            "model": "org/model-a", "prompt": f"Question {number}\nAnswer:", "max_tokens": 5,
        },
        "result": {"success": True, "embedding": [], "completions": [completion], "cached": False},
        "num_train_instances": 2, "prompt_truncated": False,
    } | values  # fmt: skip


def statistics(number: int, score: float, **values: Any) -> dict[str, Any]:
    """The PerInstanceStats of an instance."""
    means = {"num_references": 3, "exact_match": score, "quasi_exact_match": score, "num_prompt_tokens": 11}
    return {
        "instance_id": f"id{number}", "train_trial_index": 0,
        "stats": [
            {"name": {"name": name, "split": "test"}, "count": 1, "sum": mean, "mean": mean, "stddev": 0}
            for name, mean in means.items()
        ],
    } | values  # fmt: skip


TEXTS = [(" A", "stop"), (" B", "stop"), (" A", "length"), ("none of them", "stop"), (" C", None)]
SCORES = [1.0, 1.0, 0.0, 0.0, 0.0]


def write(folder: Path, *, model: str = "org/model-a", states: Any = None, scores: Any = None) -> Path:
    """Write a run and return its folder."""
    states = states or [state(number, *one) for number, one in enumerate(TEXTS)]
    scores = scores or [statistics(number, score) for number, score in enumerate(SCORES)]
    path = folder / NAME.replace("org_model-a", model.replace("/", "_"))
    path.mkdir(parents=True)
    adapter = {
        "method": "multiple_choice_joint",
        "model": model,
        "max_train_instances": 2,
        "temperature": 0.0,
    }
    own: dict[str, list[float]] = {}
    for one in scores:
        if not one.get("perturbation"):
            for stat in one["stats"]:
                own.setdefault(stat["name"]["name"], []).append(stat["mean"])
    documents = {
        "run_spec.json": {"name": path.name, "scenario_spec": {"class_name": "x"}, "adapter_spec": adapter},
        "scenario.json": {"name": "toy", "description": "", "tags": []},
        "scenario_state.json": {"adapter_spec": adapter, "request_states": states},
        "per_instance_stats.json": scores,
        "stats.json": [
            {"name": {"name": name, "split": "test"}, "count": 1, "mean": sum(means) / len(means)}
            for name, means in own.items()
        ],
    }
    for name, document in documents.items():
        (path / name).write_text(json.dumps(document, indent=2))
    return path
