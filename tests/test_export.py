import io
import json
import math
import zipfile
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import export

# Line endings inside a cell have a test of their own.
WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


def read(content: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(content), encoding="utf-8-sig", keep_default_na=False, na_values=[""])


@given(st.lists(st.tuples(WORDS, NUMBERS, st.integers(-(2**53), 2**53))))
def test_csv_round_trip(rows: list[tuple[str, float, int]]) -> None:
    frame = pd.DataFrame(rows, columns=["text", "number", "count"])
    lines = export.csv_bytes(frame).decode("utf-8-sig")
    back = pd.read_csv(io.StringIO(lines), dtype={"text": str, "number": str}, keep_default_na=False)
    back["number"] = back["number"].map(float)
    assert back["number"].tolist() == frame["number"].tolist()
    assert back["count"].tolist() == frame["count"].tolist()
    texts = ["'" + t if t.lstrip("'").startswith(export.FORMULA_STARTS) else t for t in frame["text"]]
    assert back["text"].tolist() == texts


@pytest.mark.parametrize("start", export.FORMULA_STARTS)
def test_csv_neutralises_formulas(start: str) -> None:
    content = export.csv_bytes(pd.DataFrame({f"{start}header": [f'{start}HYPERLINK("http://x")']}))
    header, cell = next(iter(read(content).items()))
    assert (header[0], cell[0][0]) == ("'", "'")


def test_csv_leaves_negative_numbers_and_empties_alone() -> None:
    frame = pd.DataFrame(
        {
            "number": [-0.5, math.nan],
            "count": pd.array([-3, None], dtype="Int64"),
            "text": ["plain, with comma", None],
            "list": [[1, 2], None],
            "flag": [True, False],
        }
    )
    assert export.csv_bytes(frame).decode("utf-8-sig").splitlines() == [
        "number,count,text,list,flag",
        '-0.5,-3,"plain, with comma","[1, 2]",True',
        ",,,,False",
    ]


def test_csv_keeps_line_breaks_inside_a_cell() -> None:
    text = 'first "quoted"\r\nsecond\rthird\nlast'
    content = export.csv_bytes(pd.DataFrame({"a": [text, "b"]})).decode("utf-8-sig")
    assert pd.read_csv(io.StringIO(content, newline=""))["a"].tolist() == [text, "b"]


def test_csv_of_no_rows_has_its_header() -> None:
    assert export.csv_bytes(pd.DataFrame({"a": [], "b": []})).decode("utf-8-sig") == "a,b\r\n"


def test_json_is_full_precision_with_null_for_missing() -> None:
    @dataclass(frozen=True)
    class Row:
        accuracy: float
        counts: np.ndarray

    document = {
        "rows": pd.DataFrame({"n": [1, 2], "x": [0.1 + 0.2, math.nan]}),
        "row": Row(np.float64(1 / 3), np.array([1, 2])),
        "inf": math.inf,
        "none": None,
        "label": '模型 "q" </script>',
    }
    text = export.to_json(document)
    assert json.loads(text) == {
        "rows": [{"n": 1, "x": 0.30000000000000004}, {"n": 2, "x": None}],
        "row": {"accuracy": 1 / 3, "counts": [1, 2]},
        "inf": None,
        "none": None,
        "label": '模型 "q" </script>',
    }
    assert text.startswith('{\n  "rows": [\n    {\n      "n": 1,')


def test_markdown() -> None:
    frame = pd.DataFrame({"label": ["a|b", "<i>\nx"], "n": [1, 2], "score": [0.5, math.nan]})
    assert export.to_markdown(frame) == (
        "| label | n | score |\n| --- | ---: | ---: |\n| a\\|b | 1 | 0.5 |\n| &lt;i> x | 2 |  |\n"
    )


def test_zip_holds_its_files_and_is_reproducible() -> None:
    files = {"a.csv": b"1", "b.png": bytes(range(256))}
    content = export.zip_bytes(files)
    assert content == export.zip_bytes(files)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("demo", "leaderboard"), "demo_leaderboard.png"),
        (("demo", "eval3", "phi 4 (fp16)", "spider"), "demo_eval3_phi-4--fp16-_spider.png"),
        (("demo", "cluster", "tier"), "demo_cluster_tier.png"),
        (("demo", "cluster", "tier", "model-org/name"), "demo_cluster_tier_model-org-name.png"),
        (("demo", "surface", export.part("eval_id", 2)), "demo_surface_eval_id-2.png"),
        (("demo", "hazard", "tier-easy", "", "length-2.5"), "demo_hazard_tier-easy_length-2.5.png"),
        (("../etc", "x\x00y"), "-etc_x-y.png"),
    ],
)
def test_file_names(arguments: tuple[str, ...], name: str) -> None:
    assert export.file_name(*arguments, extension="png") == name


def test_active_filters_are_in_the_name() -> None:
    filters = {
        "eval_id": [0, 2],
        "groups": [["family:phi"], ["size:small", "arch:moe"]],
        "tiers": ["easy"],
        "params": {"length": [2, 3]},
        "threshold": 0.5,
    }
    assert export.file_name("demo", "leaderboard", extension="csv", filters=filters) == (
        "demo_leaderboard_eval0-2_family-phi-size-small-arch-moe_easy_length-2-3_threshold-0.5.csv"
    )


@given(st.lists(st.text(), min_size=2, max_size=5))
def test_every_name_is_safe(words: list[str]) -> None:
    name = export.file_name(*words, extension="csv")
    assert len(name) <= export.NAME_LENGTH
    assert name == export.safe(name)
    assert name.endswith(".csv")
    assert "/" not in name
    assert not name.startswith(".") or name == ".csv"


def test_collisions_are_numbered() -> None:
    assert export.unique_names(["a.png", "b.png", "a.png", "A.png", "a-2.png", "a"]) == [
        "a.png",
        "b.png",
        "a-2.png",
        "A-3.png",
        "a-2-2.png",
        "a",
    ]


@given(st.lists(st.sampled_from(["a.png", "a-2.png", "A.png", "b"])))
def test_unique_names_are_unique(names: list[str]) -> None:
    unique = export.unique_names(names)
    assert len({name.casefold() for name in unique}) == len(names)
