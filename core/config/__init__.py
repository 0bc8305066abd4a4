"""The dataset config: evals, base tasks, surfaces, projections and tiers, and the JSON file they stand in.

The file is ReasonScape's; keys that this project does not know are kept through a load and a save.
"""

from core.config.entries import (
    NAME_PATTERN,
    BaseTask,
    DatasetConfig,
    EvalEntry,
    IdentityField,
    ParamFilter,
    ParamFilters,
    Projection,
    Scalar,
    Step,
    Surface,
    Tier,
    free_id,
    is_number,
    matches,
    repeated,
    same_value,
    surface_over,
    tier_filter,
    title,
    value_order,
    whole,
    whole_steps,
)
from core.config.file import dump_config, load_config, lock_path, save_config
from core.config.model_facts import Price, parameter_count

__all__ = [
    "NAME_PATTERN",
    "BaseTask",
    "DatasetConfig",
    "EvalEntry",
    "IdentityField",
    "ParamFilter",
    "ParamFilters",
    "Price",
    "Projection",
    "Scalar",
    "Step",
    "Surface",
    "Tier",
    "dump_config",
    "free_id",
    "is_number",
    "load_config",
    "lock_path",
    "matches",
    "parameter_count",
    "repeated",
    "same_value",
    "save_config",
    "surface_over",
    "tier_filter",
    "title",
    "value_order",
    "whole",
    "whole_steps",
]
