"""`python -m core evals`: the evals of a dataset."""

from typing import Annotated, Any

import pandas as pd
import typer

from core.cli.options import Config, FilterText, Format, Output, OutputDir, Search, one_of, read_filters
from core.cli.output import Destination
from core.errors import NothingFoundError
from core.export import csv_bytes, to_json, to_markdown
from core.store.dataset import Dataset, open_dataset
from core.tiers.evals import EvalsTable, read_evals, tier_column
from core.tiers.tasks import projection_frame


def run(
    config: Config,
    search: Search = "",
    groups: Annotated[
        str, typer.Option(metavar="a,b", help="Keep evals that have all of these groups.")
    ] = "",
    filters: FilterText = None,
    output_format: Annotated[
        Format, typer.Option("--format", help="table, json, markdown or csv.")
    ] = Format.TABLE,
    output: Output = None,
    output_dir: OutputDir = None,
    show_token_counts: Annotated[bool, typer.Option(help="Add token statistics per eval and task.")] = False,
    show_projections: Annotated[bool, typer.Option(help="Add the projections of each task.")] = False,
) -> None:
    """List evals: identity, groups, tiers covered, and how many completions were counted.

    Example: python -m core evals data/demo.json --search smollm --groups template:cot --format markdown
    """
    one_of(output_format, Format.TABLE, Format.JSON, Format.MARKDOWN, Format.CSV)
    dataset = open_dataset(config)
    wanted = tuple(group.strip() for group in groups.split(",") if group.strip())
    selected = read_filters(filters)
    table = read_evals(dataset, selected, search=search, groups=wanted)
    if table.frame.empty:
        raise NothingFoundError("No results found matching filters")
    sections = {"evals": shown(table)}
    if show_token_counts:
        sections["visible tokens" if table.visible_tokens else "tokens"] = table.tokens.drop(columns="name")
    if show_projections:
        sections["projections"] = projection_frame(dataset, selected)
    where = Destination.of(dataset, "evals", output_format, selected, output, output_dir)
    if output_format is Format.JSON:
        where.write_text(to_json(_document(dataset, table, sections)))
    elif output_format is Format.CSV:
        where.write_csv(csv_bytes(_one_frame(sections)))
    else:
        draw = to_markdown if output_format is Format.MARKDOWN else _aligned
        texts = [
            draw(frame) if number == 0 else f"{name}\n{draw(frame)}"
            for number, (name, frame) in enumerate(sections.items())
        ]
        where.write_text("\n\n".join([*texts, *table.problems]))


def shown(table: EvalsTable) -> pd.DataFrame:
    """Return the table of evals as it is printed and exported: groups as text, a yes or no per tier."""
    frame = table.frame.drop(columns="name").copy()
    frame["groups"] = [", ".join(groups) for groups in frame["groups"]]
    for tier in table.tiers:
        frame[tier_column(tier)] = frame[tier_column(tier)].map({True: "yes", False: "no"})
    return frame


def _aligned(frame: pd.DataFrame) -> str:
    return frame.to_string(index=False, na_rep="—", float_format=lambda value: f"{value:,.1f}")


def _one_frame(sections: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Join token statistics to the evals; projections are of tasks and follow as rows of their own."""
    frame = sections["evals"]
    for name, other in sections.items():
        if "eval_id" in other and name != "evals":
            frame = frame.merge(other.drop(columns="label"), on="eval_id", how="left")
    if "projections" in sections:
        return pd.concat([frame, sections["projections"]], ignore_index=True)
    return frame


def _document(dataset: Dataset, table: EvalsTable, sections: dict[str, pd.DataFrame]) -> dict[str, Any]:
    evals = []
    for row in table.frame.drop(columns="name").to_dict(orient="records"):
        tiers = {tier.id: bool(row.pop(tier_column(tier))) for tier in table.tiers}
        evals.append({**row, "tiers": tiers})
    document: dict[str, Any] = {
        "dataset": dataset.config.name,
        "tiers": [{"id": tier.id, "label": tier.label} for tier in table.tiers],
        "evals": evals,
        "unmatched": table.unmatched,
        "problems": list(table.problems),
    }
    document.update({name.replace(" ", "_"): frame for name, frame in sections.items() if name != "evals"})
    return document
