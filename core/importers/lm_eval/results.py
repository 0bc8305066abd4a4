"""What the results file of an lm-evaluation-harness run says: model, sampling, and means per task."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.importers.naming import label_of, named, settings_of
from core.importers.parsing import parse_json

DATED = re.compile(r"_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl?$")
SAMPLES = re.compile(r"samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)?\.jsonl?$")

TELLING = (
    *("revision", "subfolder", "peft", "delta", "quantization", "load_in_4bit", "load_in_8bit", "autogptq"),
    *("gptqmodel", "enable_thinking", "reasoning_effort", "max_gen_toks"),
)
"""Arguments of a model that say which model answers and how; the others are about the machine."""

_ON_THE_HUB = ("hf", "hf-auto", "huggingface", "vllm", "sglang", "hf-multimodal", "vllm-vlm")


@dataclass(frozen=True)
class Task:
    """What the results say of one task; `own` by (metric, filter)."""

    label: str | None = None
    group: str | None = None
    shots: int | None = None
    documents: int | None = None
    filters: tuple[str, ...] = ()
    own: Mapping[tuple[str, str], float] = field(default_factory=dict)
    lower_is_better: frozenset[str] = frozenset()
    aggregation: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Results:
    """The run that a results file is of; `model` is None where it names none."""

    model: str | None = None
    template: str = "default"
    sampler: str = "default"
    label: str | None = None
    hf_id: str | None = None
    tasks: Mapping[str, Task] = field(default_factory=dict)

    def task(self, name: str) -> Task:
        """Return what is known of a task, which may be nothing."""
        return self.tasks.get(name, Task())


def date_of(path: Path) -> str:
    """Return the date in the name of a file, "" where there is none."""
    match = DATED.search(path.name)
    return match[1] if match else ""


def results_beside(path: Path) -> Path | None:
    """Return the results file of a samples file: the one of the same date."""
    date = date_of(path)
    try:
        names = sorted(one.name for one in path.parent.iterdir())
    except OSError:
        return None
    ending = f"_{date}.json" if date else "results.json"
    return next((path.parent / name for name in names if name.endswith(ending)), None)


def read_results(path: Path | None) -> Results:
    """Return what a results file says; nothing where it cannot be read."""
    try:
        document = parse_json(path.read_bytes()) if path is not None else None
    except (OSError, ValueError):
        return Results()
    return _results(document) if isinstance(document, dict) else Results()


def _results(document: dict[str, Any]) -> Results:
    config = _object(document.get("config"))
    arguments = settings_of(config.get("model_args"))
    model = document.get("model_name") or arguments.get("pretrained") or arguments.get("model")
    model = model if isinstance(model, str) and model.strip() else None
    on_the_hub = document.get("model_source") in _ON_THE_HUB or config.get("model") in _ON_THE_HUB
    said = {name: arguments[name] for name in TELLING if name in arguments}
    sampling = sorted(settings_of(config.get("gen_kwargs")).items())
    return Results(
        model=model,
        template=_template(document),
        sampler=named([*sampling, *said.items()]),
        label=label_of(model) if model else None,
        hf_id=model if model and on_the_hub and re.fullmatch(r"[\w.-]+/[\w.-]+", model) else None,
        tasks=_tasks(document),
    )


def _template(document: Mapping[str, Any]) -> str:
    parts = ["chat"] if document.get("chat_template") else []
    instruction = document.get("system_instruction_sha")
    if isinstance(instruction, str) and instruction:
        parts.append(f"system {instruction[:8]}")
    return ", ".join(parts) or "default"


def _tasks(document: Mapping[str, Any]) -> dict[str, Task]:
    groups: dict[str, str] = {}
    for group, members in _object(document.get("group_subtasks")).items():
        for member in members if isinstance(members, list) else []:
            groups.setdefault(str(member), group)
    shots, counts = _object(document.get("n-shot")), _object(document.get("n-samples"))
    better, configs = _object(document.get("higher_is_better")), _object(document.get("configs"))
    found = {}
    for name, figures in _object(document.get("results")).items():
        own = {
            tuple(key.split(",", 1)): float(value)
            for key, value in _object(figures).items()
            if "," in key and isinstance(value, int | float) and "_stderr" not in key
        }
        effective = _object(counts.get(name)).get("effective")
        alias = figures.get("alias") if isinstance(figures, dict) else None
        found[name] = Task(
            label=alias.strip(" -") if isinstance(alias, str) and alias.strip(" -") != name else None,
            group=groups.get(name),
            shots=shots.get(name) if isinstance(shots.get(name), int) else None,
            documents=effective if isinstance(effective, int) else None,
            filters=tuple(dict.fromkeys(filter_ for _, filter_ in own)),
            own={(metric, filter_): value for (metric, filter_), value in own.items()},
            lower_is_better=frozenset(key for key, up in _object(better.get(name)).items() if up is False),
            aggregation=_aggregation(_object(configs.get(name)).get("metric_list")),
        )
    return found


def _aggregation(metrics: Any) -> dict[str, str]:
    listed = [one for one in metrics if isinstance(one, dict)] if isinstance(metrics, list) else []
    return {str(one.get("metric")): str(one.get("aggregation")) for one in listed if one.get("aggregation")}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
