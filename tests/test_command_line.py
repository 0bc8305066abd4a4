"""Every flag of import, evals, tasks and scores, and the rules that all commands share."""

import csv
import io
import json
import shutil
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
import zstandard

from tests import synthetic
from tests.command import as_json, ask, import_, rows_of, run, scores
from tests.conftest import Build

TEXT_FORMATS = ("table", "json", "markdown", "csv")
ROW_KEYS = {
    "eval_id",
    "label",
    "model",
    "template",
    "sampler",
    "rank",
    "plain_score",
    "plain_lower",
    "plain_upper",
    "reasonscore",
    "score_per_token",
    "mean_tokens",
    "complete",
    "cells",
}
CELL_KEYS = {
    "task",
    "tier",
    "n",
    "n_items",
    "correct",
    "incorrect",
    "invalid",
    "truncated",
    "error",
    "accuracy",
    "center",
    "margin",
    "lower",
    "upper",
    "all_in_accuracy",
    "truncated_ratio",
    "adjusted_successes",
    "adjusted_trials",
}


def png_size(path: Path) -> tuple[int, int]:
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:24])


def filtered(config: Path, **filters: Any) -> Any:
    return scores(config, "--filters", json.dumps(filters))


class TestScoresDocument:
    def test_keys(self, repeats_dataset: Path) -> None:
        document = scores(repeats_dataset)
        assert list(document) == ["dataset", "filters", "methods", "rows"]
        assert document["dataset"] == "repeats"
        for row in document["rows"]:
            assert set(row) == ROW_KEYS
            for cell in row["cells"]:
                assert set(cell) == CELL_KEYS

    def test_two_space_indent_and_nothing_else(self, repeats_dataset: Path) -> None:
        out = ask("scores", repeats_dataset, "--format", "json").out
        assert out.rstrip("\n") == json.dumps(json.loads(out), indent=2, ensure_ascii="\\u" in out)

    def test_pooled_cells_always_tier_cells_where_tiers_exist(
        self, repeats_dataset: Path, one_model_dataset: Path
    ) -> None:
        (only,) = scores(one_model_dataset)["rows"]
        assert [(cell["task"], cell["tier"]) for cell in only["cells"]] == [("add", None)]
        alpha = next(row for row in scores(repeats_dataset)["rows"] if row["label"] == "Alpha")
        cells = {(cell["task"], cell["tier"]) for cell in alpha["cells"] if cell["n"]}
        assert {("mixed", None), ("mixed", "easy"), ("mixed", "hard"), ("solo", None)} <= cells
        assert ("solo", "easy") not in cells and ("guess", "hard") not in cells

    def test_a_point_in_two_tiers_counts_once_in_the_pooled_cell(self, repeats_dataset: Path) -> None:
        row = scores(repeats_dataset)["rows"][0]
        n = {c["tier"]: c["n"] + c["truncated"] for c in row["cells"] if c["task"] == "mixed"}
        assert max(n["easy"], n["hard"]) < n[None] < n["easy"] + n["hard"]

    def test_missing_is_null(self, bare_dataset: Path) -> None:
        document = scores(bare_dataset)
        for row in document["rows"]:
            assert row["mean_tokens"] is None and row["score_per_token"] is None
            assert (row["template"], row["sampler"]) == ("default", "default")
        assert [row["model"] for row in document["rows"]] == ["high", "low"]

    def test_incomplete_eval_is_told_and_not_ranked(self, repeats_dataset: Path) -> None:
        rows = {row["label"]: row for row in scores(repeats_dataset)["rows"]}
        assert [label for label, row in rows.items() if not row["complete"]] == ["Delta"]
        assert rows["Delta"]["rank"] is None
        assert all(rows[label]["rank"] for label in ("Alpha", "Beta", "Gamma"))

    def test_draws(self, repeats_dataset: Path) -> None:
        rows = scores(repeats_dataset, "--draws")["rows"]
        ranked = [row for row in rows if row["complete"]]
        for row in ranked:
            assert set(row) == ROW_KEYS | {"rank_set", "p_first"}
            low, high = row["rank_set"]
            assert 1 <= low <= high <= len(ranked)
            assert 0 <= row["p_first"] <= 1
        assert sum(row["p_first"] for row in ranked) == pytest.approx(1)
        assert scores(repeats_dataset, "--draws")["rows"] == rows

    def test_methods_name_what_was_chosen(self, repeats_dataset: Path) -> None:
        flags = ("--interval", "jeffreys", "--repeats", "independent")
        methods = json.dumps(scores(repeats_dataset, *flags)["methods"]).lower()
        assert "jeffreys" in methods and "independent" in methods

    def test_the_same_in_a_process_of_its_own(self, repeats_dataset: Path) -> None:
        alone = run("scores", repeats_dataset, "--format", "json")
        assert alone.document() == scores(repeats_dataset)

    def test_hidden_evals_are_left_out_until_named(self, build: Build) -> None:
        config = {
            "db": "hidden.duckdb",
            "name": "hidden",
            "evals": [
                {"label": "Seen", "filters": {"model": "a"}},
                {"label": "Unseen", "filters": {"model": "b"}, "hidden": True},
            ],
        }
        path = build("hidden", synthetic.simple("a") + synthetic.simple("b"), config)
        assert [row["label"] for row in scores(path)["rows"]] == ["Seen"]


class TestFormats:
    @pytest.mark.parametrize("command", ["evals", "tasks", "scores"])
    @pytest.mark.parametrize("form", TEXT_FORMATS)
    def test_text_goes_to_standard_output_alone(self, repeats_dataset: Path, command: str, form: str) -> None:
        done = ask(command, repeats_dataset, "--format", form)
        assert done.status == 0, done.err
        needle = "mixed" if command == "tasks" else "Alpha"
        assert needle in done.out
        assert "Traceback" not in done.err
        if form == "json":
            json.loads(done.out)
        if form == "csv":
            rows = list(csv.DictReader(io.StringIO(done.out)))
            assert len(rows) >= 4
            assert all(None not in row and None not in row.values() for row in rows)
        if form == "markdown":
            assert [line for line in done.out.splitlines() if set(line) <= set("|-: ") and "---" in line]

    @pytest.mark.parametrize("command", ["evals", "tasks", "scores"])
    def test_table_is_the_default(self, repeats_dataset: Path, command: str) -> None:
        assert ask(command, repeats_dataset).out == ask(command, repeats_dataset, "--format", "table").out

    def test_no_markup_of_terminals_in_files(self, repeats_dataset: Path) -> None:
        assert "\x1b" not in run("scores", repeats_dataset, "--format", "table").out

    @pytest.mark.parametrize("form", ["table", "markdown"])
    def test_cell_text(self, repeats_dataset: Path, form: str) -> None:
        """`.XX - .YY [-.ZZ]`: center, upper, truncation above 2%; tiers as a switch."""
        row = next(row for row in scores(repeats_dataset)["rows"] if row["label"] == "Alpha")
        for tier, flags in ((None, ()), ("hard", ("--by-tier",))):
            out = ask("scores", repeats_dataset, "--format", form, *flags, columns=400).out
            cells = [c for c in row["cells"] if (c["task"], c["tier"]) in (("free", tier), ("mixed", tier))]
            assert len(cells) == 2
            for cell in cells:
                text = "{center:.2f} - {upper:.2f}".format(**cell)
                if cell["truncated_ratio"] > 0.02:
                    text += " [-{truncated_ratio:.2f}]".format(**cell)
                assert text.replace("0.", ".") in out

    def test_csv_neutralises_formulas(self, strange_dataset: Path) -> None:
        for command in ("evals", "tasks", "scores"):
            out = ask(command, strange_dataset, "--format", "csv").out
            for row in csv.reader(io.StringIO(out)):
                for cell in row:
                    assert not cell.startswith(("=", "@")), cell
                    assert not (cell.startswith(("+", "-")) and not _number(cell)), cell

    def test_strange_names_survive_as_they_are_in_json(self, strange_dataset: Path) -> None:
        rows = scores(strange_dataset)["rows"]
        assert {row["model"] for row in rows} == set(synthetic.STRANGE_NAMES)
        assert {cell["task"] for row in rows for cell in row["cells"]} == set(synthetic.STRANGE_NAMES[:3])

    def test_markdown_keeps_its_columns_with_strange_names(self, strange_dataset: Path) -> None:
        for command in ("evals", "tasks", "scores"):
            out = ask(command, strange_dataset, "--format", "markdown").out
            lines = [line for line in out.splitlines() if line.startswith("|")]
            assert len({line.replace("\\|", "").count("|") for line in lines}) == 1
            assert len(lines) >= 5

    def test_unknown_format(self, repeats_dataset: Path) -> None:
        for command in ("evals", "tasks", "scores"):
            message = ask(command, repeats_dataset, "--format", "xml").refused()
            assert "xml" in message and all(form in message for form in TEXT_FORMATS)


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class TestOutput:
    @pytest.mark.parametrize("command", ["evals", "tasks", "scores"])
    @pytest.mark.parametrize("form", ["json", "csv"])
    def test_to_a_file(self, one_model_dataset: Path, tmp_path: Path, command: str, form: str) -> None:
        path = tmp_path / f"named.{form}"
        done = ask(command, one_model_dataset, "--format", form, "--output", path)
        assert (done.status, done.out) == (0, ""), done.err
        told = ask(command, one_model_dataset, "--format", form).out
        assert path.read_text(encoding="utf-8-sig").splitlines() == told.lstrip("\ufeff").splitlines()

    def test_png_goes_to_the_current_folder(self, repeats_dataset: Path, tmp_path: Path) -> None:
        done = ask("scores", repeats_dataset, "--format", "png", cwd=tmp_path)
        assert (done.status, done.out) == (0, ""), done.err
        assert [path.name for path in tmp_path.iterdir()] == ["repeats_leaderboard.png"]
        assert min(png_size(tmp_path / "repeats_leaderboard.png")) > 300

    def test_png_name_carries_the_filters(self, repeats_dataset: Path, tmp_path: Path) -> None:
        flags = ("--filters", '{"base_task": ["mixed"], "groups": ["size:small"]}')
        assert ask("scores", repeats_dataset, "--format", "png", *flags, cwd=tmp_path).status == 0
        (path,) = tmp_path.iterdir()
        assert path.name.startswith("repeats_leaderboard") and path.suffix == ".png"
        assert "mixed" in path.name and "small" in path.name
        assert set(path.name) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")

    def test_png_to_a_file_and_width(self, repeats_dataset: Path, tmp_path: Path) -> None:
        for width in (1000, 1400):
            path = tmp_path / f"{width}.png"
            done = ask("scores", repeats_dataset, "--format", "png", "--width", str(width), "--output", path)
            assert (done.status, done.out) == (0, ""), done.err
        narrow, wide = (png_size(tmp_path / f"{width}.png")[0] for width in (1000, 1400))
        assert narrow < wide
        default = tmp_path / "default.png"
        assert ask("scores", repeats_dataset, "--format", "png", "--output", default).status == 0
        assert png_size(default)[0] == wide

    def test_output_folder_wins_over_output(self, repeats_dataset: Path, tmp_path: Path) -> None:
        folder, ignored = tmp_path / "made" / "here", tmp_path / "ignored.csv"
        flags = ("--format", "csv", "--output", ignored, "--output-dir", folder)
        done = ask("scores", repeats_dataset, *flags, cwd=tmp_path)
        assert (done.status, done.out) == (0, ""), done.err
        assert not ignored.exists()
        (path,) = folder.iterdir()
        assert path.name == "repeats_leaderboard.csv"

    def test_a_path_that_cannot_be_written(self, repeats_dataset: Path, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        for flag, form in (("--output", "json"), ("--output", "png"), ("--output-dir", "png")):
            path = tmp_path / "file" / "below.x"
            message = ask("scores", repeats_dataset, "--format", form, flag, path).refused()
            assert "file" in message
            if form == "png":
                assert "Error writing PNG" in message


class TestMessages:
    def test_database_not_found(self, tmp_path: Path) -> None:
        config = tmp_path / "lost.json"
        config.write_text('{"db": "nowhere.duckdb", "name": "lost"}')
        for command in ("evals", "tasks", "scores"):
            message = ask(command, config).refused()
            assert message.startswith(f"Error: Database not found: {tmp_path / 'nowhere.duckdb'}")

    def test_config_must_specify_db(self, tmp_path: Path) -> None:
        config = tmp_path / "none.json"
        config.write_text('{"name": "lost"}')
        assert ask("scores", config).refused().startswith("Error: Config must specify 'db' path")

    def test_invalid_json_in_filters(self, repeats_dataset: Path) -> None:
        message = ask("scores", repeats_dataset, "--filters", "{tiers: easy}").refused()
        assert message.startswith("Error: Invalid JSON in --filters: ")

    def test_no_results(self, repeats_dataset: Path, empty_dataset: Path) -> None:
        flags = ("--filters", '{"eval_id": [0], "groups": ["size:large"]}')
        assert "No results found matching filters" in ask("scores", repeats_dataset, *flags).refused()
        assert "No results found matching filters" in ask("scores", empty_dataset).refused()

    def test_config_not_found(self, tmp_path: Path) -> None:
        assert str(tmp_path / "no.json") in ask("scores", tmp_path / "no.json").refused()

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("not json", ["JSON"]),
            ('{"db": "x.duckdb", "name": "n", "evals": {"label": "a"}}', ["evals"]),
            ('{"db": "x.duckdb", "name": "n", "evals": [{"filters": {}}]}', ["evals", "0", "label"]),
            ('{"db": "x.duckdb", "name": "n", "threshold": "high"}', ["threshold", "high"]),
            (
                '{"db": "x.duckdb", "name": "n", "evals": [{"label": "a", "filters": {"modell": "b"}}]}',
                ["evals", "modell", "model", "template", "sampler"],
            ),
            ("[]", ["object"]),
        ],
    )
    def test_a_bad_config_says_where_and_what(self, tmp_path: Path, text: str, words: list[str]) -> None:
        config = tmp_path / "bad.json"
        config.write_text(text)
        message = ask("scores", config).refused()
        assert all(word in message for word in [str(config), *words]), message

    @pytest.mark.parametrize(
        ("flags", "words"),
        [
            (["--interval", "bayes"], ["wilson", "reasonscape", "jeffreys", "clopper-pearson"]),
            (["--repeats", "twice"], ["cluster", "independent"]),
            (["--threshold", "1.5"], ["threshold", "1.5"]),
            (["--threshold", "0"], ["threshold"]),
            (["--threshold", "nan"], ["threshold"]),
            (["--width", "0"], ["width"]),
            (["--no-such-flag"], ["--no-such-flag"]),
        ],
        ids=lambda value: " ".join(value),
    )
    def test_bad_flags(self, repeats_dataset: Path, flags: list[str], words: list[str]) -> None:
        message = ask("scores", repeats_dataset, "--format", "json", *flags).refused()
        assert all(word in message for word in words), message

    def test_help_shows_filters_defaults_and_examples(self) -> None:
        text = ask("scores", "--help").out
        for key in (
            "eval_id",
            "groups",
            "tiers",
            "base_task",
            "projections",
            "surfaces",
            "params",
            "threshold",
        ):
            assert key in text
        for word in ("wilson", "cluster", "1400", "python -m core scores"):
            assert word in text
        listed = ask("--help").out
        assert all(command in listed for command in ("import", "evals", "tasks", "scores"))

    def test_no_command(self) -> None:
        assert ask("no-such-command").refused()


class TestFilters:
    @pytest.mark.parametrize(
        ("filters", "labels"),
        [
            ({"eval_id": [1]}, {"Beta"}),
            ({"eval_id": [3, 0]}, {"Alpha", "Delta"}),
            ({"groups": ["size:small"]}, {"Alpha", "Beta"}),
            ({"groups": ["size:small", "family:a"]}, {"Alpha"}),
            ({"groups": [["size:small", "family:a"], ["size:large"]]}, {"Alpha", "Gamma", "Delta"}),
            ({"groups": [["family:b"], ["family:a"]]}, {"Alpha", "Beta", "Gamma"}),
            ({}, {"Alpha", "Beta", "Gamma", "Delta"}),
        ],
        ids=as_json,
    )
    def test_which_evals(self, repeats_dataset: Path, filters: dict[str, Any], labels: set[str]) -> None:
        document = filtered(repeats_dataset, **filters)
        assert {row["label"] for row in document["rows"]} == labels
        assert document["filters"].items() >= filters.items()

    @pytest.mark.parametrize(
        ("filters", "tasks"),
        [
            ({"base_task": ["free", "solo"]}, {"free", "solo"}),
            ({"base_task": "free"}, {"free"}),
            ({"tiers": ["hard"]}, {"mixed", "pick", "free"}),
            ({"tiers": ["Hard one"]}, {"mixed", "pick", "free"}),
            ({"tiers": ["easy"], "base_task": ["guess", "solo"]}, {"guess"}),
            ({"params": {"size": [1]}}, {"free", "sure"}),
            ({"params": {"size": 2.5}}, {"sure"}),
            ({"params": {"size": [1], "kind": ["x"]}}, {"free"}),
            ({"params": {"deep": [True]}}, {"guess"}),
        ],
        ids=as_json,
    )
    def test_which_tasks(self, repeats_dataset: Path, filters: dict[str, Any], tasks: set[str]) -> None:
        rows = filtered(repeats_dataset, **filters)["rows"]
        assert {c["task"] for c in rows[0]["cells"] if c["n"]} == tasks

    def test_tiers_restrict_the_points(self, repeats_dataset: Path) -> None:
        whole = {row["label"]: row["cells"] for row in scores(repeats_dataset)["rows"]}
        for row in filtered(repeats_dataset, tiers=["hard"])["rows"]:
            hard = {c["task"]: c["n"] for c in whole[row["label"]] if c["tier"] == "hard"}
            assert {c["task"]: c["n"] for c in row["cells"] if c["tier"] is None} == hard

    def test_surfaces_and_projections(self, build: Build) -> None:
        records, config = synthetic.repeats()
        config |= {"db": "sliced.duckdb", "name": "sliced"}
        surface = {"x_data": "length", "y_data": "length", "x_values": [3, 4], "y_values": [3, 4, 5]}
        config["basetasks"] = {
            "mixed": {
                "label": "Mixed bag",
                "surfaces": [{"id": "a_surface", "label": "Length twice", **surface, "filter": {}}],
                "projections": [
                    {"id": "by_length", "label": "Length", "axis": "length", "bins": [[2, 3], [5, 9]]}
                ],
            },
            "free": {
                "label": "Free",
                "projections": [
                    {
                        "id": "by_size",
                        "label": "Size",
                        "axis": "size",
                        "values": [1, 3],
                        "filter": {"kind": "y"},
                    }
                ],
            },
        }
        path = build("sliced", records, config)
        self._points(path, {"surfaces": ["a_surface"]}, {"mixed": 3}, {"params": {"length": [3, 4]}})
        self._points(path, {"projections": ["by_length"]}, {"mixed": 3}, {"params": {"length": [2, 3, 5]}})
        self._points(
            path, {"projections": ["by_size"]}, {"free": 2}, {"params": {"size": [1, 3], "kind": "y"}}
        )
        both = filtered(path, projections=["by_size", "by_length"])["rows"][0]
        assert {c["task"] for c in both["cells"] if c["n"]} == {"mixed", "free"}
        told = ask("tasks", path, "--format", "json").out
        assert all(text in told for text in ("Mixed bag", "a_surface", "by_length", "Length twice"))
        assert "by_size" in ask("evals", path, "--show-projections").said + told
        for key in ("surfaces", "projections"):
            message = ask("scores", path, "--filters", json.dumps({key: ["nope"]})).refused()
            assert "nope" in message and ("a_surface" if key == "surfaces" else "by_length") in message

    @staticmethod
    def _points(path: Path, slice_: dict[str, Any], _: dict[str, int], params: dict[str, Any]) -> None:
        def counts(rows: list[dict[str, Any]]) -> Any:
            return [
                (row["label"], [(c["task"], c["tier"], c["n"]) for c in row["cells"] if c["n"]])
                for row in rows
            ]

        assert counts(filtered(path, **slice_)["rows"]) == counts(filtered(path, **params)["rows"])

    @pytest.mark.parametrize(
        ("filters", "words"),
        [
            ({"tier": ["easy"]}, ["tier", "tiers", "base_task", "groups", "eval_id", "params", "threshold"]),
            ({"eval_id": ["0"]}, ["eval_id"]),
            ({"eval_id": [True]}, ["eval_id"]),
            ({"eval_id": [9]}, ["eval_id", "9", "0", "3"]),
            ({"eval_id": [-1]}, ["eval_id", "-1"]),
            ({"groups": ["size:huge"]}, ["size:huge", "size:small", "family:a"]),
            ({"groups": [["size:small", 1]]}, ["groups"]),
            ({"groups": {"size": "small"}}, ["groups"]),
            ({"tiers": ["medium"]}, ["medium", "easy", "hard"]),
            ({"tiers": 3}, ["tiers"]),
            ({"base_task": ["chess"]}, ["chess", "mixed", "solo"]),
            ({"base_task": {"a": 1}}, ["base_task"]),
            ({"params": ["length"]}, ["params"]),
            ({"params": {"width": [1]}}, ["width", "length", "depth", "size", "kind"]),
            ({"params": {"length": [77]}}, ["length", "77", "1", "5"]),
            ({"params": {"length": ["3"]}}, ["length", "3"]),
            ({"params": {"deep": [1]}}, ["deep"]),
            ({"params": {"length": [None]}}, ["length"]),
            ({"threshold": "high"}, ["threshold"]),
            ({"threshold": 2}, ["threshold", "2"]),
            ({"threshold": True}, ["threshold"]),
            ({"surfaces": ["x"]}, ["surfaces", "x"]),
            ([], ["object"]),
        ],
        ids=as_json,
    )
    def test_errors_name_what_is_valid(self, repeats_dataset: Path, filters: Any, words: list[str]) -> None:
        message = ask(
            "scores", repeats_dataset, "--format", "json", "--filters", json.dumps(filters)
        ).refused()
        assert all(word in message for word in words), message

    def test_values_never_reach_sql_as_text(self, repeats_dataset: Path) -> None:
        for value in ("'; DROP TABLE data.points; --", "$eval_id", "{x}", "\\"):
            flags = ("--filters", json.dumps({"base_task": [value]}))
            assert "mixed" in ask("scores", repeats_dataset, *flags).refused()


class TestEvals:
    def test_columns(self, repeats_dataset: Path) -> None:
        rows = rows_of(ask("evals", repeats_dataset, "--format", "json").document(), "eval_id")
        assert [row["eval_id"] for row in rows] == [0, 1, 2, 3]
        assert [row["label"] for row in rows] == ["Alpha", "Beta", "Gamma", "Delta"]
        for key in ("model", "template", "sampler", "groups", "hf_id"):
            assert all(key in row for row in rows)
        assert rows[0]["groups"] == ["size:small", "family:a"]
        assert rows[0]["hf_id"] is None

    def test_tier_definitions_and_memberships_are_shown(self, repeats_dataset: Path) -> None:
        text = ask("evals", repeats_dataset).out
        assert "easy" in text.lower() and "hard" in text.lower()

    @pytest.mark.parametrize(
        ("flags", "labels"),
        [
            (["--search", "ALPHA"], ["Alpha"]),
            (["--search", "eta"], ["Beta"]),
            (["--search", "a"], ["Alpha", "Beta", "Gamma", "Delta"]),
            (["--groups", "size:small"], ["Alpha", "Beta"]),
            (["--groups", "size:small,family:a"], ["Alpha"]),
            (["--groups", "family:a", "--search", "gam"], ["Gamma"]),
        ],
        ids=as_json,
    )
    def test_search_and_groups(self, repeats_dataset: Path, flags: list[str], labels: list[str]) -> None:
        document = ask("evals", repeats_dataset, "--format", "json", *flags).document()
        assert [row["label"] for row in rows_of(document, "eval_id")] == labels

    def test_search_finds_nothing(self, repeats_dataset: Path) -> None:
        assert "No results found" in ask("evals", repeats_dataset, "--search", "zzz").refused()

    def test_unknown_group(self, repeats_dataset: Path) -> None:
        message = ask("evals", repeats_dataset, "--groups", "size:huge").refused()
        assert "size:huge" in message and "size:small" in message

    def test_token_counts(self, repeats_dataset: Path) -> None:
        plain = ask("evals", repeats_dataset, "--format", "json").document()
        counted = ask("evals", repeats_dataset, "--format", "json", "--show-token-counts").document()
        assert counted != plain
        records, _ = synthetic.repeats()
        known = [r for r in records if r["model"] == "alpha" and r["completion_tokens"] is not None]
        total = sum(r["completion_tokens"] for r in known)
        alpha = [row for row in rows_of(counted, "eval_id") if row["eval_id"] == 0]
        assert any(total in row.values() for row in alpha), "the sum of Alpha's tokens"

    def test_points_that_match_no_eval_are_named(self, build: Build) -> None:
        config = {"db": "part.duckdb", "name": "part", "evals": [{"label": "A", "filters": {"model": "a"}}]}
        path = build("part", synthetic.simple("a") + synthetic.simple("forgotten"), config)
        document = json.loads(path.read_text())
        document["evals"] = document["evals"][:1]
        path.write_text(json.dumps(document))
        assert "forgotten" in ask("evals", path).said


class TestTasks:
    def test_columns(self, repeats_dataset: Path) -> None:
        rows = rows_of(ask("tasks", repeats_dataset, "--format", "json").document(), "params")
        text = json.dumps(rows)
        assert all(task in text for task in ("mixed", "pick", "free", "solo", "sure", "guess"))
        mixed = next(row for row in rows if "mixed" in (row.get("task"), row.get("base_task")))
        assert mixed["params"] in (
            {"length": [1, 2, 3, 4, 5]},
            [{"name": "length", "values": [1, 2, 3, 4, 5]}],
        )

    @pytest.mark.parametrize(("text", "tasks"), [("MIX", {"mixed"}), ("u", {"sure", "guess"})])
    def test_search(self, repeats_dataset: Path, text: str, tasks: set[str]) -> None:
        document = ask("tasks", repeats_dataset, "--format", "json", "--search", text).document()
        found = {row.get("task", row.get("base_task")) for row in rows_of(document, "params")}
        assert found == tasks

    def test_search_finds_nothing(self, repeats_dataset: Path) -> None:
        assert "No results found" in ask("tasks", repeats_dataset, "--search", "zzz").refused()


class TestImportFlags:
    RECORDS = synthetic.simple("m1") + synthetic.simple("m2", 7)

    def test_writes_the_two_files_and_reports(self, tmp_path: Path) -> None:
        source = synthetic.write_records(tmp_path / "in" / "r.jsonl", self.RECORDS)
        done = import_(tmp_path / "out", "mine", source)
        assert done.status == 0, done.said
        written = {path.name for path in (tmp_path / "out").iterdir() if not path.name.startswith(".")}
        assert written - {"mine.lock"} == {"mine.json", "mine.duckdb"}
        assert json.loads((tmp_path / "out" / "mine.json").read_text())["db"] == "mine.duckdb"
        assert "17" in done.said

    @pytest.mark.parametrize(
        "kind", ["gz", "zst", "csv", "parquet", "renamed-csv", "renamed-parquet", "renamed-gz"]
    )
    def test_every_container_gives_the_same(
        self, tmp_path: Path, no_repeats_dataset: Path, kind: str
    ) -> None:
        records = synthetic.simple("m1") + synthetic.simple("m2", 8)
        lines = "".join(json.dumps(record) + "\n" for record in records).encode()
        flat = [
            {k: v for k, v in record.items() if k != "params"} | {"params.size": record["params"]["size"]}
            for record in records
        ]
        table = pa.Table.from_pylist(flat)
        path = tmp_path / {"renamed-csv": "a.jsonl", "renamed-parquet": "a.csv", "renamed-gz": "a.jsonl"}.get(
            kind, f"a.{kind}" if kind in ("csv", "parquet") else f"a.jsonl.{kind}"
        )
        if "csv" in kind:
            pyarrow.csv.write_csv(table, path)
        elif "parquet" in kind:
            pyarrow.parquet.write_table(table, path)
        elif "gz" in kind:
            import gzip

            path.write_bytes(gzip.compress(lines))
        else:
            path.write_bytes(zstandard.compress(lines))
        done = import_(tmp_path, "norepeats", path)
        assert done.status == 0, done.said
        assert scores(tmp_path / "norepeats.json")["rows"] == scores(no_repeats_dataset)["rows"]

    def test_format_is_a_choice(self, tmp_path: Path) -> None:
        source = synthetic.write_records(tmp_path / "r.jsonl", self.RECORDS)
        assert import_(tmp_path, "ok", source, "--format", "records").status == 0
        message = import_(tmp_path, "bad", source, "--format", "excel").refused()
        assert "records" in message and "reasoning_gym" in message
        assert not (tmp_path / "bad.duckdb").exists()

    def test_map(self, tmp_path: Path) -> None:
        renamed = [
            {"who": r["model"], "task_name": r["base_task"], "id": r["item_key"], "result": r["outcome"]}
            for r in self.RECORDS
        ]
        source = synthetic.write_records(tmp_path / "r.jsonl", renamed)
        mapping = tmp_path / "map.json"
        mapping.write_text(
            json.dumps({"model": "who", "base_task": "task_name", "item_key": "id", "outcome": "result"})
        )
        done = import_(tmp_path, "mapped", source, "--map", mapping)
        assert done.status == 0, done.said
        assert {row["model"] for row in scores(tmp_path / "mapped.json")["rows"]} == {"m1", "m2"}

    def test_bad_map(self, tmp_path: Path) -> None:
        source = synthetic.write_records(tmp_path / "r.jsonl", self.RECORDS)
        mapping = tmp_path / "map.json"
        mapping.write_text('{"modell": "who"}')
        message = import_(tmp_path, "mapped", source, "--map", mapping).refused()
        assert "modell" in message and "model" in message
        assert (
            str(tmp_path / "no.json")
            in import_(tmp_path, "x", source, "--map", tmp_path / "no.json").refused()
        )

    def test_set_keeps_two_runs_of_one_model_apart(self, tmp_path: Path) -> None:
        source = synthetic.write_records(tmp_path / "r.jsonl", synthetic.simple("m"))
        assert import_(tmp_path, "two", source).status == 0
        done = import_(tmp_path, "two", source, "--set", "model=m again", "--set", "template=t")
        assert done.status == 0, done.said
        rows = scores(tmp_path / "two.json")["rows"]
        assert {(row["model"], row["template"]) for row in rows} == {("m", "default"), ("m again", "t")}
        assert {row["cells"][0]["n"] for row in rows} == {10}

    @pytest.mark.parametrize("value", ["colour=red", "model", "model="])
    def test_bad_set(self, tmp_path: Path, value: str) -> None:
        source = synthetic.write_records(tmp_path / "r.jsonl", self.RECORDS)
        message = import_(tmp_path, "x", source, "--set", value).refused()
        valid = ("model", "template", "sampler") if value == "colour=red" else ("model", "FIELD=VALUE")
        assert value.split("=")[0] in message and all(word in message for word in valid)

    def test_no_text(self, tmp_path: Path) -> None:
        import duckdb

        source = synthetic.write_records(tmp_path / "r.jsonl", synthetic.simple(response="a long answer 42"))
        for name, flags, texts in (("with", (), 10), ("without", ("--no-text",), 0)):
            assert import_(tmp_path, name, source, *flags).status == 0
            with duckdb.connect(str(tmp_path / f"{name}.duckdb"), read_only=True) as database:
                assert database.sql("SELECT count(*) FROM responses").fetchall() == [(texts,)]
                assert database.sql("SELECT sum(response_bytes) FROM completions").fetchall() == [(160,)]
        assert b"a long answer 42" not in (tmp_path / "without.duckdb").read_bytes()

    def test_no_config(self, tmp_path: Path) -> None:
        source = synthetic.write_records(tmp_path / "r.jsonl", self.RECORDS)
        assert import_(tmp_path, "quiet", source, "--no-config").status == 0
        assert (tmp_path / "quiet.duckdb").exists()
        assert not (tmp_path / "quiet.json").exists()
        text = '{"db": "quiet.duckdb", "name": "quiet", "evals": []}'
        (tmp_path / "quiet.json").write_text(text)
        more = synthetic.write_records(tmp_path / "more.jsonl", synthetic.simple("m3"))
        assert import_(tmp_path, "quiet", more, "--no-config").status == 0
        assert (tmp_path / "quiet.json").read_text() == text

    @pytest.mark.parametrize("name", ["../up", "a/b", "", ".hidden", "a b\n"])
    def test_names_that_are_no_file_names(self, tmp_path: Path, name: str) -> None:
        source = synthetic.write_records(tmp_path / "r.jsonl", self.RECORDS)
        assert import_(tmp_path / "data", name, source).refused()
        assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["r.jsonl"]

    def test_needs_a_source_and_a_name(self, tmp_path: Path) -> None:
        assert "SOURCE" in ask("import", "--name", "x", "--data", tmp_path).refused().upper()
        assert "--name" in ask("import", tmp_path, "--data", tmp_path).refused()
        gone = tmp_path / "gone.jsonl"
        assert str(gone) in import_(tmp_path, "x", gone).refused()
        assert [path for path in tmp_path.iterdir() if path.suffix != ".lock"] == []

    def test_default_folder_is_data(self, tmp_path: Path) -> None:
        source = synthetic.write_records(tmp_path / "r.jsonl", self.RECORDS)
        assert ask("import", source, "--name", "here", cwd=tmp_path).status == 0
        assert (tmp_path / "data" / "here.duckdb").exists()

    def test_several_sources_and_a_folder(self, tmp_path: Path) -> None:
        one = synthetic.write_records(tmp_path / "one.jsonl", synthetic.simple("m1"))
        synthetic.write_records(tmp_path / "deep" / "er" / "two.jsonl", synthetic.simple("m2"))
        done = import_(tmp_path / "data", "both", one, tmp_path / "deep")
        assert done.status == 0, done.said
        assert {row["model"] for row in scores(tmp_path / "data" / "both.json")["rows"]} == {"m1", "m2"}

    def test_inferred_config(self, tmp_path: Path) -> None:
        records = [
            {
                **record,
                "template": template,
                "params": {"size": number % 3, "difficulty": level},
                "item_key": None,
            }
            for template in ("cot", "direct")
            for level in ("low", "high")
            for number, record in enumerate(synthetic.simple("m", 30))
        ]
        source = synthetic.write_records(tmp_path / "r.jsonl", records)
        assert import_(tmp_path, "new", source).status == 0
        config = json.loads((tmp_path / "new.json").read_text())
        assert len({entry["label"] for entry in config["evals"]}) == 2
        assert all(
            "m" in entry["label"] and entry["filters"]["template"] in entry["label"]
            for entry in config["evals"]
        )
        assert {tier["id"] for tier in config["tiers"]} == {"low", "high"}
        (projection,) = config["basetasks"]["add"]["projections"]
        assert (projection["axis"], projection["values"]) == ("size", [0, 1, 2])
        shutil.rmtree(tmp_path / "none", ignore_errors=True)


class TestConfigOutOfTheWay:
    """The command line opens whatever path it is given."""

    def test_database_elsewhere(self, one_model_dataset: Path, tmp_path: Path) -> None:
        (tmp_path / "deep").mkdir()
        shutil.copy(one_model_dataset.with_suffix(".duckdb"), tmp_path / "moved.duckdb")
        document = json.loads(one_model_dataset.read_text())
        for db in ("../moved.duckdb", str(tmp_path / "moved.duckdb")):
            config = tmp_path / "deep" / "c.json"
            config.write_text(json.dumps({**document, "db": db}))
            assert scores(config)["rows"] == scores(one_model_dataset)["rows"]
