"""Bytes and names of what leaves the app: CSV, JSON, Markdown, ZIP and the file-name rule; knows no tier."""

import csv
import io
import json
import math
import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""A text cell that starts so is run by a spreadsheet (the fullwidth signs by some); it gets an apostrophe
in front. So does one that has apostrophes before such a start: to take one away gives any text back."""

NAME_LENGTH = 200
"""Longest file name in characters: file systems stop at 255 bytes, and collisions add to it."""

_EPOCH = (1980, 1, 1, 0, 0, 0)


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """Return the rows as CSV for people and programs.

    RFC 4180 in UTF-8 with a byte-order mark, since Excel reads UTF-8 only with one (pandas and Python read
    it with `encoding="utf-8-sig"`); full precision; missing is an empty cell; text that a spreadsheet would
    run as a formula, in headers too, is neutralised with an apostrophe. The index is not written.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow([csv_cell(str(name)) for name in frame.columns])
    writer.writerows([csv_cell(value) for value in row] for row in _rows(frame))
    return buffer.getvalue().encode("utf-8-sig")


def to_json(document: Any) -> str:
    """Return one JSON document: 2-space indent, full precision, null for NaN and infinity, no last newline.

    Takes numpy values, tuples and dataclasses as well; a DataFrame becomes a list of objects.
    """
    return json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False, default=str)


def json_bytes(document: Any) -> bytes:
    """Return the bytes of a JSON file: `to_json`, and the end of its last line."""
    return (to_json(document) + "\n").encode()


def plain(value: Any) -> Any:
    """Return a value as what JSON has: missing and infinite numbers as None, frames as lists of objects."""
    if isinstance(value, pd.DataFrame):
        names = [str(name) for name in value.columns]
        return [dict(zip(names, map(plain, row), strict=True)) for row in _rows(value)]
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if _missing(value) or (isinstance(value, float) and math.isinf(value)):
        return None
    return value


def to_markdown(frame: pd.DataFrame) -> str:
    """Return the rows as a Markdown table; pipes, line breaks and HTML in cells are escaped."""
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    lines = [
        [_markdown_cell(str(name)) for name in frame.columns],
        ["---:" if right else "---" for right in numeric],
        *([_markdown_cell(value) for value in row] for row in _rows(frame)),
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def markdown_text(text: str) -> str:
    """Return text of the data in which nothing can be Markdown or HTML, on one line."""
    for character in "\\`*_[]|#":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.replace("&", "&amp;").replace("<", "&lt;").split())


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    """Return one ZIP of named files; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


def file_name(
    dataset: str, kind: str, *parts: str, extension: str, filters: Mapping[str, Any] | None = None
) -> str:
    """Return an export's name: `{dataset}_{kind}[_{part}...][_{filter values}].{extension}`.

    Parameters
    ----------
    dataset, kind, parts
        Such as ("demo", "cluster", "tier", "split-easy"); an empty part is left out.
    extension
        Without the dot.
    filters
        `Filters.to_dict()`; its values are appended, in its order.

    Returns
    -------
    str
        Every character outside [A-Za-z0-9._-] is "-"; at most NAME_LENGTH characters; no dot in front.
    """
    words = [dataset, kind, *parts, *_filter_words(filters or {})]
    stem = safe("_".join(filter(None, words))).lstrip(".")
    return f"{stem[: NAME_LENGTH - len(extension) - 1]}.{extension}"


def part(dimension: str, value: object) -> str:
    """Return the `{dimension}-{value}` part of a name."""
    return f"{dimension}-{value}"


def unique_names(names: Iterable[str]) -> list[str]:
    """Return the names with -2, -3, ... before the extension where one is taken (case does not count)."""
    taken: set[str] = set()
    result = []
    for name in names:
        stem, dot, extension = name.rpartition(".")
        stem, ending = (stem, dot + extension) if stem else (name, "")
        unique, number = name, 2
        while unique.casefold() in taken:
            unique, number = f"{stem}-{number}{ending}", number + 1
        taken.add(unique.casefold())
        result.append(unique)
    return result


def safe(text: str) -> str:
    """Return text with every character outside [A-Za-z0-9._-] as "-"."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", text)


def _filter_words(filters: Mapping[str, Any]) -> list[str]:
    words = []
    for key, value in filters.items():
        if key == "params":
            words += [part(name, _joined(values)) for name, values in value.items()]
        elif key == "eval_id":
            words.append(f"eval{_joined(value)}")
        elif key in ("threshold", "flagged"):
            words.append(part(key, value))
        else:
            words.append(_joined(value))
    return words


def _joined(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "-".join(_joined(one) for one in value)
    return str(value)


def _rows(frame: pd.DataFrame) -> Iterable[tuple[Any, ...]]:
    """Yield rows column by column as they are: a row Series would turn integers into floats."""
    columns = [frame.iloc[:, place].tolist() for place in range(frame.shape[1])]
    return zip(*columns, strict=True) if columns else iter(())


def _missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)


def csv_cell(value: Any) -> Any:
    """Return a value as a CSV writer takes it: missing as "", formulas neutralised."""
    if _missing(value):
        return ""
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return repr(value)
    text = value if isinstance(value, str) else _text(value)
    return "'" + text if text.lstrip("'").startswith(FORMULA_STARTS) else text


def _text(value: Any) -> str:
    if isinstance(value, list | tuple | dict | np.ndarray):
        return json.dumps(plain(value), ensure_ascii=False, allow_nan=False, default=str)
    return str(value)


def _markdown_cell(value: Any) -> str:
    if _missing(value):
        return ""
    text = value if isinstance(value, str) else _text(value)
    for character, escaped in (("\\", "\\\\"), ("|", "\\|"), ("&", "&amp;"), ("<", "&lt;"), ("`", "\\`")):
        text = text.replace(character, escaped)
    return " ".join(text.split())
