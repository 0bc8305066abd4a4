"""The tables of a points database, and what each column means. Missing is NULL, never 0.

Identity of the evaluation plane is (model, template, sampler); of the task plane a param set, that is
(base_task, params). A point is one of each; an item belongs to a param set; a completion to both.
"""

SCHEMA_VERSION = 3
"""Raised with every change below: a database of another version is refused and rebuilt, never guessed at."""

TABLES: dict[str, str] = {
    # One row: the schema version, the version of the program that wrote the file.
    "meta": "(schema_version INTEGER, written_by VARCHAR)",
    # The task plane: every (base_task, params) that has items. params is canonical JSON.
    "param_sets": "(params_id INTEGER, base_task VARCHAR, params VARCHAR)",
    # The params one by one: number for numbers, text for texts and booleans ('true', 'false').
    "param_values": "(params_id INTEGER, name VARCHAR, number DOUBLE, text VARCHAR)",
    # The points by name; `points` has the same rows with their statistics.
    "point_identities": (
        "(point_id INTEGER, model VARCHAR, template VARCHAR, sampler VARCHAR, params_id INTEGER)"
    ),
    # Generated problem instances. key: the source's own item id, else the sha256 of the prompt.
    # paired: false where a record had neither, so that no other eval can share the item.
    # choices: number of options to guess from, NULL for free-form answers.
    "items": (
        "(item_id INTEGER, params_id INTEGER, base_task VARCHAR, params VARCHAR, key VARCHAR, paired BOOLEAN,"
        " reference VARCHAR, choices INTEGER)"
    ),
    # The text that a template made of an item.
    "prompts": "(prompt_id INTEGER, item_id INTEGER, template VARCHAR, text VARCHAR)",
    # Token ids of a prompt by a tokenizer, where the source has them.
    "prompt_tokens": "(prompt_id INTEGER, tokenizer VARCHAR, ids INTEGER[])",
    # Which tokenizer's tokens an identity has, and where they come from: source, hub or bytes. Absent from
    # databases older than the spectra, which have none.
    "identity_tokenizers": (
        "(model VARCHAR, template VARCHAR, sampler VARCHAR, tokenizer VARCHAR, origin VARCHAR)"
    ),
    # Power in 64 bands of [0, 0.5] cycles per token, for some prompts of each (tokenizer, template, params);
    # bands is NULL where a prompt has none. Written by core.spectra. kind: indicator or raw.
    "spectra": "(prompt_id INTEGER, tokenizer VARCHAR, kind VARCHAR, n_tokens INTEGER, bands FLOAT[])",
    # One response of an eval to an item. outcome is stored at threshold 1 with the precedence
    # error > truncated > correct > invalid > incorrect. place: line, index or member of the source file.
    "completions": (
        "(completion_id BIGINT, point_id INTEGER, item_id INTEGER, prompt_id INTEGER, repeat INTEGER,"
        " outcome VARCHAR, score DOUBLE, answer VARCHAR, prompt_tokens INTEGER, completion_tokens INTEGER,"
        " reasoning_tokens INTEGER, token_source VARCHAR, truncation VARCHAR, token_limit INTEGER,"
        " finish_reason VARCHAR, response_bytes BIGINT, compressed_bytes BIGINT, scorer VARCHAR,"
        " explanation VARCHAR, import_id INTEGER, place VARCHAR)"
    ),
    # The text of a response, apart so that scans of numbers never touch it; absent with --no-text.
    "responses": "(completion_id BIGINT, text VARCHAR)",
    # Where every number came from, one row per source file. overrides: the --set fields as JSON.
    "imports": (
        "(import_id INTEGER, path VARCHAR, overrides VARCHAR, key VARCHAR, size BIGINT, sha256 VARCHAR,"
        " format VARCHAR, read BIGINT, kept BIGINT, skipped VARCHAR, places VARCHAR, notes VARCHAR,"
        " imported_at TIMESTAMP)"
    ),
    # What the sources say of an identity and of a task; a new config is inferred from these.
    "eval_hints": (
        "(model VARCHAR, template VARCHAR, sampler VARCHAR, label VARCHAR, hf_id VARCHAR, groups VARCHAR[])"
    ),
    "task_hints": "(base_task VARCHAR, label VARCHAR, category VARCHAR)",
}
"""Tables that the build fills row by row. `points`, `point_choices` and `item_results` are derived from
completions by core.store.aggregate and rewritten by every build."""
