"""Results of lm-evaluation-harness: `results_<date>.json` and, beside it, `samples_<task>_<date>.jsonl`.

The samples hold a row for each document and answer filter, but neither the model nor how it was run; those
are in the results file of the same date.
"""

from core.importers.lm_eval.reader import LmEval

__all__ = ["LmEval"]
