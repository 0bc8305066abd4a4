"""Details of LightEval: a Parquet file per task, `details/<model>/<date>/details_<task>_<date>.parquet`.

What was run, and the means, are in `results/<model>/results_<date>.json` of the same output folder.
"""

from core.importers.lighteval.reader import LightEval

__all__ = ["LightEval"]
