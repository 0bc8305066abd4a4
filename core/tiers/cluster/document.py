"""Clusters as a JSON document, as rows for CSV, and as tables for Markdown and the screen."""

from typing import Any

import pandas as pd

from core.export import markdown_text, plain, to_markdown
from core.tiers.cluster.table import Clusters, Section
from core.tiers.cluster.words import (
    RULE_WORDS,
    recommendation,
    rule_sentence,
    section_sentence,
    summary,
)
from core.tiers.tokens import mean_text, token_text
from core.tiers.words import EM_DASH, number

MEMBER_FIELDS = ("eval_id", "label", "center", "margin", "n", "mean_tokens")
PAIR_FIELDS = (
    "eval_a", "eval_b", "difference", "lower", "upper", "p", "p_adjusted", "separated", "n_items", "left_out",
    "test", "difference_untruncated", "p_adjusted_untruncated",
)  # fmt: skip


def to_document(clusters: Clusters, *, pairs: bool = False) -> dict[str, Any]:
    """Return sections as plain values, full precision, missing as None; pairs only when asked for."""
    return {"sections": [_section_document(clusters, section, pairs) for section in clusters.sections]}


def _section_document(clusters: Clusters, section: Section, pairs: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "stack": clusters.stack,
        "value": section.value,
        "rule": clusters.rule,
        "m": section.m,
        "members": [
            {field: plain(row[field]) for field in MEMBER_FIELDS}
            for row in section.members.to_dict(orient="records")
        ],
        "cliques": [list(clique) for clique in section.cliques],
    }
    if pairs and section.pairs is not None:
        document["pairs"] = [
            {field: plain(row[field]) for field in PAIR_FIELDS}
            for row in section.pairs.to_dict(orient="records")
        ]
    return document


def export_frame(clusters: Clusters) -> pd.DataFrame:
    """Return one row per section and eval, full precision: what the tables show, for CSV."""
    frames = []
    for section in clusters.sections:
        frame = section.members.drop(columns=["name"]).copy()
        frame.insert(0, "stack", clusters.stack)
        frame.insert(1, "value", section.value)
        frame.insert(2, "rule", clusters.rule)
        frame.insert(3, "m", section.m)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def pairs_export(clusters: Clusters) -> pd.DataFrame:
    """Return one row per section and pair, full precision."""
    frames = []
    for section in clusters.sections:
        if section.pairs is not None:
            frame = section.pairs.copy()
            frame.insert(0, "value", section.value)
            frame.insert(1, "m", section.m)
            frames.append(frame)
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def overview_frame(clusters: Clusters) -> pd.DataFrame:
    """Return one row per eval and a column per section: center and the letters of its cliques."""
    columns: dict[int, dict[int, str]] = {}
    heads = [section.label for section in clusters.sections]
    for place, section in enumerate(clusters.sections):
        columns[place] = {
            int(eval_id): EM_DASH if pd.isna(center) else f"{center:.2f} {cliques}".rstrip()
            for eval_id, center, cliques in zip(
                *(section.members[name].tolist() for name in ("eval_id", "center", "cliques")), strict=True
            )
        }
    evals = sorted({eval_id for column in columns.values() for eval_id in column})
    names = clusters.config.eval_names
    frame = pd.DataFrame({"eval": [names[one] for one in evals]})
    for place, head in enumerate(heads):
        # Two sections may be called the same; a frame's columns may not.
        title = head if heads.count(head) == 1 else f"{head} [{clusters.sections[place].value}]"
        frame[title] = [columns[place].get(one, EM_DASH) for one in evals]
    return frame


def member_frame(section: Section, *, visible_tokens: bool = False) -> pd.DataFrame:
    """Return the evals of a section as text cells, best first."""
    return _member_texts(section.members, visible_tokens)


def choice_frame(section: Section, *, visible_tokens: bool = False) -> pd.DataFrame:
    """Return the top clique as text cells, fewest tokens first."""
    return _member_texts(section.top(), visible_tokens)


def _member_texts(rows: pd.DataFrame, visible_tokens: bool) -> pd.DataFrame:
    tokens = "visible tokens" if visible_tokens else "tokens"
    frame = pd.DataFrame(
        {
            "eval": rows["name"],
            "cliques": rows["cliques"],
            "accuracy": [number(value, 3) for value in rows["accuracy"]],
            "95% interval": _spans(rows["lower"], rows["upper"], 3),
            "n": [f"{n:,.0f}" for n in rows["n"]],
            "items": [f"{n:,.0f}" for n in rows["n_items"]],
            "truncated": [EM_DASH if pd.isna(share) else f"{share:.1%}" for share in rows["truncated_ratio"]],
            f"mean {tokens} [95%]": _means(rows),
        }
    )
    return frame.reset_index(drop=True)


def clique_frame(section: Section, *, visible_tokens: bool = False) -> pd.DataFrame:
    """Return the cliques of a section as text cells."""
    rows = section.groups
    tokens = "visible tokens" if visible_tokens else "tokens"
    return pd.DataFrame(
        {
            "clique": rows["clique"],
            "size": rows["size"],
            "members": rows["members"],
            "centers": [
                number(low, 3) if low == high else f"{number(low, 3)} to {number(high, 3)}"
                for low, high in zip(rows["lowest"], rows["highest"], strict=True)
            ],
            f"mean {tokens} [95%]": _means(rows),
            f"fewest {tokens}": [
                EM_DASH if saver is None or pd.isna(count) else f"{saver} ({token_text(count)})"
                for saver, count in zip(rows["saver"], rows["saver_tokens"], strict=True)
            ],
        }
    )


def pairs_matrix(section: Section) -> pd.DataFrame:
    """Return row minus column in points of accuracy with its interval; * where significant after Holm."""
    names = list(section.members["name"])
    frame = pd.DataFrame(EM_DASH, index=names, columns=names)
    cells = frame.to_numpy(dtype=object)
    place = {int(eval_id): number for number, eval_id in enumerate(section.members["eval_id"])}
    for row in [] if section.pairs is None else section.pairs.to_dict(orient="records"):
        a, b = place[row["eval_a"]], place[row["eval_b"]]
        cells[a, b] = _difference(row["difference"], row["lower"], row["upper"], row["separated"])
        cells[b, a] = _difference(-row["difference"], -row["upper"], -row["lower"], row["separated"])
    return pd.DataFrame({"row minus column": names, **{name: cells[:, n] for n, name in enumerate(names)}})


def _difference(difference: float, lower: float, upper: float, separated: bool) -> str:
    if pd.isna(difference):
        return EM_DASH
    # Adding 0 turns a negative zero into a plain one.
    d, low, high = (round(value, 3) + 0.0 for value in (difference, lower, upper))
    return f"{d:+.3f} [{low:+.3f}, {high:+.3f}]{' *' if separated else ''}"


def markdown(clusters: Clusters, *, pairs: bool = False) -> str:
    """Return all sections as Markdown: cliques, evals, the choice, and pairs when asked for."""
    parts = [
        f"# {markdown_text(clusters.config.name)}: clusters",
        markdown_text(summary(clusters)),
        f"Selected: {markdown_text(clusters.filters.sentence(clusters.config))}.",
        f"{rule_sentence(clusters)} {RULE_WORDS[clusters.rule]}",
        f"{clusters.methods.sentence()}; token intervals: 95%, items as the sample.",
    ]
    for section in clusters.sections:
        visible = clusters.visible_tokens
        parts += [
            f"## {markdown_text(section.label)}",
            f"{markdown_text(section_sentence(section))} {rule_sentence(clusters, section)}",
            to_markdown(clique_frame(section, visible_tokens=visible)),
            to_markdown(member_frame(section, visible_tokens=visible)),
            f"Which to take? {markdown_text(recommendation(section, visible_tokens=visible))}",
        ]
        if pairs and section.pairs is not None:
            parts += [
                "Row minus column, raw accuracy on common items, truncated as wrong [95% interval];"
                " * significant after Holm.",
                to_markdown(pairs_matrix(section)),
            ]
        parts += ["\n".join(f"- {markdown_text(note)}" for note in section.notes)] if section.notes else []
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _spans(lower: pd.Series, upper: pd.Series, digits: int) -> list[str]:
    return [
        EM_DASH if pd.isna(low) else f"{low:.{digits}f} to {high:.{digits}f}"
        for low, high in zip(lower, upper, strict=True)
    ]


def _means(rows: pd.DataFrame) -> list[str]:
    return [
        mean_text(mean, low, high)
        for mean, low, high in zip(
            rows["mean_tokens"], rows["tokens_lower"], rows["tokens_upper"], strict=True
        )
    ]
