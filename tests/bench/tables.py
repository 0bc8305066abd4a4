"""The figures as a table on the terminal, as sentences, and as the tables of docs/performance.md."""

from collections.abc import Iterator
from typing import Any

from rich.table import Table

BUDGET_FIRST, BUDGET_REPEAT, BUDGET_BYTES, BUDGET_MB = 1.0, 0.15, 2_000_000, 1536
RATIO, SLACK = 1.5, 0.15
"""A tier may take so many times the bare query and so many seconds."""

NONE = "—"
COLUMNS = ("page", "first s", "repeat s", "kB sent", "peak MB", "tier s", "bare query s", "tier/bare", "over")

Result = dict[str, Any]


def over(result: Result) -> list[str]:
    """Return the budgets that a page does not keep."""
    found = []
    if result["first"] > BUDGET_FIRST:
        found.append("first")
    if result["repeat"] > BUDGET_REPEAT:
        found.append("repeat")
    if result["bytes"] > BUDGET_BYTES:
        found.append("bytes")
    if result["peak_mb"] > BUDGET_MB:
        found.append("memory")
    if result["bare"] is not None and result["tier"] > RATIO * result["bare"] + SLACK:
        found.append("ratio")
    return found


def cells(result: Result) -> tuple[str, ...]:
    """Return a page's row of the table, in the order of COLUMNS."""
    bare, tier = result["bare"], result["tier"]
    return (
        result["page"],
        f"{result['first']:.2f}",
        f"{result['repeat']:.3f}",
        f"{result['bytes'] / 1000:.0f}",
        f"{result['peak_mb']:.0f}",
        NONE if tier is None else f"{tier:.2f}",
        NONE if bare is None else f"{bare:.2f}",
        NONE if bare is None else f"{tier / bare:.1f}",
        ", ".join(over(result)) or "-",
    )


def rich_table(size: Result) -> Table:
    """Return the table of one size for the terminal."""
    table = Table(title=f"{size['completions']:,} completions")
    for name in COLUMNS:
        table.add_column(name, justify="left" if name in ("page", "over") else "right", no_wrap=True)
    for result in size["pages"]:
        table.add_row(*cells(result))
    return table


def sentences(document: Result) -> Iterator[str]:
    """Return what else was measured, in words."""
    if by_hand := document.get("pandas"):
        yield (
            f"The leaderboard in plain pandas, loading all completions: {by_hand['total']:.1f} s,"
            f" {by_hand['peak_mb']:,.0f} MB."
        )
    if app := document.get("app"):
        painted = ""
        if app["paint"] is not None:
            painted = (
                f"; a browser that was just started shows the first page's title {app['title']:.1f} s later,"
                f" and its chart after {app['paint']:.1f} s"
            )
        yield f"The app answers after {app['answers']:.1f} s{painted}."
        yield (
            f"Ten sessions that have opened every page: {app['ten_sessions_mb']:,.0f} MB"
            f" (peak {app['ten_sessions_peak_mb']:,.0f}), slowest run {app['slowest_run']:.1f} s."
        )
    if image := document.get("image"):
        yield f"PNG of the leaderboard: {image['evals_8']:.2f} s of 8 evals, {image['evals_75']:.2f} s of 75."
    if imported := document.get("import"):
        yield (
            f"Import of {imported['completions']:,} completions with {imported['text_mb']:.0f} MB of text:"
            f" {imported['seconds']:.0f} s, all processes together at most"
            f" {imported['all_processes_mb']:,.0f} MB."
        )


def markdown(document: Result) -> str:
    """Return everything as the text of docs/performance.md."""
    parts = [
        INTRODUCTION.strip(),
        "",
        f"Measured on: {'; '.join(filter(None, document['machine'].values()))}.",
        "",
    ]
    parts += [*(f"- {line}" for line in sentences(document)), ""]
    for size in document["sizes"]:
        parts += [f"## {size['completions']:,} completions", "", f"| {' | '.join(COLUMNS)} |"]
        parts += [f"|{'|'.join('---' if name in ('page', 'over') else '--:' for name in COLUMNS)}|"]
        parts += [f"| {' | '.join(cells(result))} |" for result in size["pages"]]
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


INTRODUCTION = f"""
# How fast it is

Made by `python -m tests.bench --sizes 15000000,100000,1500000,60000000 --markdown docs/performance.md`,
which makes datasets of 75 evals, 12 tasks and 3 tiers without texts. *First* is the first run on the server
with nothing kept, *repeat* a run that changes nothing. *Tier* is what the page computes, as the command
line does; the *bare query* is the same aggregate as a plain DuckDB query over completions. Pages that show
groups a few at a time are compared for one task.

Budgets, for 15 million completions: a first run {BUDGET_FIRST:g} s, a repeat {BUDGET_REPEAT:g} s, \
{BUDGET_BYTES / 1e6:g} MB to the browser, {BUDGET_MB / 1024:g} GB of memory, a tier {RATIO:g} times the bare \
query plus {SLACK:g} s. *Over* names those that a page does not keep.
"""
