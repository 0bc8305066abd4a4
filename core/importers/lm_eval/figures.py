"""A task's own mean in the results file against that of the records."""

from collections.abc import Iterator

from core.importers.lm_eval.results import Task
from core.importers.lm_eval.rows import NO_FILTER, Sheet
from core.importers.own_figures import BY_DEFINITION, CONTRADICTION, TOLERANCE, left_out
from core.importers.reader import Kept, Remark

MEANS = ("", "mean", "acc_all")


def compare_figures(task: str, about: Task, sheet: Sheet, kept: Kept) -> Iterator[Remark]:
    """Yield where the results' figures differ from those of the records, or will differ on Scores."""
    run = f"{task}, {sheet.values['model']}"
    total = sum(kept.outcomes.values())
    if about.documents is not None and about.documents != total:
        yield Remark(CONTRADICTION, f"{run}: {about.documents:,} documents in the results, {total:,} here")
    own = about.own.get((sheet.metric, sheet.filter or NO_FILTER))
    if own is None or not kept.scored:
        return
    mean = kept.score_sum / kept.scored
    said = f"{run}: {sheet.metric} {own:.4g} in the results"
    if abs(own - mean) > TOLERANCE:
        how = about.aggregation.get(sheet.metric, "")
        if how in MEANS:
            yield Remark(CONTRADICTION, f"{said}, {mean:.4g} over its rows")
        else:
            yield Remark(BY_DEFINITION, f"{said} (aggregated by {how}), mean {mean:.4g} over its rows")
    if remark := left_out(said, kept):
        yield remark
