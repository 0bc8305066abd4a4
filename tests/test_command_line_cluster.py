"""`cluster` and `spiderweb` on the command line: every flag, formats, file names, refusals."""

import csv
import io
import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest

from core.filters import Filters
from core.store import open_dataset
from core.tiers import cluster as cluster_tier
from core.tiers import spiderweb as spiderweb_tier
from core.tiers.methods import Methods
from tests.command import ask, scores


def png_size(path: Path) -> tuple[int, int]:
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:24])


def cluster(config: Path, *flags: str) -> Any:
    return ask("cluster", config, "--format", "json", *flags).document()


def written(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class TestCluster:
    def test_document(self, repeats_dataset: Path) -> None:
        document = cluster(repeats_dataset)
        assert list(document) == ["sections"]
        for section in document["sections"]:
            assert list(section) == ["stack", "value", "rule", "m", "members", "cliques"]
            assert (section["stack"], section["rule"]) == ("base_task", "overlap")
            centers = [m["center"] for m in section["members"] if m["center"] is not None]
            assert centers == sorted(centers, reverse=True)

    def test_members_agree_with_scores(self, repeats_dataset: Path) -> None:
        cells = {
            (row["eval_id"], cell["task"], cell["tier"]): cell
            for row in scores(repeats_dataset)["rows"]
            for cell in row["cells"]
        }
        for section in cluster(repeats_dataset)["sections"]:
            for member in section["members"]:
                cell = cells[member["eval_id"], section["value"], None]
                for field in ("center", "margin", "n"):
                    assert member[field] == pytest.approx(cell[field])

    @pytest.mark.parametrize("stack", ["base_task", "tier"])
    @pytest.mark.parametrize("rule", ["overlap", "paired"])
    def test_the_same_as_the_page_computes(self, repeats_dataset: Path, stack: str, rule: str) -> None:
        dataset = open_dataset(repeats_dataset)
        flags = ("--interval", "jeffreys", "--repeats", "independent", "--filters", '{"eval_id": [0, 1, 2]}')
        found = cluster_tier.read_clusters(
            dataset,
            Filters(eval_id=(0, 1, 2)),
            Methods("jeffreys", "independent"),
            stack=stack,
            rule=rule,
        )
        document = cluster(repeats_dataset, "--stack", stack, "--rule", rule, *flags)
        assert document == json.loads(json.dumps(cluster_tier.to_document(found)))
        dataset.close()

    def test_split_writes_a_file_per_value(self, repeats_dataset: Path, tmp_path: Path) -> None:
        done = ask(
            "cluster", repeats_dataset, "--format", "json", "--split", "template", "--output-dir", tmp_path
        )
        assert done.status == 0 and done.out == ""
        names = [f"repeats_cluster_base_task_template-{name}.json" for name in ("cot", "direct")]
        assert written(tmp_path) == names
        cot = json.loads((tmp_path / names[0]).read_text(encoding="utf-8"))
        labels = {member["label"] for section in cot["sections"] for member in section["members"]}
        assert labels == {"Gamma"}

    def test_output_is_the_base_path_of_several_files(self, repeats_dataset: Path, tmp_path: Path) -> None:
        base = tmp_path / "deep" / "mine.csv"
        done = ask("cluster", repeats_dataset, "--format", "csv", "--split", "tier", "--output", base)
        assert done.status == 0, done.err
        assert written(base.parent) == ["mine_tier-easy.csv", "mine_tier-hard.csv"]

    def test_split_by_a_text_param(self, repeats_dataset: Path, tmp_path: Path) -> None:
        done = ask("cluster", repeats_dataset, "--split", "kind", "--output-dir", tmp_path)
        assert done.status == 0, done.err
        assert written(tmp_path) == [f"repeats_cluster_base_task_kind-{value}.md" for value in "xy"]
        assert "## Free" in (tmp_path / "repeats_cluster_base_task_kind-x.md").read_text(encoding="utf-8")

    def test_csv_and_pairs(self, repeats_dataset: Path) -> None:
        rows = list(csv.DictReader(io.StringIO(ask("cluster", repeats_dataset, "--format", "csv").out)))
        assert {"stack", "value", "rule", "m", "eval_id", "center", "cliques"} <= set(rows[0])
        done = ask("cluster", repeats_dataset, "--format", "csv", "--pairs")
        pairs = list(csv.DictReader(io.StringIO(done.out)))
        assert {"value", "eval_a", "eval_b", "difference", "lower", "upper", "p_adjusted"} <= set(pairs[0])
        section = cluster(repeats_dataset, "--pairs")["sections"][0]
        assert len(section["pairs"]) == len(section["members"]) * (len(section["members"]) - 1) // 2

    def test_png_goes_to_its_automatic_name(self, repeats_dataset: Path, tmp_path: Path) -> None:
        done = ask("cluster", repeats_dataset, "--format", "png", "--width", "900", cwd=tmp_path)
        assert done.status == 0, done.err
        assert written(tmp_path) == ["repeats_cluster_base_task.png"]
        width, height = png_size(tmp_path / "repeats_cluster_base_task.png")
        # Twice the size, or what 2.3 million pixels leave of it where a clique is long.
        assert 900 <= width <= 1860 and height > 600

    def test_filter_values_are_in_the_name(self, repeats_dataset: Path, tmp_path: Path) -> None:
        flags = ("--stack", "tier", "--filters", '{"tiers": ["easy"]}', "--output-dir", str(tmp_path))
        assert ask("cluster", repeats_dataset, *flags).status == 0
        assert written(tmp_path) == ["repeats_cluster_tier_easy.md"]

    @pytest.mark.parametrize(
        ("flags", "message"),
        [
            (("--rule", "x"), "No rule 'x'; valid: overlap, paired"),
            (("--stack", "x"), "No stack 'x'"),
            (("--stack", "surface"), "no surfaces to stack by; valid: base_task, tier"),
            (("--split", "x"), "No dimension 'x' to split by; valid: model, template"),
            (("--format", "table"), "No format 'table' here; valid: markdown, json, csv, png"),
            (("--filters", '{"tiers": ["x"]}'), "No tiers 'x'"),
        ],
        ids=str,
    )
    def test_refusals(self, repeats_dataset: Path, flags: tuple[str, ...], message: str) -> None:
        assert message in ask("cluster", repeats_dataset, *flags).refused()

    def test_nothing_found(self, repeats_dataset: Path) -> None:
        flags = ("--filters", '{"tiers": ["hard"], "base_task": "guess"}')
        assert (
            ask("cluster", repeats_dataset, *flags).refused().strip() == "No results found matching filters"
        )
        split = (*flags, "--split", "model")
        assert "No results found" in ask("cluster", repeats_dataset, *split).refused()

    def test_no_tiers_no_tier_stack(self, one_model_dataset: Path) -> None:
        assert "no tiers to stack by" in ask("cluster", one_model_dataset, "--stack", "tier").refused()
        (section,) = cluster(one_model_dataset)["sections"]
        assert section["cliques"] == [[0]] and section["m"] == 0


class TestSpiderweb:
    def test_the_same_as_the_page_computes(self, repeats_dataset: Path) -> None:
        dataset = open_dataset(repeats_dataset)
        found = spiderweb_tier.read_spiders(dataset, Filters(), Methods())
        document = ask("spiderweb", repeats_dataset, "--format", "json").document()
        assert document == json.loads(json.dumps(spiderweb_tier.to_document(found)))
        dataset.close()

    def test_an_image_per_eval(self, repeats_dataset: Path, tmp_path: Path) -> None:
        done = ask("spiderweb", repeats_dataset, "--width", "600", "--height", "500", cwd=tmp_path)
        assert done.status == 0, done.err
        labels = ("Alpha", "Beta", "Gamma", "Delta")
        names = [f"repeats_eval{number}_{label}_spider.png" for number, label in enumerate(labels)]
        assert written(tmp_path) == sorted(names)
        assert png_size(tmp_path / names[0]) == (1200, 1000)

    def test_bars_of_one_eval_to_a_path(self, repeats_dataset: Path, tmp_path: Path) -> None:
        path = tmp_path / "one.png"
        flags = ("--format", "barpng", "--filters", '{"eval_id": [1]}', "--rings", "pooled")
        assert ask("spiderweb", repeats_dataset, *flags, "--output", path).status == 0
        width, height = png_size(path)
        assert 1750 <= width <= 2000 and width > height

    def test_overlay(self, repeats_dataset: Path, tmp_path: Path) -> None:
        flags = ("--overlay", "--filters", '{"eval_id": [0, 2]}', "--output-dir", str(tmp_path))
        assert ask("spiderweb", repeats_dataset, *flags).status == 0
        assert written(tmp_path) == ["repeats_eval0-2_spider.png"]

    def test_csv(self, repeats_dataset: Path) -> None:
        out = ask("spiderweb", repeats_dataset, "--format", "csv").out
        rows = list(csv.DictReader(io.StringIO(out)))
        assert {"eval_id", "label", "task", "tier", "accuracy", "lower", "upper", "mean_tokens"} <= set(
            rows[0]
        )

    def test_one_task_gives_bars_and_says_why(self, one_model_dataset: Path, tmp_path: Path) -> None:
        done = ask("spiderweb", one_model_dataset, "--output-dir", tmp_path)
        assert done.status == 0
        assert "Bars, since a radar of 1 task" in done.err
        assert written(tmp_path) == ["one_eval0_only_bar.png"]
        assert "3 to 16 tasks, not 1" in ask("spiderweb", one_model_dataset, "--format", "webpng").refused()

    @pytest.mark.parametrize(
        ("flags", "message"),
        [
            (("--rings", "x"), "No rings 'x'; valid: tier, pooled"),
            (("--overlay", "--format", "json"), "--overlay is one radar"),
            (("--filters", '{"eval_id": [9]}'), "No eval_id 9"),
        ],
        ids=str,
    )
    def test_refusals(self, repeats_dataset: Path, flags: tuple[str, ...], message: str) -> None:
        assert message in ask("spiderweb", repeats_dataset, *flags).refused()


@pytest.mark.parametrize("command", ["cluster", "spiderweb"])
def test_strange_labels_make_safe_names(strange_dataset: Path, tmp_path: Path, command: str) -> None:
    own = ("--split", "eval_id", "--format", "csv") if command == "cluster" else ("--format", "barpng")
    flags = (*own, "--filters", json.dumps({"eval_id": list(range(8))}))
    done = ask(command, strange_dataset, *flags, "--output-dir", tmp_path)
    assert done.status == 0, done.err
    names = written(tmp_path)
    assert len(names) == len({name.casefold() for name in names}) > 1
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", name) for name in names)


@pytest.mark.parametrize("command", ["cluster", "spiderweb"])
def test_help_has_an_example_and_the_filters(command: str) -> None:
    said = " ".join(ask(command, "--help").out.split())
    assert f"Example: python -m core {command}" in said
    assert '"eval_id": [0, 1]' in said and "--output-dir" in said
