"""The inferred surfaces of the real results against a recount of the raw JSON."""

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from core.filters import Filters
from core.store import open_dataset
from core.tiers.methods import Methods
from core.tiers.surface import read_surfaces, to_document

pytestmark = pytest.mark.slow


def steps_of(axis, value):
    """The first step of an axis that takes a value: an equal one, or a closed bin."""
    for place, step in enumerate(axis):
        if step == value or (isinstance(step, list) and step[0] <= value <= step[1]):
            return place
    return None


def recount(root: Path, task: str, names: tuple[str, str], axes):
    """Return [correct, counted, items] per (model, x, y), from the files and the regenerated items alone."""
    reasoning_gym = pytest.importorskip(
        "reasoning_gym", reason="reasoning-gym regenerates the params of the items"
    )
    cells = defaultdict(lambda: [0, 0, set()])
    for path in sorted(root.glob(f"*/*/*/{task}.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        model = re.sub(r"_\d{8}_\d{6}$", "", path.parts[-3])
        made = reasoning_gym.create_dataset(task, **document["config"])
        for index, result in enumerate(document["results"]):
            item = made[index]
            if item["question"] != result["question"]:
                continue
            place = tuple(
                steps_of(axis, item["metadata"][name]) for axis, name in zip(axes, names, strict=True)
            )
            for one in result["completions"]:
                if "error" not in one:
                    cell = cells[model, *place]
                    cell[0] += one["score"] >= 1
                    cell[1] += 1
                    cell[2].add((path.parts[-4], index))
    return cells


@pytest.mark.parametrize(
    ("task", "params", "binned"),
    [("chain_sum", {"num_terms", "num_digits"}, False), ("word_sorting", {"num_words", "word_length"}, True)],
)
def test_inferred_surface_agrees_with_the_raw_files(rg_dataset, rg_source, task, params, binned):
    dataset = open_dataset(rg_dataset)
    grid = read_surfaces(dataset, Filters(base_task=(task,)), Methods())
    found = [panel for panel in grid.panels if {panel.surface.x_data, panel.surface.y_data} == params]
    assert len(found) == 1
    assert bool(found[0].surface.x_bins or found[0].surface.y_bins) == binned
    surfaces = [one for one in to_document(grid)["surfaces"] if one["surface"] == found[0].id]
    first = surfaces[0]
    cells = recount(rg_source, task, (first["x_data"], first["y_data"]), (first["x"], first["y"]))
    assert all(None not in key for key in cells)
    seen = 0
    for surface in surfaces:
        model = dataset.config.evals[surface["eval_id"]].filters["model"]
        for y in range(len(surface["y"])):
            for x in range(len(surface["x"])):
                n = surface["n"][y][x]
                if n is None:
                    assert (model, x, y) not in cells
                    continue
                correct, counted, items = cells[model, x, y]
                assert (n, surface["n_items"][y][x]) == (counted, len(items))
                if counted:
                    assert surface["accuracy"][y][x] == pytest.approx(correct / counted)
                seen += 1
    assert seen == len(cells) > 50
