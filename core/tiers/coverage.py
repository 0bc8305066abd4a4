"""Which pages work with a dataset, and which missing field keeps the others from it.

What a source has is a handful of facts; what each page needs of them stands in one table. The same table
serves a dataset that is there and a source that is only looked at.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from core.store.dataset import Dataset

Works = Literal["yes", "partly", "no"]


@dataclass(frozen=True)
class Facts:
    """What is there: counts, and 0 where there is nothing.

    Attributes
    ----------
    evals, tasks
        With points; tasks that any eval has.
    tokens, visible_tokens
        Completions with a token count, and those of them counted by tokenising the visible text.
    sizes, responses
        Completions whose size and compressed size are known, and stored texts.
    prompts, prompt_tokens, spectra
        Prompt texts, prompts with token ids, computed spectra.
    params, grids
        Tasks with a param of several values, and with two numeric ones.
    surfaces, projections, tiers
        Of the config, with points.
    truncation_unknown
        Completions of which the source does not say whether they were cut off.
    shared
        Whether evals have items in common.
    hf_ids, described
        Evals with an hf_id, and those that have one or typed parameters or a price.
    """

    completions: int = 0
    evals: int = 0
    tasks: int = 0
    tokens: int = 0
    visible_tokens: int = 0
    sizes: int = 0
    responses: int = 0
    prompts: int = 0
    prompt_tokens: int = 0
    spectra: int = 0
    params: int = 0
    grids: int = 0
    surfaces: int = 0
    projections: int = 0
    tiers: int = 0
    truncation_unknown: int = 0
    shared: bool = False
    hf_ids: int = 0
    described: int = 0


@dataclass(frozen=True)
class Need:
    """What a page, or a part of it, needs; `lack` says what is missing and what would help."""

    page: str
    met: Callable[[Facts], bool]
    lack: str
    vital: bool = False


@dataclass(frozen=True)
class PageCoverage:
    """Whether a page works, and what it lacks, one sentence each."""

    page: str
    works: Works
    lacks: tuple[str, ...] = ()


NO_TOKENS = "no token counts (completion_tokens) and no responses to count them in"
NO_TRUNCATION = "some completions do not say whether they were cut off (finish_reason, truncated)"
NOT_SHARED = "no two evals share an item (item_key, or the same prompt)"

NEEDS = (
    Need("Evals", lambda f: f.evals > 0, "no eval of the config has points", vital=True),
    Need("Evals", lambda f: f.tokens > 0, f"Token table: {NO_TOKENS}"),
    Need("Tasks", lambda f: f.tasks > 0, "no task has points", vital=True),
    Need(
        "Tasks", lambda f: f.params > 0, "Accuracy by param: no task has a param of several values (params)"
    ),
    Need("Scores", lambda f: f.evals > 0, "no eval of the config has points", vital=True),
    Need("Scores", lambda f: f.tokens > 0, f"Score per token: {NO_TOKENS}"),
    Need(
        "Scores",
        lambda f: f.truncation_unknown == 0,
        f"Truncation: {NO_TRUNCATION}: these count as they were graded",
    ),
    Need("Scores", lambda f: f.tiers > 0, "Columns by tier: the config has no tiers with points"),
    Need("Cluster", lambda f: f.evals > 1, "there are no two evals to compare", vital=True),
    Need("Cluster", lambda f: f.shared, f"Paired rule: {NOT_SHARED}"),
    Need("Cluster", lambda f: f.tokens > 0, f"Who spends least: {NO_TOKENS}"),
    Need("Spiderweb", lambda f: f.evals > 0, "no eval of the config has points", vital=True),
    Need("Spiderweb", lambda f: f.tasks > 2, "Radar: fewer than three tasks; bars are shown"),
    Need("Spiderweb", lambda f: f.tiers > 0, "A ring per tier: the config has no tiers with points"),
    Need("Surface", lambda f: f.grids > 0, "no task has two numeric params of several values", vital=True),
    Need(
        "Surface",
        lambda f: f.surfaces > 0,
        "the config has no surfaces with points: build one on the page from any two params",
    ),
    Need("FFT", lambda f: f.prompts + f.prompt_tokens > 0, "the source has no prompts (prompt)", vital=True),
    Need(
        "FFT",
        lambda f: f.prompt_tokens > 0 or f.hf_ids > 0,
        "Tokens: neither prompt_token_ids nor hf_ids to get a tokenizer by; bytes are taken instead",
    ),
    Need(
        "FFT",
        lambda f: f.spectra > 0,
        "Spectra are not computed yet: do it on the page or by python -m core spectra",
    ),
    Need("FFT", lambda f: f.projections > 0, "the config has no projections with points to draw lines of"),
    Need(
        "Compression",
        lambda f: f.sizes > 0,
        "no responses were imported (response), so that none was compressed",
        vital=True,
    ),
    Need("Compression", lambda f: f.tokens > 0, f"Length in tokens: {NO_TOKENS}; bytes are taken"),
    Need("Compression", lambda f: f.responses > 0, "The texts of suspected loops are not stored"),
    Need("Hazard", lambda f: f.tokens > 0, NO_TOKENS, vital=True),
    Need("Hazard", lambda f: f.truncation_unknown == 0, f"Censoring: {NO_TRUNCATION}"),
    Need(
        "Hazard",
        lambda f: f.visible_tokens == 0,
        "Tokens were counted in the visible text: hidden reasoning is not in them",
    ),
    Need("Completions", lambda f: f.completions > 0, "there are no completions", vital=True),
    Need(
        "Completions",
        lambda f: f.responses > 0,
        "Responses: their texts are not stored (response, --no-text)",
    ),
    Need("Completions", lambda f: f.prompts > 0, "Prompts: the source has none (prompt)"),
    Need("Compare", lambda f: f.evals > 1, "there are no two evals to compare", vital=True),
    Need("Compare", lambda f: f.shared, NOT_SHARED, vital=True),
    Need(
        "Model info",
        lambda f: f.described > 0,
        "no eval has an hf_id (Dataset page) or parameters (config)",
        vital=True,
    ),
)


def page_coverage(facts: Facts) -> list[PageCoverage]:
    """Return for every page whether it works; only vital lacks are named where it does not."""
    rows = []
    for page in dict.fromkeys(need.page for need in NEEDS):
        lacking = [need for need in NEEDS if need.page == page and not need.met(facts)]
        vital = tuple(need.lack for need in lacking if need.vital)
        if vital:
            rows.append(PageCoverage(page, "no", vital))
        else:
            rows.append(
                PageCoverage(page, "partly" if lacking else "yes", tuple(need.lack for need in lacking))
            )
    return rows


def coverage_frame(rows: list[PageCoverage]) -> pd.DataFrame:
    """Return the table of page, works, why not."""
    return pd.DataFrame(
        [{"page": row.page, "works": row.works, "why not": "; ".join(row.lacks) or None} for row in rows],
        columns=["page", "works", "why not"],
    )


def dataset_facts(dataset: Dataset) -> Facts:
    """Return what a dataset has, whatever the filters."""
    counts = dataset.rows("""
        WITH seen AS (SELECT DISTINCT facet, point_id FROM eval_points)
        SELECT
            (SELECT count(*) FROM data.completions) AS completions,
            (SELECT count(DISTINCT facet) FROM seen) AS evals,
            (SELECT count(DISTINCT base_task) FROM data.points JOIN seen USING (point_id)) AS tasks,
            (SELECT coalesce(sum(token_n), 0)::BIGINT FROM data.points) AS tokens,
            (SELECT coalesce(sum(tokenized_n), 0)::BIGINT FROM data.points) AS visible_tokens,
            (SELECT count(compressed_bytes) FROM data.completions) AS sizes,
            (SELECT count(*) FROM data.responses) AS responses,
            (SELECT count(text) FROM data.prompts) AS prompts,
            (SELECT count(*) FROM data.prompt_tokens) AS prompt_tokens,
            (SELECT count(*) FROM data.spectra) AS spectra,
            (SELECT count(DISTINCT facet) FROM surface_params) AS surfaces,
            (SELECT count(DISTINCT facet) FROM projection_params) AS projections,
            (SELECT count(DISTINCT facet) FROM tier_params) AS tiers,
            (SELECT coalesce(sum(truncation_unknown), 0)::BIGINT FROM data.points) AS truncation_unknown,
            -- Every item has a result; more results than items: some item has two.
            (SELECT count(*) FROM data.item_results) > (SELECT count(*) FROM data.items) AS shared""")[0]
    params = dataset.rows("""
        WITH varied AS (
            SELECT s.base_task, v.name, count(DISTINCT v.number) > 1 AS grid
            FROM data.param_values v
            JOIN data.param_sets s USING (params_id)
            GROUP BY s.base_task, v.name
            HAVING count(DISTINCT coalesce(v.number::VARCHAR, v.text)) > 1
        ), by_task AS (
            SELECT base_task, count(*) FILTER (WHERE grid) AS grid_params
            FROM varied
            GROUP BY base_task
        )
        SELECT count(*) AS params, count(*) FILTER (WHERE grid_params > 1) AS grids
        FROM by_task""")[0]
    hf_ids = sum(1 for entry in dataset.config.evals if entry.hf_id)
    described = sum(1 for entry in dataset.config.evals if entry.hf_id or entry.parameters or entry.price)
    return Facts(**counts, **params, hf_ids=hf_ids, described=described)


def source_facts(document: Mapping[str, Any]) -> Facts:
    """Return what the pages need to know of a source; what an import makes of it is foreseen.

    Parameters
    ----------
    document
        The fields of core.importers.inspection.Inspection, as `inspect-source --format json` gives them.
    """
    fields: Mapping[str, int] = document["fields"]
    kept = int(document["kept"])
    responses, tokens = fields.get("response", 0), fields.get("completion_tokens", 0)
    numeric = int(document["numeric_params"])
    return Facts(
        completions=kept,
        evals=int(document["evals"]),
        tasks=int(document["tasks"]),
        tokens=max(tokens, responses),
        visible_tokens=max(0, responses - tokens),
        sizes=responses,
        responses=responses,
        prompts=fields.get("prompt", 0),
        prompt_tokens=fields.get("prompt_token_ids", 0),
        # An import computes them from token ids.
        spectra=fields.get("prompt_token_ids", 0),
        params=len(document["params"]),
        grids=numeric // 2,
        surfaces=numeric // 2,
        projections=numeric,
        tiers=int("difficulty" in document["params"]),
        truncation_unknown=kept - fields.get("finish_reason", 0),
        shared=bool(document["shared_items"]),
        hf_ids=fields.get("hf_id", 0),
        described=fields.get("hf_id", 0),
    )
