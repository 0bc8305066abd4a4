"""One completion with everything that is known of it."""

from dataclasses import dataclass, fields

from core.errors import NothingFoundError
from core.filters import Filters
from core.store.aggregate import STORED_THRESHOLD
from core.store.dataset import Dataset
from core.tiers.completions.query import outcome_at
from core.tiers.loops import LoopRule, suspected_loop


@dataclass(frozen=True)
class Completion:
    """A completion, its item, its texts and where it comes from; what is missing is None.

    Attributes
    ----------
    outcome, stored_outcome
        At the threshold of the filters, and at threshold 1.
    eval_ids
        The evals of the config that its point belongs to.
    params
        Canonical JSON.
    prompt, response
        The texts; None where the dataset has none.
    ratio, loop
        Compressed bytes per byte of the response, and whether that makes it a suspected loop.
    flag
        The note of its flag, None where it is not flagged.
    source, place
        The file that it was read from, and where in it.
    others as in core.store.schema
    """

    completion_id: int
    point_id: int
    item_id: int
    eval_ids: tuple[int, ...]
    model: str
    template: str
    sampler: str
    base_task: str
    params: str
    item_key: str
    paired: bool
    repeat: int
    outcome: str
    stored_outcome: str
    score: float | None
    answer: str | None
    reference: str | None
    choices: int | None
    prompt: str | None
    response: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    token_source: str
    truncation: str
    token_limit: int | None
    finish_reason: str | None
    response_bytes: int | None
    compressed_bytes: int | None
    ratio: float | None
    loop: bool
    scorer: str | None
    explanation: str | None
    flag: str | None
    source: str | None
    source_format: str | None
    place: str | None


def read_completion(
    dataset: Dataset, filters: Filters, completion_id: int, rule: LoopRule | None = None
) -> Completion:
    """Return a completion by its id.

    Raises
    ------
    FilterError
        The filters name what the dataset does not have.
    NothingFoundError
        The dataset has no completion of this id.
    """
    threshold = filters.resolved(dataset.catalog).threshold or STORED_THRESHOLD
    loop, bound = suspected_loop(rule or LoopRule(), dataset.config)
    if threshold != STORED_THRESHOLD:
        bound["threshold"] = threshold
    rows = dataset.rows(
        f"""
        SELECT c.* EXCLUDE (outcome, prompt_id, import_id, place), {outcome_at(threshold)} AS outcome,
            c.outcome AS stored_outcome, p.model, p.template, p.sampler, p.base_task, p.params,
            i.key AS item_key, i.paired, i.reference, i.choices, q.text AS prompt, r.text AS response,
            c.compressed_bytes / nullif(c.response_bytes, 0) AS ratio, coalesce({loop}, false) AS loop,
            f.note AS flag, m.path AS source, m.format AS source_format, c.place
        FROM data.completions c
        JOIN data.points p USING (point_id)
        JOIN data.items i USING (item_id)
        LEFT JOIN data.prompts q ON q.prompt_id = c.prompt_id
        LEFT JOIN data.responses r ON r.completion_id = c.completion_id
        LEFT JOIN flagged f ON f.completion_id = c.completion_id
        LEFT JOIN data.imports m ON m.import_id = c.import_id
        WHERE c.completion_id = $completion_id""",
        completion_id=completion_id,
        **bound,
    )
    if not rows:
        raise NothingFoundError(f"No completion {completion_id} in this dataset")
    evals = dataset.rows(
        "SELECT facet FROM eval_points WHERE point_id = $point_id ORDER BY facet",
        point_id=rows[0]["point_id"],
    )
    rows[0]["eval_ids"] = tuple(row["facet"] for row in evals)
    return Completion(**{field.name: rows[0][field.name] for field in fields(Completion)})


def why(completion: Completion, threshold: float) -> str:
    """Return in a sentence why the outcome is what it is."""
    score = "" if completion.score is None else f"score {completion.score:g}"
    if completion.outcome == "error":
        return "The scorer or the infrastructure failed: it counts nowhere."
    if completion.outcome == "truncated":
        known = {"inferred": "from the token limit", "reported": "as the source reports"}
        limit = completion.token_limit
        told = [f"a limit of {limit:,} tokens" if limit is not None else "a limit"]
        told += [known[completion.truncation]] if completion.truncation in known else []
        return f"Stopped by {', '.join(told)}: it is not folded into incorrect, whatever the answer."
    if completion.outcome == "invalid":
        return f"No answer could be read{f' ({score})' if score else ''}."
    if not score:
        return f"The source says {completion.outcome}, without a score."
    sign = "at least" if completion.outcome == "correct" else "below"
    return f"Its {score} is {sign} the threshold of {threshold:g}."
