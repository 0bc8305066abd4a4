"""The grid of spectra: which rows (projections) and columns (tokenizer, template) a selection has."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.config import DatasetConfig
from core.errors import FilterError, NothingFoundError
from core.filters import Filters
from core.spectra import BYTES, Origin
from core.store.dataset import Dataset
from core.tiers.fft.rows import MEMBERS, Row, offered_rows
from core.tiers.selection import selected_points

Cause = Literal["prompts", "spectra", "short"]

WHY: dict[Cause, str] = {
    "prompts": "No prompt of this selection is in the dataset, so nothing can have a spectrum. Import records"
    " that have a prompt, and prompt_token_ids where they are known.",
    "spectra": "No spectra have been computed for this selection yet.",
    "short": "Every prompt of this selection is shorter than 16 tokens, or the same token throughout: a"
    " spectrum needs more. Select other tasks, or import the whole prompt, its instructions included.",
}


class NoSpectraError(NothingFoundError):
    """The selection has results and no spectrum.

    Attributes
    ----------
    cause
        prompts: there are none; spectra: they have not been computed; short: no prompt is long enough.
    """

    def __init__(self, cause: Cause, hint: str = "") -> None:
        super().__init__(f"{WHY[cause]}{hint}")
        self.cause = cause


@dataclass(frozen=True)
class Column:
    """A tokenizer on the prompts of a template, and the evals that share it."""

    tokenizer: str
    template: str
    origin: Origin
    evals: tuple[int, ...]

    @property
    def name(self) -> str:
        """What the column is called."""
        return f"{self.tokenizer} · {self.template}"


@dataclass(frozen=True)
class FftGrid:
    """The rows and columns of a selection that have spectra, in display order.

    Attributes
    ----------
    evals
        The evals that are selected, with or without spectra.
    filters
        Resolved.
    """

    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    evals: tuple[int, ...]
    config: DatasetConfig
    filters: Filters

    def name(self, eval_id: int) -> str:
        """Return what an eval is called."""
        return self.config.eval_names[eval_id]

    def column(self, name: str) -> Column:
        """Return a column by its name. Raises FilterError where there is none."""
        found = next((column for column in self.columns if column.name == name), None)
        if found is None:
            valid = ", ".join(column.name for column in self.columns)
            raise FilterError(f"No column {name!r} in this selection; valid: {valid}")
        return found

    @property
    def without_tokens(self) -> tuple[int, ...]:
        """The selected evals that have no column."""
        have = {one for column in self.columns for one in column.evals}
        return tuple(one for one in self.evals if one not in have)


def has_tokenizers(dataset: Dataset) -> bool:
    """Return whether the database knows tokenizers at all: older ones do not have the table."""
    rows = dataset.rows(
        "SELECT 1 FROM duckdb_tables() WHERE database_name = 'data' AND table_name = 'identity_tokenizers'"
    )
    return bool(rows)


def read_grid(dataset: Dataset, filters: Filters, *, shown: Sequence[str] = ()) -> FftGrid:
    """Read which spectra a selection has.

    Parameters
    ----------
    filters : Filters
        As the user gave them. A projection filter leaves only those rows.
    shown : sequence of str
        Ids of the projections to show; all of the selected tasks where empty.

    Raises
    ------
    FilterError
        The filters, or `shown`, name what the dataset does not have.
    NothingFoundError
        Nothing matches the filters.
    NoSpectraError
        Something matches, and none of it has a spectrum.
    """
    filters = filters.resolved(dataset.catalog)
    selected, parameters = selected_points(dataset, filters)
    found = dataset.rows(
        f"""
        WITH selected AS ({selected})
        SELECT DISTINCT s.eval_id, p.base_task FROM selected s JOIN data.points p USING (point_id)""",
        **parameters,
    )
    if not found:
        raise NothingFoundError("No results found matching filters")
    tasks = {row["base_task"] for row in found}
    columns = _columns(dataset, selected, parameters)
    offered = offered_rows(dataset, filters, [one for one in dataset.catalog.base_tasks if one in tasks])
    _require(shown, offered)
    there = _with_spectra(dataset, selected, parameters) if columns else {}
    rows = tuple(
        row
        for row in offered
        if (not shown or row.id in shown)
        and any(there.get((row.id, c.tokenizer, c.template)) for c in columns)
    )
    if not rows:
        raise NoSpectraError(_cause(dataset, selected, parameters, there), _how_to(dataset, there))
    columns = tuple(
        column
        for column in columns
        if any(there.get((row.id, column.tokenizer, column.template)) for row in rows)
    )
    evals = tuple(sorted({row["eval_id"] for row in found}))
    return FftGrid(rows, columns, evals, dataset.config, filters)


def _require(shown: Sequence[str], offered: Sequence[Row]) -> None:
    valid = [row.id for row in offered]
    for one in shown:
        if one not in valid:
            raise FilterError(f"No projection {one!r} in this selection; valid: {', '.join(valid)}")


def _columns(dataset: Dataset, selected: str, parameters: dict[str, object]) -> tuple[Column, ...]:
    """Return the columns of a selection; templates that several tokenizers read stand first, side by side."""
    if not has_tokenizers(dataset):
        return ()
    rows = dataset.rows(
        f"""
        WITH selected AS ({selected})
        SELECT t.tokenizer, p.template, min(t.origin) AS origin,
            list(DISTINCT s.eval_id ORDER BY s.eval_id) AS evals
        FROM selected s
        JOIN data.points p USING (point_id)
        JOIN data.identity_tokenizers t
            ON t.model = p.model AND t.template = p.template AND t.sampler = p.sampler
        GROUP BY t.tokenizer, p.template""",
        **parameters,
    )
    columns = [Column(r["tokenizer"], r["template"], r["origin"], tuple(r["evals"])) for r in rows]
    tokenizers: dict[str, list[Column]] = {}
    for column in columns:
        tokenizers.setdefault(column.template, []).append(column)
    first = {template: min(one.evals[0] for one in some) for template, some in tokenizers.items()}
    return tuple(
        sorted(
            columns,
            key=lambda one: (
                -len(tokenizers[one.template]),
                first[one.template],
                one.tokenizer == BYTES,
                one.evals,
                one.tokenizer,
            ),
        )
    )


Present = dict[tuple[str, str, str], bool]
"""(row, tokenizer, template) -> whether any of its prompts has a spectrum; absent: none was computed."""


def _with_spectra(dataset: Dataset, selected: str, parameters: dict[str, object]) -> Present:
    rows = dataset.rows(
        f"""
        WITH sets AS (
            SELECT DISTINCT p.params_id FROM ({selected}) s JOIN data.points p USING (point_id)
        ), measured AS (
            SELECT i.params_id, s.tokenizer, q.template, bool_or(s.bands IS NOT NULL) AS some
            FROM data.spectra s
            JOIN data.prompts q USING (prompt_id)
            JOIN data.items i USING (item_id)
            SEMI JOIN sets USING (params_id)
            WHERE s.kind = 'indicator'
            GROUP BY ALL
        )
        SELECT m.row, d.tokenizer, d.template, bool_or(d.some) AS some
        FROM measured d JOIN ({MEMBERS}) m USING (params_id)
        GROUP BY ALL""",
        **parameters,
    )
    return {(row["row"], row["tokenizer"], row["template"]): row["some"] for row in rows}


def _cause(dataset: Dataset, selected: str, parameters: dict[str, object], there: Present) -> Cause:
    if there:
        return "short"
    some = dataset.rows(
        f"""
        WITH sets AS (
            SELECT DISTINCT p.params_id FROM ({selected}) s JOIN data.points p USING (point_id)
        )
        SELECT 1
        FROM data.prompts q JOIN data.items i USING (item_id) SEMI JOIN sets USING (params_id)
        LIMIT 1""",
        **parameters,
    )
    return "spectra" if some else "prompts"


def _how_to(dataset: Dataset, there: Present) -> str:
    if there or not dataset.rows("SELECT 1 FROM data.prompts LIMIT 1"):
        return ""
    return f" Compute them: python -m core spectra {dataset.config_path}"
