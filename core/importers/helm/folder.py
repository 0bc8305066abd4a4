"""The files of a HELM run folder: what was run, the scores by instance, the means."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.importers.csv_rows import param_value
from core.importers.cutting import Block, cut_array
from core.importers.parsing import canonical, parse_json

STATE, SCORES, SPEC, STATS = "scenario_state.json", "per_instance_stats.json", "run_spec.json", "stats.json"

NOT_PARAMS = frozenset(
    {
        *(
            "model",
            "model_deployment",
            "method",
            "groups",
            "eval_split",
            "stop",
            "stop_sequences",
            "max_tokens",
        ),
        *("instructions", "output_format_instructions", "output_prefix", "num_outputs", "global_prefix"),
        *("num_train_trials", "max_eval_instances", "max_train_instances", "metric", "data_augmentation"),
        *("data_path", "path", "temperature", "prompt", "chatml", "tokenizer_name"),
    }
)
"""Arguments in a run's name that say how it was run, or where; the others say which part of a task it is."""

Key = tuple[str, str, int]
"""An instance, its perturbation as canonical JSON ("" without one), and the training trial."""


@dataclass(frozen=True)
class Spec:
    """What a run is."""

    task: str
    model: str | None
    params: Mapping[str, Any] = field(default_factory=dict)


def read_spec(folder: Path, adapter: Mapping[str, Any]) -> Spec:
    """Return what a run is by its run_spec.json; without one by its folder's name, which is the same."""
    document = _document(folder / SPEC)
    name = document.get("name") if isinstance(document, dict) else None
    spec = document.get("adapter_spec") if isinstance(document, dict) else None
    adapter = {**(spec if isinstance(spec, dict) else {}), **adapter}
    name = name if isinstance(name, str) and name else folder.name
    task, _, rest = name.partition(":")
    params: dict[str, Any] = {}
    for part in rest.split(","):
        key, sign, value = part.partition("=")
        if sign and key not in NOT_PARAMS:
            params[key] = param_value(value)
    shots = adapter.get("max_train_instances")
    if isinstance(shots, int):
        params["num_fewshot"] = shots
    model = adapter.get("model")
    return Spec(task or name, model if isinstance(model, str) and model else None, params)


def _document(path: Path) -> Any:
    try:
        return parse_json(path.read_bytes())
    except (OSError, ValueError):
        return None


def key_of(entry: Mapping[str, Any], instance: Any) -> Key:
    """Return what scores and requests are joined on."""
    perturbation = entry.get("perturbation")
    trial = entry.get("train_trial_index")
    return (
        str(instance),
        canonical(perturbation) if isinstance(perturbation, dict) else "",
        trial if isinstance(trial, int) else 0,
    )


def scores_of(folder: Path) -> Iterator[tuple[Key, dict[str, float]]]:
    """Yield the means of every statistic by instance, one at a time; what cannot be read is passed over."""
    with (folder / SCORES).open("rb") as file:
        for block in cut_array(file):
            if isinstance(block, Block):
                yield from _scores(block)


def _scores(block: Block) -> Iterator[tuple[Key, dict[str, float]]]:
    for line in block.data.split(b"\n"):
        try:
            entry = parse_json(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield key_of(entry, entry.get("instance_id")), dict(_means(entry.get("stats")))


def _means(stats: Any) -> Iterator[tuple[str, float]]:
    for stat in stats if isinstance(stats, list) else []:
        name = stat.get("name") if isinstance(stat, dict) else None
        name = name.get("name") if isinstance(name, dict) else None
        mean = stat.get("mean") if isinstance(stat, dict) else None
        if isinstance(name, str) and isinstance(mean, int | float):
            yield name, float(mean)


def metrics_of(folder: Path) -> Counter[str]:
    """Return for each statistic in how many instances it is from 0 to 1."""
    found: Counter[str] = Counter()
    try:
        for _, means in scores_of(folder):
            for name, mean in means.items():
                found[name] += 0 <= mean <= 1
    except OSError:
        pass
    return found


def own_mean(folder: Path, metric: str) -> float | None:
    """Return the run's own mean of a metric, over unperturbed instances of all splits together."""
    document = _document(folder / STATS)
    found = []
    for stat in document if isinstance(document, list) else []:
        name = stat.get("name") if isinstance(stat, dict) else None
        if isinstance(name, dict) and name.get("name") == metric and not name.get("perturbation"):
            found.append(stat.get("mean"))
    # Several splits have a mean each, and no mean of all.
    return float(found[0]) if len(found) == 1 and isinstance(found[0], int | float) else None
