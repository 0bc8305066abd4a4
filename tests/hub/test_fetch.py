"""Fetching models: what is written, what is not asked for again, and that one model's trouble is its own."""

import json
import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from core.hub.fetch import FetchError, Progress, count_parameters, fetch_models
from core.hub.index import ModelEntry, read_index
from core.hub.listing import MOST_DOCUMENTS, Listing
from core.hub.request import Hub
from tests.hub.conftest import QUICK
from tests.hub.small_hub import CONFIG, SmallHub, Trouble, serving


def fetch(hub: Hub, folder: Path, *models: str, **options: Any) -> dict[str, ModelEntry]:
    list(fetch_models(models, folder, hub, **options))
    return read_index(folder)


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("index.json", ".lock")
    }


def resolved(small: SmallHub) -> list[str]:
    """The files that were asked for."""
    return [
        path.rpartition("/resolve/")[2].partition("/")[2] for path in small.paths() if "/resolve/" in path
    ]


def test_files_index_and_fields(hub: Hub, small: SmallHub, tmp_path: Path) -> None:
    files = {
        "README.md": b"# Hello", "docs/usage.md": b"use it", "config.json": json.dumps(CONFIG).encode(),
        "recipe.yaml": b"a: 1", "tokenizer_config.json": b'{"tokenizer_class": "GPT2Tokenizer"}',
        "model.safetensors": bytes(1000), "tokenizer.json": b"{}", "notes.txt": b"no",
    }  # fmt: skip
    small.add("org/Model-1B", files, info={
        "safetensors": {"parameters": {"BF16": 1_234_567}, "total": 1_234_567},
        "cardData": {"license": "apache-2.0"},
    })  # fmt: skip
    fetch(hub, tmp_path, "org/Model-1B")
    kept = ("README.md", "config.json", "docs/usage.md", "recipe.yaml", "tokenizer_config.json")
    assert content(tmp_path) == {f"org/Model-1B/{name}": files[name] for name in kept}
    document = json.loads((tmp_path / "index.json").read_text())["org/Model-1B"]
    cached_at = document.pop("cached_at")
    assert cached_at == document.pop("tried_at")
    assert cached_at.endswith("+00:00")
    assert sorted(document.pop("file_paths")) == sorted(content(tmp_path))
    assert document == {
        "model_id": "org/Model-1B", "output_dir": "org/Model-1B", "metadata_complete": True,
        "status": "complete",
        "missing_files": [], "fetch_errors": [], "revision": "c" * 40, "gated": False,
        "license": "apache-2.0",
        "architecture": "LlamaForCausalLM", "num_layers": 2, "hidden_size": 64, "vocab_size": 1000,
        "num_heads": 4,
        "num_kv_heads": 2, "context_length": 2048, "tied_embeddings": True, "dtype": "bfloat16",
        "quantisation": None, "tokenizer_class": "GPT2Tokenizer", "num_experts": None,
        "experts_per_token": None,
        "parameters": 1_234_567, "parameters_source": "safetensors", "active_parameters": 1_234_567,
    }  # fmt: skip


def test_complete_models_are_not_asked_for_again_but_on_demand(
    hub: Hub, small: SmallHub, tmp_path: Path
) -> None:
    small.add("org/a")
    first = fetch(hub, tmp_path, "org/a", "org/a")
    assert len(small.requests) == 3
    assert fetch(hub, tmp_path, "org/a") == first
    assert len(small.requests) == 3
    small.repos["org/a"].files["README.md"] = b"new"
    fetch(hub, tmp_path, "org/a", refresh=True)
    # The config is as it was, and is not loaded.
    assert len(small.requests) == 5
    assert content(tmp_path)["org/a/README.md"] == b"new"


def test_a_run_that_was_ended_goes_on_where_it_was(hub: Hub, small: SmallHub, tmp_path: Path) -> None:
    for name in ("org/a", "org/b", "org/c"):
        small.add(name)
    run = fetch_models(["org/a", "org/b", "org/c"], tmp_path, hub)
    assert [next(run).model, next(run).model] == [None, "org/a"]
    run.close()
    assert list(read_index(tmp_path)) == ["org/a"]
    # In the midst of a model: a file is there, and no entry.
    (tmp_path / "org" / "b").mkdir()
    (tmp_path / "org" / "b" / "README.md").write_bytes(small.repos["org/b"].files["README.md"])
    (tmp_path / "org" / "b" / "config.json").write_bytes(b"half a fi")
    small.requests.clear()
    fetch(hub, tmp_path, "org/a", "org/b", "org/c")
    assert small.paths()[:2] == ["/api/models/org/b", f"/org/b/resolve/{'c' * 40}/config.json"]
    assert len(small.requests) == 5
    assert all(entry.complete for entry in read_index(tmp_path).values())


def test_the_trouble_of_one_model_is_its_own(hub: Hub, small: SmallHub, tmp_path: Path) -> None:
    for name in ("a", "gated", "busy", "broken", "cut", "huge", "damaged", "z"):
        small.add(f"org/{name}", gated=name == "gated")
    small.trouble = {
        "/api/models/org/busy": [Trouble(429, {"Retry-After": "0"})],
        "/org/broken/resolve/" + "c" * 40 + "/config.json": [Trouble(500)] * 9,
        "/org/cut/resolve/" + "c" * 40 + "/README.md": [Trouble(cut=3)],
        "/org/damaged/resolve/" + "c" * 40 + "/config.json": [Trouble(body=b"x" * len(json.dumps(CONFIG)))],
    }
    small.repos["org/huge"].files["config.json"] = bytes(50_000_000)
    ids = [
        "org/a",
        "org/nowhere",
        "../etc",
        *(f"org/{n}" for n in ("gated", "busy", "broken", "cut", "huge")),
    ]
    steps = list(fetch_models([*ids, "org/damaged", "org/z"], tmp_path, hub))
    entries = read_index(tmp_path)
    assert {name: entry.status for name, entry in entries.items()} == {
        "org/a": "complete", "org/nowhere": "not_found", "org/gated": "gated", "org/busy": "complete",
        "org/broken": "incomplete", "org/cut": "complete", "org/huge": "incomplete",
        "org/damaged": "incomplete",
        "org/z": "complete",
    }  # fmt: skip
    assert [step.done for step in steps] == list(range(11))
    assert "org/huge" not in {
        path.rpartition("/resolve/")[0][1:] for path in small.paths() if "config" in path
    }
    told = {step.model: step.sentence for step in steps}
    assert "no model name of the hub" in told["../etc"]
    assert "accept its terms" in told["org/gated"]
    assert "refused: 50,000,000 bytes" in told["org/huge"]
    assert "arrived damaged" in told["org/damaged"]
    assert entries["org/broken"].missing_files == ("config.json",)
    assert entries["org/broken"].file_paths == ("org/broken/README.md",)
    assert not (tmp_path / "org" / "broken" / "config.json").exists()


def test_a_gated_model_is_known_as_far_as_the_hub_tells(
    hub: Hub, small: SmallHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.add(
        "org/g", gated=True, info={"safetensors": {"parameters": {"F32": 7000}}, "tags": ["license:gemma"]}
    )
    entry = fetch(hub, tmp_path, "org/g")["org/g"]
    assert (entry.status, entry.gated, entry.license) == ("gated", True, "gemma")
    assert (entry.parameters.total, entry.parameters.source) == (7000, "safetensors")
    assert entry.file_paths == ("org/g/README.md",)
    assert entry.missing_files == ("config.json",)
    monkeypatch.setenv("HF_TOKEN", "hf_another")
    assert "your token has no access" in fetch(hub, tmp_path, "org/g")["org/g"].fetch_errors[0]
    monkeypatch.setenv("HF_TOKEN", small.token)
    entry = fetch(hub, tmp_path, "org/g")["org/g"]
    assert (entry.status, entry.architecture.num_layers) == ("complete", 2)
    everything = b"".join([*content(tmp_path).values(), (tmp_path / "index.json").read_bytes()])
    assert small.token.encode() not in everything


def test_what_was_known_stays_known_when_the_hub_fails(hub: Hub, small: SmallHub, tmp_path: Path) -> None:
    small.add("org/a")
    before = fetch(hub, tmp_path, "org/a")["org/a"]
    small.trouble["/api/models/org/a"] = [Trouble(500)] * 9
    after = fetch(hub, tmp_path, "org/a", refresh=True)["org/a"]
    assert (after.status, after.cached_at) == ("failed", before.cached_at)
    assert (after.architecture, after.file_paths) == (before.architecture, before.file_paths)
    small.trouble = {"config.json": [Trouble(500)] * 9}
    small.repos["org/a"].files["config.json"] += b" "
    after = fetch(hub, tmp_path, "org/a")["org/a"]
    assert (after.status, after.architecture, after.missing_files) == ("incomplete", before.architecture, ())
    small.trouble = {}
    assert fetch(hub, tmp_path, "org/a")["org/a"].complete


def test_no_hub_ends_the_run_and_keeps_what_is_there(hub: Hub, small: SmallHub, tmp_path: Path) -> None:
    small.add("org/a")
    before = fetch(hub, tmp_path, "org/a")
    with serving() as gone:
        lost = Hub(gone.address, replace(QUICK, retries=1))
    with pytest.raises(FetchError, match="cannot be reached; what was fetched before is still used"):
        fetch(lost, tmp_path, "org/a", "org/b", "org/c")
    assert read_index(tmp_path) == before


def test_a_long_rate_limit_asks_nothing_more(hub: Hub, small: SmallHub, tmp_path: Path) -> None:
    for name in ("org/a", "org/b"):
        small.add(name)
    small.trouble["README.md"] = [Trouble(429, {"Retry-After": "3000"})]
    entries = fetch(hub, tmp_path, "org/a", "org/b")
    assert len(small.requests) == 2
    assert {entry.status for entry in entries.values()} == {"incomplete", "failed"}
    assert all("fetch again after that" in entry.fetch_errors[0] for entry in entries.values())


def test_file_names_of_the_hub_never_leave_the_folder(hub: Hub, small: SmallHub, tmp_path: Path) -> None:
    bad = ["../../evil.md", "/evil.md", "..\\evil.md", "a/../../../evil.md", "nul.md", "C:evil.md"]
    small.add("org/a", {"README.md": b"hi", "config.json": b"{}", **dict.fromkeys(bad, b"evil")})
    folder = tmp_path / "deep" / "metadata"
    entry = fetch(hub, folder, "org/a")["org/a"]
    assert set(content(tmp_path)) == {
        "deep/metadata/index.json", "deep/metadata/.lock",
        "deep/metadata/org/a/README.md", "deep/metadata/org/a/config.json",
    } - {"deep/metadata/index.json", "deep/metadata/.lock"}  # fmt: skip
    assert sorted(entry.missing_files) == sorted(bad)
    assert all("is refused" in error for error in entry.fetch_errors)
    assert resolved(small) == ["README.md", "config.json"]


def test_a_link_in_the_cache_is_not_written_through(hub: Hub, small: SmallHub, tmp_path: Path) -> None:
    small.add("org/a")
    folder, other = tmp_path / "metadata", tmp_path / "other"
    other.mkdir()
    folder.mkdir()
    (folder / "org").symlink_to(other)
    last = list(fetch_models(["org/a"], folder, hub))[-1]
    assert last.entry is None
    assert "leads out of" in last.sentence
    (folder / "org").unlink()
    (folder / "org" / "a").mkdir(parents=True)
    (folder / "org" / "a" / "README.md").symlink_to(other / "README.md")
    entry = fetch(hub, folder, "org/a")["org/a"]
    assert entry.missing_files == ("README.md",)
    assert "leads out of" in entry.fetch_errors[0]
    assert list(other.iterdir()) == []


def test_no_more_documents_than_a_person_reads(hub: Hub, small: SmallHub, tmp_path: Path) -> None:
    many = {f"docs/{n:03}.md": b"x" for n in range(60)}
    small.add("org/a", {**many, "README.md": b"hi", "config.json": b"{}"})
    entry = fetch(hub, tmp_path, "org/a")["org/a"]
    assert len([path for path in entry.file_paths if path.endswith(".md")]) == MOST_DOCUMENTS
    assert entry.fetch_errors == ("21 Markdown files beyond 40 were left out",)


@pytest.mark.parametrize("body", [b"<html>sign in</html>", b"[]", b"[" * 50_000, b""])
def test_what_does_not_answer_as_a_hub_is_told(
    hub: Hub, small: SmallHub, tmp_path: Path, body: bytes
) -> None:
    small.trouble["/api/models/org/a"] = [Trouble(200, body=body)]
    assert "did not answer as the hub does" in fetch(hub, tmp_path, "org/a")["org/a"].fetch_errors[0]


@pytest.mark.parametrize(
    "info",
    [
        {"siblings": None}, {"siblings": [1, {"rfilename": 3}, {"size": "x"}]}, {"safetensors": [],
        "gguf": 3},
        {"cardData": {"license": {"a": 1}}, "tags": 7}, {"sha": 5, "gated": [1]},
    ],
)  # fmt: skip
def test_nonsense_in_a_listing_is_missing(
    hub: Hub, small: SmallHub, tmp_path: Path, info: dict[str, Any]
) -> None:
    small.add("org/a", info=info)
    entry = fetch(hub, tmp_path, "org/a")["org/a"]
    assert entry.parameters.source in (None, "estimated")
    assert entry.license is None


def test_a_config_that_is_no_json_is_told(hub: Hub, small: SmallHub, tmp_path: Path) -> None:
    small.add("org/a", {"README.md": b"hi", "config.json": b"{broken"})
    entry = fetch(hub, tmp_path, "org/a")["org/a"]
    assert entry.complete
    assert "config.json: not valid JSON" in entry.fetch_errors[0]
    assert entry.parameters.total is None


def test_a_broken_index_is_written_anew(hub: Hub, small: SmallHub, tmp_path: Path) -> None:
    small.add("org/a")
    fetch(hub, tmp_path, "org/a")
    (tmp_path / "index.json").write_text("{")
    assert fetch(hub, tmp_path, "org/a")["org/a"].complete
    assert resolved(small) == ["README.md", "config.json"]


def test_two_runs_do_not_fill_one_folder(hub: Hub, small: SmallHub, tmp_path: Path) -> None:
    with FileLock(tmp_path / ".lock"), pytest.raises(FetchError, match="filled by another run"):
        threads: list[Iterable[Progress]] = []
        failed: list[Exception] = []

        def other() -> None:
            try:
                threads.append(list(fetch_models(["org/a"], tmp_path, hub)))
            except FetchError as fault:
                failed.append(fault)

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        raise failed[0]
    assert small.requests == []


def listed(counted: dict[str, int], gguf: int | None = None) -> Listing:
    return Listing((), None, False, None, counted, gguf)


def test_where_parameters_come_from() -> None:
    estimate = 1000 * 64 + 64 + 2 * (64 * 16 * 12 + 3 * 64 * 128 + 128)
    four_bits = CONFIG | {"quantization_config": {"quant_method": "gptq", "bits": 4}}
    eight_bits = CONFIG | {"quantization_config": {"quant_method": "x", "bits": 8}}
    for listing, config, total, source in (
        (listed({"BF16": 100, "F32": 10}), CONFIG, 110, "safetensors"),
        (listed({"I32": 100, "F16": 10}), four_bits, estimate, "estimated"),
        (listed({"I8": 100, "F16": 10}), eight_bits, 110, "safetensors"),
        (listed({}, 99), {}, 99, "gguf"),
        (listed({}), CONFIG, estimate, "estimated"),
        (listed({"I32": 100}), {"quantization_config": {"bits": 4}}, None, None),
        (listed({}), {}, None, None),
    ):
        found = count_parameters(listing, config)
        assert (found.total, found.source) == (total, source)
    experts = CONFIG | {"num_local_experts": 4, "num_experts_per_tok": 1}
    found = count_parameters(listed({"BF16": 10**6}), experts)
    assert found.total == 10**6
    assert found.active is not None and found.active < estimate + 2 * 64 * 5
