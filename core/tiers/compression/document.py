"""Panels and figures as a JSON document and as rows for CSV."""

from typing import Any

import pandas as pd

from core.export import plain
from core.tiers.compression.bins import PANELS
from core.tiers.compression.figures import ALL, FIGURES, Figures
from core.tiers.compression.notes import method_sentence, panel_notes, problems
from core.tiers.compression.panels import Panels
from core.tiers.compression.suspects import LoopCounts
from core.tiers.split import Split

Document = dict[str, Any]

BOUNDED = [f"{name}{end}" for name in FIGURES for end in ("", "_lower", "_upper")]


def figure_frame(panels: Panels, figures: Figures) -> pd.DataFrame:
    """Return the figures as rows: eval where stacked, series, outcome, counts, and each figure with bounds.

    `n` are all completions but failed ones, `counted` those that the figures are of. Outcomes that no
    completion of a part has are left out.
    """
    told = panels.parts.rows.merge(figures.frame, on="part")
    told = told.merge(_counts(panels), on=["part", "outcome"], how="left")
    told = told[told["n"].notna() | (told["outcome"] == ALL)].reset_index(drop=True)
    frame = pd.DataFrame({"series": panels.parts.series, "value": told["label"], "outcome": told["outcome"]})
    if panels.stacked:
        ids = told["stack"].astype(int)
        frame.insert(0, "eval_id", ids)
        frame.insert(1, "label", [panels.config.evals[one].label for one in ids])
    for name in ("n", "counted", "loops"):
        frame[name] = told[name].fillna(0).astype(int)
    # Without sizes nobody looked for loops.
    unsized = (told["no_size"].fillna(0) >= told["n"].fillna(0)).to_numpy()
    frame["loops"] = frame["loops"].astype("Int64").mask(unsized)
    frame["length"] = panels.length.measure
    return pd.concat([frame, told[BOUNDED]], axis=1)


def _counts(panels: Panels) -> pd.DataFrame:
    """Return n and loops per part and outcome, and of all outcomes but failed ones."""
    rows = panels.bins.counts
    rows = rows[rows["outcome"].isin(PANELS)][
        ["part", "outcome", "n", "loops", "empty", "no_length", "no_size"]
    ]
    every = rows.drop(columns="outcome").groupby("part", as_index=False).sum().assign(outcome=ALL)
    return pd.concat([rows, every], ignore_index=True)


def to_document(
    panels: Panels, figures: Figures, loops: LoopCounts, listed: pd.DataFrame, *, split: Split | None = None
) -> Document:
    """Return panels, figures and suspected loops as plain values, full precision, missing as None.

    `groups` has an object per eval (where stacked) and series; its `outcomes` have the figures and, but for
    all of them together, the bins as parallel arrays: from (inclusive) and to (exclusive) of length and
    compressed bytes, n, and share of the group's completions drawn in the panel.
    """
    return {
        "dataset": panels.config.name,
        "filters": panels.filters.to_dict(),
        "methods": {
            "repeats": figures.methods.repeats,
            "level": 0.95,
            "threshold": panels.filters.threshold,
            "sampled": figures.sampled,
            "intervals": method_sentence(figures.methods, sampled=figures.sampled),
            "notes": [*problems(panels), *panel_notes(panels)],
        },
        "split": None if split is None else {"dimension": split.dimension, "value": split.value},
        "series": panels.parts.series,
        "stack": "eval_id" if panels.stacked else "none",
        "length": panels.length.measure,
        "groups": _groups(panels, figures),
        "loops": _loops(panels, loops, listed),
    }


def _groups(panels: Panels, figures: Figures) -> list[Document]:
    told = figures.frame.merge(_counts(panels), on=["part", "outcome"], how="left")
    groups = []
    columns = (panels.parts.rows[name].tolist() for name in ("part", "stack", "series", "label"))
    for part, stack, value, label in zip(*columns, strict=True):
        identity: Document = {"value": value, "label": label}
        if panels.stacked:
            identity = {"eval_id": int(stack), "eval": panels.config.evals[int(stack)].label, **identity}
        own = told[told["part"] == part]
        groups.append({**identity, "outcomes": [_outcome(panels, part, row) for row in plain(own)]})
    return groups


def _outcome(panels: Panels, part: int, row: Document) -> Document:
    counts = {
        name: int(row[name] or 0) for name in ("n", "counted", "loops", "empty", "no_length", "no_size")
    }
    document = {"outcome": row["outcome"], **counts, **{name: row[name] for name in BOUNDED}}
    if row["outcome"] == ALL:
        return document
    bins = panels.bins.frame
    bins = bins[(bins["part"] == part) & (bins["outcome"] == row["outcome"])]
    edges = {
        f"{name}_{end}": [panels.bins.edge(int(place) + step) for place in bins[side]]
        for name, side in (("length", "i"), ("compressed", "j"))
        for end, step in (("from", 0), ("to", 1))
    }
    return {**document, "bins": {**edges, "n": bins["n"].tolist(), "share": bins["share"].tolist()}}


def _loops(panels: Panels, loops: LoopCounts, listed: pd.DataFrame) -> Document:
    return {
        "least_bytes": panels.rule.least_bytes,
        "ratio": panels.rule.ratio,
        "task_ratios": panels.rule.own_ratios(panels.config),
        "loops": loops.loops,
        "of": loops.completions,
        "counts": plain(loops.frame),
        "listed": plain(listed),
    }
