"""Runs of lm-evaluation-harness with a model that guesses, written by its own output writer."""

import json
import random
from pathlib import Path
from typing import Any

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

GENERATED = "toy_sum"
CHOSEN = "toy_choice"
LIMIT = 16

SUMS = [
    {
        "question": f"What is {a}+{b}?",
        "answer": str(a + b),
        "level": a,
        "kind": "even" if b % 2 == 0 else "odd",
    }
    for a in range(4)
    for b in range(5)
]
CHOICES = [{"question": f"Is {a} even?", "options": ["yes", "no"], "right": a % 2} for a in range(14)]


class Guesser(LM):
    """Answers at random; one answer in ten is far longer than the limit."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.random = random.Random(seed)

    def generate_until(self, requests: Any, **_: Any) -> list[str]:
        return [self._answer() for _ in requests]

    def _answer(self) -> str:
        guess = self.random.randrange(6)
        if self.random.random() < 0.1:
            return "and so on " * 40
        return "no idea" if self.random.random() < 0.2 else f"The answer is {guess}"

    def loglikelihood(self, requests: Any, **_: Any) -> list[tuple[float, bool]]:
        return [(-5 * self.random.random(), False) for _ in requests]

    def loglikelihood_rolling(self, requests: Any, **_: Any) -> list[float]:
        return [-1.0 for _ in requests]


def data_set(folder: Path, task: str) -> dict[str, Any]:
    return {"data_files": {"test": str(folder / f"{task}.jsonl")}, "cache_dir": str(folder / "cache")}


def tasks(folder: Path, *, shots: str = "") -> list[dict[str, Any]]:
    """Return two tasks: one with two answer filters, one of choices with two metrics."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in ((GENERATED, SUMS), (CHOSEN, CHOICES)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    common = {"dataset_path": "json", "test_split": "test"}
    generated = {
        "task": GENERATED, **common,
        "dataset_kwargs": data_set(folder, GENERATED),
        "output_type": "generate_until", "doc_to_text": shots + "Q: {{question}}\nA:",
        "doc_to_target": "{{answer}}",
        "generation_kwargs": {"until": ["\n\n"], "max_gen_toks": LIMIT},
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        "filter_list": [
            {"name": "strict", "filter": [
                {"function": "regex", "regex_pattern": "answer is (\\d+)"}, {"function": "take_first"}]},
            {"name": "raw", "filter": [{"function": "take_first"}]},
        ],
    }  # fmt: skip
    chosen = {
        "task": CHOSEN, **common, "dataset_kwargs": data_set(folder, CHOSEN),
        "output_type": "multiple_choice", "doc_to_text": "{{question}}", "doc_to_choice": "{{options}}",
        "doc_to_target": "right",
        "metric_list": [{"metric": name, "aggregation": "mean"} for name in ("acc", "acc_norm")],
    }  # fmt: skip
    return [generated, chosen]


def run(
    folder: Path, model: str = "org/model-a", *, seed: int = 1, limit: int | None = None, **options: Any
) -> Any:
    """Evaluate a guesser, write its results and samples under `folder`, and return the results."""
    made = tasks(folder.parent / "tasks", shots=options.pop("shots", ""))
    results = simple_evaluate(
        model=Guesser(seed),
        tasks=made,
        bootstrap_iters=0,
        # Its own tasks, thousands of files, are not needed.
        task_manager=TaskManager(include_defaults=False),
        limit=limit,
        gen_kwargs=options.pop("gen_kwargs", None),
    )
    assert results is not None
    tracker = EvaluationTracker(output_path=str(folder))
    tracker.general_config_tracker.log_experiment_args(
        model_source="hf", model_args=f"pretrained={model},dtype=auto,device_map=x", system_instruction=None,
        chat_template=options.pop("chat_template", None), fewshot_as_multiturn=False,
    )  # fmt: skip
    samples = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples)
    for name in results["configs"]:
        tracker.save_results_samples(task_name=name, samples=samples[name])
    return results
