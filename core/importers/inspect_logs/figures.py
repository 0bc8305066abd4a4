"""A log's own mean of its score against that of the records, and against what Scores will show."""

from collections.abc import Iterator

from core.importers.inspect_logs.header import Header, Own
from core.importers.inspect_logs.samples import Log
from core.importers.own_figures import BY_DEFINITION, CONTRADICTION, TOLERANCE, left_out
from core.importers.reader import Kept, Remark

MEAN = ("", "mean", "avg")


def compare_figures(header: Header, log: Log, kept: Kept) -> Iterator[Remark]:
    """Yield where the log's mean differs from that of the records, and where Scores will differ from it."""
    own = _own(header, log)
    if own is None or not kept.scored:
        return
    run = f"{header.task}, {header.model}"
    mean = kept.score_sum / kept.scored
    if abs(own.value - mean) > TOLERANCE:
        said = f"{run}: {own.name} {own.metric} {own.value:.4g} in the log, {mean:.4g} over its completions"
        if header.epochs > 1:
            reduced = f"{said}; the log reduces {header.epochs} epochs to one score first"
            yield Remark(BY_DEFINITION, f"{reduced} ({own.reducer})" if own.reducer else reduced)
        else:
            yield Remark(CONTRADICTION, said)
    if remark := left_out(f"{run}: {own.name} {own.metric} {own.value:.4g} in the log", kept):
        yield remark


def _own(header: Header, log: Log) -> Own | None:
    """Return the log's mean of the score that was taken, not one of other reducers or metrics."""
    if not log.scorers:
        return None
    scorer, key = log.scorers[0]
    found = [one for one in header.own if one.scorer == scorer and one.name == (key or scorer)]
    plain = [one for one in found if one.reducer in MEAN]
    return next(iter(plain or found), None)
