"""What the results file of a LightEval run says: model, sampling, and means per task."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from core.importers.naming import named
from core.importers.parsing import digest_of, parse_json

DETAILS = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.parquet$")

SAMPLING = (
    *("temperature", "top_p", "top_k", "min_p", "seed", "max_new_tokens", "repetition_penalty"),
    *("frequency_penalty", "presence_penalty", "length_penalty"),
)


class About(NamedTuple):
    """What the name of a details file says; `full` is the task as the results call it."""

    full: str
    task: str
    shots: int | None
    date: str


@dataclass(frozen=True)
class Results:
    """The run that a results file is of; `own` by task and metric."""

    model: str | None = None
    template: str = "default"
    sampler: str = "default"
    token_limit: int | None = None
    own: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def about(path: Path) -> About | None:
    """Return what the name of a details file says; None where it is no such name."""
    match = DETAILS.fullmatch(path.name)
    if match is None:
        return None
    parts = match["task"].split("|")
    if len(parts) > 3:
        # Early versions end with whether the few-shot examples may be cut.
        parts = parts[:3]
    shots = int(parts.pop()) if len(parts) > 1 and parts[-1].isdecimal() else None
    return About(match["task"], parts[-1], shots, match["date"])


def results_beside(path: Path) -> Path | None:
    """Return the results file of a details file: beside the folder `details`, under the same date."""
    date = path.parent.name
    for folder in path.parents:
        if folder.name == "details":
            model = path.parent.parent.relative_to(folder)
            results = folder.parent / "results" / model / f"results_{date}.json"
            return results if results.is_file() else None
    return None


def has_details(path: Path) -> bool:
    """Whether a results file, results/<model>/results_<date>.json, has details of the same date."""
    date = path.stem.removeprefix("results_")
    for folder in path.parents:
        if folder.name == "results":
            return (folder.parent / "details" / path.parent.relative_to(folder) / date).is_dir()
    return False


def model_of(path: Path) -> str | None:
    """Return the model that the path of a details file names."""
    for folder in path.parents:
        if folder.name == "details":
            return path.parent.parent.relative_to(folder).as_posix().strip("./") or None
    return None


def read_results(path: Path | None) -> Results:
    """Return what a results file says; nothing where it cannot be read."""
    try:
        document = parse_json(path.read_bytes()) if path is not None else None
    except (OSError, ValueError):
        return Results()
    if not isinstance(document, dict):
        return Results()
    general = _object(document.get("config_general"))
    config = _object(general.get("model_config"))
    generation = _object(config.get("generation_parameters")) or _object(general.get("generation_parameters"))
    model = general.get("model_name") or config.get("model_name")
    limit = generation.get("max_new_tokens")
    system = config.get("system_prompt")
    sha = digest_of(system, 8) if isinstance(system, str) and system else ""
    settings = [(name, generation.get(name)) for name in SAMPLING]
    settings += [("revision", config.get("revision"))] if config.get("revision") not in (None, "main") else []
    return Results(
        model=model if isinstance(model, str) and model.strip() else None,
        template=f"system {sha}" if sha else "default",
        sampler=named(settings),
        token_limit=limit if isinstance(limit, int) and limit > 0 else None,
        own={
            task: {key: float(value) for key, value in figures.items() if isinstance(value, int | float)}
            for task, figures in _object(document.get("results")).items()
            if isinstance(figures, dict)
        },
    )


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
