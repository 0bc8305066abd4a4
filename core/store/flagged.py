"""The flagged completions of a dataset, found in its database, and the statistics without them.

Loaded into tables in memory when a dataset is opened: flagged(completion_id, point_id, item_id, flag, note,
flagged_at), flag being the flag's place in the file, and of the points that have flagged completions what is
left without these, in the shape of the file's tables: kept_points, kept_item_results, kept_point_choices.
Few points have any, so that a filter that leaves flagged completions out costs next to nothing.
"""

from collections.abc import Sequence

import duckdb
import pyarrow as pa

from core.flags import Flag, canonical_params
from core.store.aggregate import (
    POINT_STATISTICS,
    STORED_THRESHOLD,
    item_results,
    point_choices,
    point_statistics,
)

KEPT = (
    "c.point_id IN (SELECT point_id FROM flagged)"
    " AND c.completion_id NOT IN (SELECT completion_id FROM flagged)"
)
"""SQL over `completions c`: the completions of points with flagged ones that are not flagged themselves."""


def load_flagged(connection: duckdb.DuckDBPyConnection, flags: Sequence[Flag]) -> tuple[Flag, ...]:
    """Make the tables of flagged completions beside an attached catalog `data`.

    Returns
    -------
    tuple of Flag
        The flags of which the database has no completion.
    """
    connection.execute(
        "CREATE TABLE flagged (completion_id BIGINT, point_id INTEGER, item_id INTEGER, flag INTEGER,"
        " note VARCHAR, flagged_at VARCHAR)"
    )
    lost = _find(connection, flags) if flags else ()
    threshold = repr(STORED_THRESHOLD)
    names = ", ".join(f"a.{name}" for name in POINT_STATISTICS)
    # CREATE TABLE AS takes no parameters.
    statistics = point_statistics("data.completions", KEPT).replace("$threshold", threshold)
    results = item_results("data.completions", KEPT).replace("$threshold", threshold)
    connection.execute(f"""
        CREATE TABLE kept_points AS
        SELECT q.* EXCLUDE ({", ".join(POINT_STATISTICS)}), {names}
        FROM ({statistics}) a JOIN data.points q USING (point_id)""")
    connection.execute(f"CREATE TABLE kept_item_results AS {results}")
    choices = point_choices("kept_item_results", "data.items")
    connection.execute(f"CREATE TABLE kept_point_choices AS {choices}")
    return lost


def _find(connection: duckdb.DuckDBPyConnection, flags: Sequence[Flag]) -> tuple[Flag, ...]:
    """Fill `flagged`; return the flags that were not found."""
    places = {
        (base_task, canonical_params(params)): params_id
        for params_id, base_task, params in connection.execute(
            "SELECT params_id, base_task, params FROM data.param_sets"
        ).fetchall()
    }
    wanted = pa.table(
        {
            "flag": pa.array(range(len(flags)), pa.int32()),
            "params_id": pa.array([places.get((f.base_task, f.params)) for f in flags], pa.int32()),
            **{
                name: pa.array([getattr(flag, name) for flag in flags], pa.string())
                for name in ("model", "template", "sampler", "item_key", "note", "flagged_at")
            },
            "repeat": pa.array([flag.repeat for flag in flags], pa.int64()),
        }
    )
    connection.register("wanted_flags", wanted)
    try:
        # Items and points first: few of them are left to look for among millions of completions.
        connection.execute("""
            INSERT INTO flagged
            WITH places AS (
                SELECT w.flag, w.repeat, w.note, w.flagged_at, p.point_id, i.item_id
                FROM wanted_flags w
                JOIN data.points p USING (model, template, sampler, params_id)
                JOIN data.items i ON i.params_id = w.params_id AND i.key = w.item_key
            )
            SELECT c.completion_id, c.point_id, c.item_id, f.flag, f.note, f.flagged_at
            FROM data.completions c
            JOIN places f ON c.point_id = f.point_id AND c.item_id = f.item_id AND c.repeat = f.repeat""")
    finally:
        connection.unregister("wanted_flags")
    found = {flag for (flag,) in connection.execute("SELECT flag FROM flagged").fetchall()}
    return tuple(flag for place, flag in enumerate(flags) if place not in found)
