"""Output folders as LightEval 0.13 writes them: a results file, and Parquet details per task."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

DATE = "2026-05-01T10-00-00.123456"
MODEL = "org/model-a"


def document(number: int, **values: Any) -> dict[str, Any]:
    """A Doc: what LightEval asks."""
    return {
        "query": f"What is {number}?", "choices": [str(number)], "gold_index": [0], "instruction": None,
        "images": None, "specific": {"level": number % 2, "text": f"question {number}" * 9},
        "unconditioned_query": None, "original_query": None, "id": str(number), "task_name": "toy|2",
        "fewshot_samples": [], "sampling_methods": ["GENERATIVE"], "fewshot_sorting_class": None,
        "generation_size": 8, "stop_sequences": [], "use_logits": False, "num_samples": 1,
        "generation_grammar": None,
    } | values  # fmt: skip


def response(text: str | None, tokens: int, **values: Any) -> dict[str, Any]:
    """A ModelResponse: what the model answered."""
    return {
        "input": "What?", "input_tokens": [1, 2, 3], "text": [] if text is None else [text],
        "output_tokens": [list(range(tokens))], "text_post_processed": None, "reasonings": [None],
        "logprobs": [], "argmax_logits_eq_gold": [], "logits": None, "unconditioned_logprobs": None,
        "truncated_tokens_count": 0, "padded_tokens_count": 0,
    } | values  # fmt: skip


def generated(count: int = 10) -> list[dict[str, Any]]:
    """Answers of which every third is right, every fifth as long as the limit."""
    return [
        {
            "doc": document(number),
            "model_response": response(
                f"It is {number}",
                8 if number % 5 == 0 else 4,
                reasonings=["so I think" if number == 1 else None],
                truncated_tokens_count=int(number == 2),
            ),
            "metric": {"f1": 0.5, "extractive_match": float(number % 3 == 0), "length": 4.0},
        }
        for number in range(count)
    ]


def chosen(count: int = 6) -> list[dict[str, Any]]:
    """Choices among three answers by their likelihood."""
    return [
        {
            "doc": document(number, choices=[" A", " B", " C"], gold_index=[number % 3]),
            "model_response": response(None, 1, logprobs=[-1.0, -0.5, -2.0]),
            "metric": {"acc": float(number % 3 == 1)},
        }
        for number in range(count)
    ]


def write(
    folder: Path,
    tasks: dict[str, list[dict[str, Any]]],
    *,
    model: str = MODEL,
    date: str = DATE,
    temperature: float | None = None,
    names: str = "{}",
) -> None:
    """Write a run: results with the mean of every metric, details under the names of the columns."""
    own = {
        task: {
            name: sum(row["metric"][name] for row in rows) / len(rows) for name in rows[0]["metric"]
        }
        for task, rows in tasks.items()
    }  # fmt: skip
    results = {
        "config_general": {
            "lighteval_sha": "?", "num_fewshot_seeds": 1, "max_samples": None, "job_id": "0",
            "model_config": {
                "model_name": model, "generation_parameters": {"temperature": temperature, "top_p": None},
                "system_prompt": None, "revision": "main",
            },
            "model_name": model,
        },
        "results": own, "versions": {}, "config_tasks": {}, "summary_tasks": {}, "summary_general": {},
    }  # fmt: skip
    path = folder / "results" / model / f"results_{date}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=2))
    for task, rows in tasks.items():
        path = folder / "details" / model / date / f"details_{task}_{date}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(
            pa.Table.from_pylist([{names.format(key): one for key, one in row.items()} for row in rows]), path
        )
