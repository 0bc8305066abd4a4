"""Two evals cell by cell: pairs counted by hand, tests and correction against oracles."""

import random

import numpy as np
import pytest
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests

from core.errors import FilterError
from core.filters import Filters
from core.tiers.methods import Methods
from core.tiers.surface import difference_frame, read_surface_difference, read_surfaces, to_document
from tests.store.staging import completion

CONFIG = {
    "basetasks": {
        "add": {
            "label": "Adding",
            "surfaces": [
                {"id": "plane", "label": "Plane", "x_data": "x", "y_data": "y", "x_values": [0, 1, 2, 3],
                 "y_values": [0, 1, 2]}
            ],
        }
    }
}  # fmt: skip


def outcomes(seed=3, items=30):
    """For each cell and item the outcomes of both evals: a is better the further right, never otherwise."""
    draw = random.Random(seed)
    return {
        (x, y, item): (draw.random() < 0.6, draw.random() < 0.6 - 0.18 * x)
        for x in range(4)
        for y in range(3)
        for item in range(items)
    }


def records(found, **fields):
    return [
        completion(model=model, params={"x": x, "y": y}, item_key=f"{item}",
                   outcome="correct" if right else "incorrect", **fields)
        for (x, y, item), both in found.items()
        for model, right in zip("ab", both, strict=True)
    ]  # fmt: skip


def compared(dataset, a=0, b=1, **document):
    grid = read_surfaces(dataset, Filters.from_dict(document), Methods())
    return grid, read_surface_difference(dataset, grid, a, b)


def test_every_cell_is_mcnemars_test_and_benjamini_hochberg(made):
    found = outcomes()
    _, result = compared(made(records(found), **CONFIG))
    assert result.tests == len(result.cells) == 12
    p = []
    for row in result.cells.itertuples():
        pairs = [both for (x, y, _), both in found.items() if (x, y) == (row.x, row.y)]
        b, c = sum(a and not o for a, o in pairs), sum(o and not a for a, o in pairs)
        assert row.difference == pytest.approx((b - c) / len(pairs))
        assert row.n_items == len(pairs)
        assert row.left_out == 0
        p.append(binomtest(min(b, c), b + c, 0.5).pvalue if b + c else 1.0)
    assert result.cells["p"].to_numpy() == pytest.approx(np.array(p))
    differs, q, *_ = multipletests(p, 0.05, "fdr_bh")
    assert result.cells["q"].to_numpy() == pytest.approx(q)
    assert result.cells["differs"].tolist() == differs.tolist()
    assert 0 < differs.sum() < 12


def test_difference_turns_its_sign_with_the_evals(made):
    dataset = made(records(outcomes()), **CONFIG)
    one, other = compared(dataset)[1].cells, compared(dataset, 1, 0)[1].cells
    assert one["difference"].to_numpy() == pytest.approx(-other["difference"].to_numpy())
    assert one["lower"].to_numpy() == pytest.approx(-other["upper"].to_numpy())
    assert one["q"].to_numpy() == pytest.approx(other["q"].to_numpy())


def test_only_common_items_are_paired(made):
    data = records({(0, 0, item): (True, False) for item in range(8)})
    data += [completion(model="a", params={"x": 0, "y": 0}, item_key=f"more {i}") for i in range(3)]
    data += [
        completion(model=model, params={"x": 1, "y": 0}, item_key=f"{model}", paired=False) for model in "ab"
    ]
    _, result = compared(made(data, **CONFIG))
    first, second = result.cells.to_dict(orient="records")
    assert (first["n_items"], first["left_out"], first["difference"]) == (8, 3, 1.0)
    assert (second["n_items"], second["left_out"]) == (0, 2)
    assert np.isnan(second["p"])
    assert not second["differs"]
    assert result.tests == 1
    assert any("5 items are left out" in note for note in result.notes)


def test_truncated_counts_as_wrong_and_a_turned_sign_is_told(made):
    data = records({(0, 0, item): (item < 5, item < 4) for item in range(10)})
    for row in data:
        if row["model"] == "a" and int(row["item_key"]) < 3:
            row["outcome"] = "truncated"
    _, result = compared(made(data, **CONFIG))
    cell = result.cells.iloc[0]
    assert cell["difference"] == pytest.approx((2 - 4) / 10)
    assert cell["counted_difference"] == pytest.approx((2 - 1) / 7)
    assert any("In 1 cells the other eval is ahead" in note for note in result.notes)


def test_repeats_are_averaged_per_item(made):
    data = [
        completion(model=model, params={"x": 0, "y": 0}, item_key=f"{item}", repeat=repeat,
                   outcome="correct" if repeat < right else "incorrect")
        for model, right in (("a", 3), ("b", 1))
        for item in range(6)
        for repeat in range(4)
    ]  # fmt: skip
    cell = compared(made(data, **CONFIG))[1].cells.iloc[0]
    assert (cell["difference"], cell["n_items"]) == (0.5, 6)
    assert cell["p"] == pytest.approx(2 / 2**6)
    assert cell["method"].startswith("sign-flip, enumerated")


def test_one_sentence_and_the_document_say_the_same(made):
    grid, result = compared(made(records(outcomes()), **CONFIG))
    better = int(result.cells["differs"].sum())
    assert result.sentence(grid) == (
        f"On common items a is better than b in {better} and worse in 0 of 12 cells, after Benjamini-Hochberg"
        " at 5% (m = 12)."
    )
    document = to_document(grid, result)["difference"]
    assert document["m"] == 12
    surface = document["surfaces"][0]
    frame = difference_frame(grid, result)
    for row in frame.to_dict(orient="records"):
        assert surface["difference"][int(row["y"])][int(row["x"])] == row["difference"]


def test_evals_that_cannot_be_compared_are_refused(made):
    dataset = made(records(outcomes(items=2)), **CONFIG)
    for pair, words in (((0, 0), "needs two evals"), ((0, 7), "No eval_id 7"), ((-1, 0), "No eval_id -1")):
        with pytest.raises(FilterError, match=words):
            compared(dataset, *pair)
