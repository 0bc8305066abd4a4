"""A comparison as a JSON document, as rows for CSV, and as tables of text for Markdown and the screen."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.export import plain, to_markdown
from core.tiers.compare.items import RULE_NAMES, RULES
from core.tiers.compare.length_chart import PART_NAMES, length_sentence
from core.tiers.compare.lengths import Lengths
from core.tiers.compare.notes import against_disagreements, against_notes, comparison_notes
from core.tiers.compare.table import Against, Comparison
from core.tiers.compare.words import (
    against_summary,
    disagreement,
    interval_text,
    needed,
    p_number,
    section_sentence,
    verdict,
)
from core.tiers.methods import Methods
from core.tiers.tokens import token_text
from core.tiers.words import EM_DASH, number

ROW_FIELDS = (
    "scope", "value", "n_items", "both_right", "both_wrong", "gained", "lost", "difference", "lower", "upper",
    "test", "p_value", "p_adjusted", "m", "mde", "left_out", "truncated",
)  # fmt: skip
CSV_FIELDS = (
    *ROW_FIELDS, "label", "accuracy_a", "accuracy_b", "interval", "items_needed", "only_a", "only_b",
    "unpaired", "all_truncated", "gamma",
)  # fmt: skip

Document = dict[str, Any]


def to_document(comparison: Comparison, lengths: Sequence[Lengths], methods: Methods) -> Document:
    """Return a comparison as plain values, full precision, missing as None.

    `rows` has the fields of ROW_FIELDS per scope, value and truncation rule. Differences are A minus B; an
    mde of None is not reachable.

    Parameters
    ----------
    lengths
        One per truncation rule.
    """
    setup = comparison.setup
    return {
        **_head(comparison, methods),
        "a": _eval(comparison, comparison.a),
        "b": _eval(comparison, comparison.b),
        "verdict": {rule: verdict(comparison, rule) for rule in RULES},
        "disagreement": disagreement(comparison) or None,
        "items_needed": {
            rule: {"items": _items_needed(comparison.overall(rule)), "words": needed(comparison, rule)}
            for rule in RULES
        },
        "mismatches": list(setup.mismatches),
        "unknown": list(setup.unknown),
        "alike": list(setup.alike),
        "rows": plain(comparison.rows[list(ROW_FIELDS)]),
        "spent": plain(comparison.spent.drop(columns="label")),
        "lengths": [
            {
                "truncated": one.rule,
                "summary": length_sentence(one),
                "without_tokens": one.without_tokens,
                "fifths": plain(one.cells),
                "longest_minus_shortest": plain(one.gaps),
            }
            for one in lengths
        ],
        "notes": list(dict.fromkeys(note for rule in RULES for note in comparison_notes(comparison, rule))),
    }


def against_document(against: Against, methods: Methods) -> Document:
    """Return A against all others as plain values: `rows` as in `to_document`, with the other's label."""
    return {
        **_head(against, methods),
        "a": _eval(against, against.a),
        "summary": {rule: against_summary(against, rule) for rule in RULES},
        "disagreement": against_disagreements(against) or None,
        "rows": plain(against.rows[[*ROW_FIELDS, "label"]]),
        "notes": list(against_notes(against)),
    }


def _head(result: Comparison | Against, methods: Methods) -> Document:
    return {
        "dataset": result.config.name,
        "filters": result.filters.without("eval_id").to_dict(),
        "methods": {
            "measure": result.measure,
            "level": 0.95,
            "threshold": result.filters.threshold,
            "interval": methods.interval,
            "repeats": methods.repeats,
        },
    }


def _eval(result: Comparison | Against, eval_id: int) -> Document:
    return {"eval_id": eval_id, "label": result.config.evals[eval_id].label}


def _items_needed(row: pd.Series) -> int | None:
    needed_items = row["items_needed"]
    return int(needed_items) if np.isfinite(needed_items) else None


def export_frame(result: Comparison | Against) -> pd.DataFrame:
    """Return all rows, both truncation rules, full precision: what the tables show, for CSV."""
    frame = result.rows[list(CSV_FIELDS)].copy()
    frame["items_needed"] = frame["items_needed"].where(np.isfinite(frame["items_needed"]))
    return frame


def row_texts(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows as text cells, the first column saying what is compared."""
    return pd.DataFrame(
        {
            "": rows["label"],
            "items": [f"{n:,}" for n in rows["n_items"]],
            "A": [number(value, 3) for value in rows["accuracy_a"]],
            "B": [number(value, 3) for value in rows["accuracy_b"]],
            "A minus B [95%]": [
                interval_text(*values)
                for values in zip(rows["difference"], rows["lower"], rows["upper"], strict=True)
            ],
            "p, corrected": [p_number(p) for p in rows["p_adjusted"]],
            "both right": [f"{n:,}" for n in rows["both_right"]],
            "gained": [f"{n:,}" for n in rows["gained"]],
            "lost": [f"{n:,}" for n in rows["lost"]],
            "both wrong": [f"{n:,}" for n in rows["both_wrong"]],
            "detectable": [mde_text(mde, n) for mde, n in zip(rows["mde"], rows["n_items"], strict=True)],
            "left out": [f"{n:,}" for n in rows["left_out"]],
        }
    )


def mde_text(mde: float, n_items: int) -> str:
    """Return a minimum detectable difference as text, an em dash where there are no items."""
    if not n_items:
        return EM_DASH
    return "not reachable" if pd.isna(mde) else f"{mde:.3f}"


def spent_texts(comparison: Comparison) -> pd.DataFrame:
    """Return what A and B spend as text cells: tokens and truncated completions, their differences."""
    rows = comparison.spent
    head = "visible tokens" if comparison.visible_tokens else "tokens"
    return pd.DataFrame(
        {
            "": rows["label"],
            "items": [f"{n:,}" for n in rows["truncated_items"]],
            f"{head} A": [token_text(value) for value in rows["tokens_a"]],
            f"{head} B": [token_text(value) for value in rows["tokens_b"]],
            f"{head}, A minus B [95%]": [
                interval_text(*values, digits=0 if abs(values[0]) >= 100 else 1)
                for values in zip(
                    rows["tokens_difference"], rows["tokens_lower"], rows["tokens_upper"], strict=True
                )
            ],
            "truncated A": [_share(value) for value in rows["truncated_a"]],
            "truncated B": [_share(value) for value in rows["truncated_b"]],
            "truncated, A minus B [95%]": [
                interval_text(*values)
                for values in zip(
                    rows["truncated_difference"],
                    rows["truncated_lower"],
                    rows["truncated_upper"],
                    strict=True,
                )
            ],
        }
    )


def _share(value: float) -> str:
    return EM_DASH if pd.isna(value) else f"{value:.1%}"


def length_texts(lengths: Lengths) -> pd.DataFrame:
    """Return accuracy by fifth of length as text cells."""
    names = lengths.config.eval_names
    rows = lengths.cells
    return pd.DataFrame(
        {
            "eval": [names[int(one)] for one in rows["eval_id"]],
            "fifth": [PART_NAMES[int(part) - 1] for part in rows["part"]],
            "tokens": [
                f"{low:,.0f} to {high:,.0f}"
                for low, high in zip(rows["tokens_from"], rows["tokens_to"], strict=True)
            ],
            "mean tokens": [token_text(value) for value in rows["tokens"]],
            "n": [f"{n:,.0f}" for n in rows["n"]],
            "items": [f"{n:,}" for n in rows["n_items"]],
            "accuracy [95%]": [
                f"{number(p, 3)} [{number(low, 3)}, {number(high, 3)}]"
                for p, low, high in zip(rows["accuracy"], rows["lower"], rows["upper"], strict=True)
            ],
        }
    )


def markdown(comparison: Comparison, lengths: Sequence[Lengths], rule: str) -> str:
    """Return a comparison as Markdown: verdict, what differs in the runs, tables, notes."""
    a, b = comparison.names
    parts = [
        f"# {a} (A) against {b} (B)",
        verdict(comparison, rule),
        disagreement(comparison),
        "\n".join(f"- {line}" for line in comparison.setup.mismatches),
        f"More items to separate them: {needed(comparison, rule)}",
    ]
    both = pd.concat([comparison.of("overall", one) for one in RULES], ignore_index=True)
    both = both.assign(label=[f"Overall, truncated {RULE_NAMES[one]}" for one in RULES])
    parts.append(to_markdown(row_texts(both)))
    for scope in ("task", "tier", "cell"):
        rows = comparison.of(scope, rule)
        if scope == "cell":
            rows = rows[rows["differs"]]
        if len(comparison.of(scope, rule)):
            parts.append(section_sentence(comparison, scope, rule))
        if len(rows):
            parts.append(to_markdown(row_texts(rows)))
    parts.append(to_markdown(spent_texts(comparison)))
    parts += [
        text for one in lengths if one.rule == rule for text in (length_sentence(one), _length_table(one))
    ]
    parts.append("\n".join(f"- {note}" for note in comparison_notes(comparison, rule)))
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _length_table(lengths: Lengths) -> str:
    return to_markdown(length_texts(lengths)) if len(lengths.cells) else ""


def against_markdown(against: Against, rule: str) -> str:
    """Return A against all others as Markdown."""
    parts = [
        f"# {against.name} (A) against all",
        against_summary(against, rule),
        to_markdown(row_texts(against.of(rule))),
        "\n".join(f"- {note}" for note in against_notes(against)),
    ]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"
