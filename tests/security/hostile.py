"""A dataset of which every name and text would like to be more than text."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from core.filters import Filters
from core.importers import import_sources
from core.store import open_dataset
from core.tiers.completions import flag_completion, read_completion
from tests import synthetic

ELSEWHERE = "evil.invalid"
"""A host that nothing may ask; by its ending it does not exist."""

MARK = "window.__pwned"
"""What a script of the data would set."""

SCRIPT = f"<script>{MARK}=1</script>"
IMAGE = f'"><img src=x onerror="{MARK}=2">'
LINK = f"[click](javascript:{MARK}=3)"
PICTURE = f"![p](http://{ELSEWHERE}/p.png)"
ANCHOR = f'<a href="javascript:{MARK}=4">x</a>'
FORMULA = f'=HYPERLINK("http://{ELSEWHERE}","x")'
SQL = "x'); DROP TABLE points; DELETE FROM data.completions; --"
EXPRESSION = f"'+({MARK}=5)+\"'];{MARK}=6;//"
TEMPLATE = "{{constructor.constructor('" + MARK + "=7')()}} ${" + MARK + "=8}"
SHAPES = f"<svg onload={MARK}=9><b>bold</b><br><sup>up</sup>"
MATHS = f"$\\href{{javascript:{MARK}=10}}{{x}}$ :red[r] :material/home: **b** `c` | # h"
CLOSING = f"</script></style></title>--><iframe src=//{ELSEWHERE}></iframe>"
PATH = "../../../etc/passwd"
SUM = "@SUM(1+1)*cmd|' /C calc'!A0"

NAMES = (
    SCRIPT, IMAGE, LINK, PICTURE, ANCHOR, FORMULA, SQL, EXPRESSION, TEMPLATE, SHAPES, MATHS, CLOSING, PATH,
    SUM,
)  # fmt: skip
"""Each of at most 200 characters on one line, as names are."""

TEXT = "\n".join(NAMES) + "\n# heading\n\x1b[31mred\x1b[0m \u202egpj.exe"

PARAMS = (LINK, SHAPES)
"""Names of the params."""


def name(number: int) -> str:
    """One of the names, another for each number."""
    return NAMES[number % len(NAMES)]


def records() -> list[synthetic.Record]:
    """Four models on four tasks; every field of a record that is text is hostile.

    Small enough to be read in this process: worker processes take seconds to start.
    """
    made = []
    for model in range(4):
        for task in range(4):
            for item in range(9):
                cut = (model + item) % 6 == 0
                made.append(
                    {
                        "model": name(model),
                        "template": name(model // 2 + 4),
                        "sampler": name(model + 5),
                        "label": name(model + 6),
                        "hf_id": (PATH, SCRIPT, "org/name", LINK)[model],
                        "groups": [f"kind:{name(model)}", f"family:{name(model + 9)}", SUM],
                        "base_task": name(task + 3),
                        "task_label": name(task + 7),
                        "category": name(task + 8),
                        "params": {PARAMS[0]: item % 3, PARAMS[1]: item % 2, "difficulty": name(item % 2)},
                        "item_key": f"{name(item)} {item}",
                        "prompt": f"{name(item)} {name(task + 1)} {item} {task}",
                        "prompt_token_ids": [(item + 3 * place) % 11 for place in range(40)],
                        "tokenizer": name(model // 2 + 1),
                        "response": f"{TEXT} {item}" if item % 5 else "and again " * 400 + SCRIPT,
                        "reference": name(item),
                        "answer": name(item + model),
                        "outcome": "truncated"
                        if cut
                        else ("correct", "incorrect", "invalid")[(model * item) % 3],
                        "finish_reason": name(item) if item % 2 else None,
                        "scorer": name(item),
                        "explanation": name(item + 3),
                        "completion_tokens": 20 + 7 * item + model,
                        "choices": 4,
                    }
                )
    return made


def make(data: Path, dataset: str = "hostile") -> Path:
    """Import the records, put hostile words wherever a config has words, flag two completions."""
    source = synthetic.write_records(data / "source" / "<b>records.jsonl", records())
    import_sources([source], name=dataset, data=data)
    path = data / f"{dataset}.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    _edit(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    opened = open_dataset(path)
    for number in (0, 1):
        flag_completion(opened.config_path, read_completion(opened, Filters(), number), TEXT)
    opened.close()
    return path


def _edit(document: dict[str, Any]) -> None:
    document["name"] = f"{SCRIPT} {FORMULA}"
    for number, entry in enumerate(document["evals"]):
        entry["parameters"] = 10**9 * (number + 1)
        entry["price"] = {"input": 0.1, "output": 0.2 * (number + 1)}
        entry["unknown"] = TEXT
    document["tiers"] = [
        {"id": IMAGE, "label": LINK, "filter": {PARAMS[0]: [0, 1]}},
        {"id": SQL, "label": SHAPES, "filter": {PARAMS[0]: [1, 2]}},
    ]
    for number, task in enumerate(document["basetasks"].values()):
        task["surfaces"] = [
            {
                "id": f"{name(number)} {number}", "label": name(number + 1), "x_data": PARAMS[0],
                "y_data": PARAMS[1], "x_values": [0, 1, 2], "y_values": [0, 1],
            }
        ]  # fmt: skip
        task["projections"] = [
            {
                "id": f"{name(number)} p{number}", "label": name(number + 2), "axis": PARAMS[0],
                "values": [0, 1, 2], "labels": [SCRIPT, LINK, MATHS],
            }
        ]  # fmt: skip


class Tags(HTMLParser):
    """The elements of a piece of HTML that a browser would make, and their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {key: value or "" for key, value in attrs}))


_BACKSLASHED = re.compile(r"\\[^\s\w]|\\_")
_CODE = re.compile(r"(`+).*?\1", re.DOTALL)
_MARKUP = re.compile(
    r"<[a-zA-Z/!][^>]*>|!?\[[^\]]*\]\([^)]*\)|javascript:|\$[^$]*(?:href|url|include)[^$]*\$|https?://\S+"
)


def bare_markdown(text: str) -> list[str]:
    """Return what of a Markdown text is a link, a picture, HTML, an address or maths that leads somewhere.

    Code, in back quotes, is text; so is what follows a backslash.
    """
    return _MARKUP.findall(_CODE.sub("", _BACKSLASHED.sub("", text)))
