"""What a build writes: tables, ids, repeats, duplicates, texts; and what further builds change."""

from dataclasses import replace
from pathlib import Path

from core.store import SCHEMA_VERSION, known_imports
from core.store.aggregate import POINT_STATISTICS
from core.store.load import DUPLICATE
from core.store.schema import TABLES
from tests.store import recount
from tests.store.contents import by_name, everything, query, tables
from tests.store.staging import Row, build, completion, imports_of

DERIVED = {
    "points": ["point_id", "model", "template", "sampler", "base_task", "params", "params_id",
               *POINT_STATISTICS],
    "point_choices": ["point_id", "choices", "n"],
    "item_results": ["point_id", "item_id", "y", "k", "truncated", "token_n", "tokens"],
}  # fmt: skip


def texts(prompt: str, **fields: object) -> Row:
    return completion(
        prompt=prompt, response=f"to {prompt}", prompt_token_ids=[1, 2, len(prompt)], tokenizer="t", **fields
    )


def test_the_tables_are_those_of_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    report = build(path, [completion()])
    found = tables(path)
    assert found.keys() == TABLES.keys() | DERIVED.keys()
    for name, columns in TABLES.items():
        assert found[name] == [column.split()[0] for column in columns.strip("()").split(", ")]
    for name, names in DERIVED.items():
        assert found[name] == names
    assert query(path, "SELECT schema_version FROM meta") == [(SCHEMA_VERSION,)]
    assert (report.points, report.items, report.completions) == (1, 1, 1)


def test_a_build_of_nothing_is_a_database(tmp_path: Path) -> None:
    report = build(tmp_path / "small.duckdb", [])
    assert (report.points, report.items, report.completions) == (0, 0, 0)
    assert everything(tmp_path / "small.duckdb")["points"] == []


def test_ids_follow_the_order_of_the_files_not_of_the_parts(tmp_path: Path) -> None:
    rows = recount.random_rows(5, points_each=2)
    files = [rows[:70], rows[70:100], rows[100:]]
    for number, parts in enumerate((1, 7)):
        build(tmp_path / f"{number}.duckdb", *files, parts=parts)
    first, second = (everything(tmp_path / f"{number}.duckdb") for number in range(2))
    assert first == second
    points = query(tmp_path / "0.duckdb", "SELECT * EXCLUDE (params_id) FROM point_identities ORDER BY 1")
    # points() keeps the order in which the points first appear.
    assert points == [(number, *name[:3]) for number, name in enumerate(recount.points(rows))]


def test_params_one_by_one(tmp_path: Path) -> None:
    params = {"n": 2, "x": 2.5, "flag": True, "off": False, "word": "true", "o'k": "", "big": 10**15}
    build(tmp_path / "small.duckdb", [completion(params=params)])
    assert query(tmp_path / "small.duckdb", "SELECT name, number, text FROM param_values ORDER BY name") == [
        ("big", 1e15, None),
        ("flag", None, "true"),
        ("n", 2.0, None),
        ("o'k", None, ""),
        ("off", None, "false"),
        ("word", None, "true"),
        ("x", 2.5, None),
    ]


def test_repeats_are_numbered_in_file_order_after_the_explicit_ones(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    build(
        path,
        [
            completion(answer="a"),
            completion(answer="b", repeat=5),
            completion(answer="c"),
            completion(answer="d", item_key="1"),
            completion(answer="e", item_key="1"),
            completion(answer="f", model="other"),
        ],
        [completion(answer="g"), completion(answer="h", repeat=0)],
        parts=3,
    )
    found = query(path, "SELECT answer, repeat FROM completions ORDER BY answer")
    assert dict(found) == {"a": 6, "b": 5, "c": 7, "d": 0, "e": 1, "f": 0, "g": 8, "h": 0}
    build(
        path,
        [completion(answer="i"), completion(answer="j", item_key="1")],
        imports=imports_of([[1]], first=2),
    )
    found = query(path, "SELECT answer, repeat FROM completions WHERE answer IN ('i', 'j')")
    assert dict(found) == {"i": 9, "j": 2}


def test_duplicates_within_a_run_and_across_runs_are_counted_with_places(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    first = [
        completion(repeat=0, answer="kept"),
        completion(repeat=0, answer="again"),
        completion(repeat=1),
        completion(repeat=0, template="other"),
        completion(repeat=0, params={"a": 1}),
    ]
    second = [completion(repeat=0, answer="late")] * 7
    report = build(path, first, second, parts=2)
    one, two = report.imports
    assert (one.read, one.kept, one.skipped, one.places) == (5, 4, {DUPLICATE: 1}, {DUPLICATE: ["line 2"]})
    assert (two.read, two.kept, two.skipped) == (7, 0, {DUPLICATE: 7})
    assert two.places == {DUPLICATE: [f"line {number}" for number in range(1, 6)]}
    assert report.completions == 4
    third = [completion(repeat=1, answer="late"), completion(repeat=2)]
    (three,) = build(path, third, imports=imports_of([third], first=2)).imports
    assert (three.kept, three.skipped, three.places) == (1, {DUPLICATE: 1}, {DUPLICATE: ["line 1"]})
    assert query(path, "SELECT answer FROM completions WHERE answer IS NOT NULL") == [("kept",)]
    assert [(row.path, row.kept, row.skipped) for row in known_imports(path)] == [
        (row.path, row.kept, row.skipped) for row in (one, two, three)
    ]


def test_the_first_record_of_an_item_says_reference_and_choices(tmp_path: Path) -> None:
    build(
        tmp_path / "small.duckdb",
        [
            completion(),
            completion(model="b", reference="7", choices=4),
            completion(model="c", reference="8", choices=5, paired=False),
            completion(item_key="1", params={"a": 1}),
        ],
    )
    assert query(
        tmp_path / "small.duckdb",
        "SELECT item_id, base_task, params, key, paired, reference, choices FROM items ORDER BY item_id",
    ) == [(0, "add", "{}", "0", False, "7", 4), (1, "add", '{"a":1}', "1", True, None, None)]


def test_what_a_later_file_says_of_an_item_is_taken_over_where_nothing_was_said(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    build(path, [completion(), completion(item_key="1", reference="1", choices=2)])
    later = [
        completion(model="b", reference="0", choices=4),
        completion(model="b", item_key="1", reference="x", choices=9, paired=False),
    ]
    build(path, later, imports=imports_of([later], first=1))
    found = query(path, "SELECT key, paired, reference, choices FROM items ORDER BY key")
    assert found == [("0", True, "0", 4), ("1", False, "1", 2)]
    # Guessing counts for the completions that were there before, too.
    assert query(path, "SELECT choices, sum(n) FROM point_choices GROUP BY ALL ORDER BY 1") == [
        (2, 2),
        (4, 2),
    ]


def test_prompts_are_stored_once_per_template_and_text(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    build(
        path,
        [
            texts("What?"),
            texts("What?", model="b"),
            texts("What?", template="cot"),
            texts("What else?", repeat=3),
            texts("What?", item_key="1"),
            completion(item_key="2"),
        ],
    )
    assert query(path, "SELECT prompt_id, item_id, template, text FROM prompts ORDER BY prompt_id") == [
        (0, 0, "default", "What?"),
        (1, 0, "cot", "What?"),
        (2, 0, "default", "What else?"),
        (3, 1, "default", "What?"),
    ]
    assert query(path, "SELECT prompt_id, tokenizer, ids FROM prompt_tokens ORDER BY prompt_id") == [
        (0, "t", [1, 2, 5]), (1, "t", [1, 2, 5]), (2, "t", [1, 2, 10]), (3, "t", [1, 2, 5]),
    ]  # fmt: skip
    joined = "SELECT r.text FROM completions JOIN responses r USING (completion_id) WHERE prompt_id = 2"
    assert query(path, joined) == [("to What else?",)]
    assert query(path, "SELECT count(*), count(prompt_id) FROM completions") == [(6, 5)]


def test_tokenizers_have_a_name_each(tmp_path: Path) -> None:
    row = {"prompt": "p", "prompt_token_ids": [1]}
    build(
        tmp_path / "small.duckdb",
        [completion(model="a", **row), completion(model="b", hf_id="org/b", **row),
         completion(model="c", hf_id="org/c", tokenizer="t", **row)],
    )  # fmt: skip
    found = query(tmp_path / "small.duckdb", "SELECT tokenizer FROM prompt_tokens ORDER BY 1")
    assert found == [("a",), ("org/b",), ("t",)]


def test_without_text_only_the_responses_are_missing(tmp_path: Path) -> None:
    rows = [texts("p", item_key=f"{number}", outcome="incorrect") for number in range(3)]
    build(tmp_path / "with.duckdb", rows)
    build(tmp_path / "without.duckdb", rows, keep_text=False)
    kept, left = everything(tmp_path / "with.duckdb"), everything(tmp_path / "without.duckdb")
    assert left.pop("responses") == []
    assert len(kept.pop("responses")) == 3
    assert kept == left


def test_hints_are_the_first_that_a_source_gives(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    build(path, [
        completion(),
        completion(label="M", hf_id="org/m", groups=["size:small"], task_label="Addition", category="math"),
        completion(label="N", groups=["size:large"], task_label="Sums"),
    ])  # fmt: skip
    assert query(path, "SELECT label, hf_id, groups FROM eval_hints") == [("M", "org/m", ["size:small"])]
    assert query(path, "SELECT * FROM task_hints") == [("add", "Addition", "math")]


def test_building_again_and_building_the_same_elsewhere_give_the_same(tmp_path: Path) -> None:
    files = [recount.random_rows(1, points_each=2), [texts("p"), texts("p", template="cot")]]
    for name in ("a.duckdb", "b.duckdb", "b.duckdb"):
        build(tmp_path / name, *files, rebuild=True)
    assert everything(tmp_path / "a.duckdb") == everything(tmp_path / "b.duckdb")


def test_file_by_file_is_the_same_as_all_at_once(tmp_path: Path) -> None:
    rows = recount.random_rows(2, points_each=2)
    files = [rows[:50], [texts("p"), texts("q", template="cot")], rows[50:], [texts("p", item_key="9")]]
    build(tmp_path / "once.duckdb", *files)
    for number, file in enumerate(files):
        build(tmp_path / "steps.duckdb", file, imports=imports_of([file], first=number))
    assert by_name(tmp_path / "once.duckdb") == by_name(tmp_path / "steps.duckdb")
    once, steps = everything(tmp_path / "once.duckdb"), everything(tmp_path / "steps.duckdb")
    # Completions are numbered by point within a build; every other number is the same.
    for contents in (once, steps):
        del contents["completions"], contents["responses"]
    assert once == steps


def test_a_changed_file_replaces_what_it_had_brought(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    stays = [texts("stays", item_key="0"), completion(model="b", item_key="1", choices=4)]
    old = [texts("goes", item_key="1", params={"a": 1}), completion(model="gone"), completion(item_key="1")]
    new = [completion(item_key="1", outcome="invalid"), texts("comes", item_key="5", repeat=0)]
    build(path, stays, old)
    report = build(path, new, imports=imports_of([new], key="changed-", first=1))
    build(tmp_path / "fresh.duckdb", stays, new)
    found, expected = by_name(path), by_name(tmp_path / "fresh.duckdb")
    # The import_id of a file that changed is a new one.
    for contents in (found, expected):
        contents["completions"] = [(*row[:-2], row[-1]) for row in contents["completions"]]
    assert found == expected
    assert (report.points, report.items, report.completions) == (2, 3, 4)
    assert [(row.path, row.key) for row in known_imports(path)] == [
        ("file-0.jsonl", "key-0"), ("file-1.jsonl", "changed-key-1"),
    ]  # fmt: skip
    assert query(path, "SELECT text FROM prompts ORDER BY text") == [("comes",), ("stays",)]
    assert query(path, "SELECT count(*) FROM prompt_tokens") == [(2,)]
    assert query(path, "SELECT text FROM responses ORDER BY text") == [("to comes",), ("to stays",)]


def test_a_file_with_other_overrides_is_another_file(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    (row,) = imports_of([[1]])
    build(path, [completion(model="a")], imports=[row])
    build(path, [completion(model="b")], imports=[replace(row, overrides='{"model":"b"}', key="other")])
    assert query(path, "SELECT model FROM points ORDER BY model") == [("a",), ("b",)]
    assert len(known_imports(path)) == 2


def test_every_completion_can_be_traced_to_its_file(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    notes = ["average in the file is .5, of the completions .4", "ä 'quoted'"]
    rows = [replace(row, notes=notes, skipped={"not JSON": 2}) for row in imports_of([[1], [1, 2]])]
    report = build(path, [completion()], [completion(), completion(item_key="1")], imports=rows)
    assert report.imports == rows == known_imports(path)
    joined = "SELECT i.path, c.place FROM completions c JOIN imports i USING (import_id) ORDER BY ALL"
    assert query(path, joined) == [
        ("file-0.jsonl", "line 1"), ("file-1.jsonl", "line 1"), ("file-1.jsonl", "line 2"),
    ]  # fmt: skip


def test_no_database_knows_no_imports(tmp_path: Path) -> None:
    assert known_imports(tmp_path / "none.duckdb") == []
