"""Make the screenshots of the documentation: every page of the app on the demo dataset, in Chromium.

Needs the requirements of the tests, Chromium on the PATH, and `make demo`:

    .venv/bin/python docs/screenshots.py
"""

import argparse
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, Page, Request

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"

# The tests start the app and Chromium; run as a script, this file does not find them.
sys.path.insert(0, str(ROOT))

from tests.browser.conftest import CHROMIUM, chromium, serving, settle  # noqa: E402

MOST_LOOKS = 60
PAUSE = 400
"""Milliseconds between two looks at a page that is still changing."""


@dataclass(frozen=True)
class Shot:
    """A picture to take: the name of its file, the page, how the browser is set, and what is in view.

    `opened` is a button beside the title.
    """

    name: str
    page: str
    size: tuple[int, int] = (1440, 900)
    theme: Literal["light", "dark"] = "light"
    at_chart: bool = False
    opened: str = ""


SHOTS = (
    Shot("scores", ""),
    Shot("scores-dark", "", theme="dark"),
    Shot("scores-narrow", "", size=(390, 844)),
    Shot("evals", "evals"),
    Shot("tasks", "tasks", at_chart=True),
    Shot("cluster", "cluster", at_chart=True),
    Shot("compare", "compare", at_chart=True),
    Shot("spiderweb", "spiderweb"),
    Shot("surface", "surface"),
    Shot("hazard", "hazard", at_chart=True),
    Shot("fft", "fft"),
    Shot("compression", "compression"),
    Shot("modelinfo", "modelinfo"),
    Shot("completions", "completions"),
    Shot("report-and-views", "cluster", opened="Views"),
    Shot("imports", "imports"),
    Shot("dataset", "dataset"),
)


def main() -> int:
    """Take the pictures that were asked for; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="pictures to take (default: all)")
    parser.add_argument("--data", type=Path, default=ROOT / "data", help="data folder (default: data)")
    arguments = parser.parse_args()
    data: Path = arguments.data.resolve()
    unknown = set(arguments.names) - {shot.name for shot in SHOTS}
    if unknown:
        parser.error(f"no picture {', '.join(sorted(unknown))}; valid: {', '.join(s.name for s in SHOTS)}")
    if not (data / "demo.duckdb").exists():
        parser.error(f"no demo dataset in {data}: `make demo` builds it")
    if CHROMIUM is None:
        parser.error("no Chromium on the PATH: `make chromium` installs it where apt is available")
    wanted = [shot for shot in SHOTS if not arguments.names or shot.name in arguments.names]
    IMAGES.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, serving(data, Path(folder) / "log") as server, chromium() as browser:
        for shot in wanted:
            image = compressed(take(browser, server, shot))
            (IMAGES / f"{shot.name}.png").write_bytes(image)
            print(f"{shot.name}.png: {len(image) / 1024:.0f} kB")
    return 0


def take(browser: Browser, server: str, shot: Shot) -> bytes:
    """Return the PNG of a page once nothing on it changes any more."""
    width, height = shot.size
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=shot.theme)
    page = context.new_page()
    asked: set[Request] = set()
    page.on("request", lambda one: asked.add(one))
    page.on("requestfinished", lambda one: asked.discard(one))
    page.on("requestfailed", lambda one: asked.discard(one))
    page.goto(f"{server}/{shot.page}?dataset=demo")
    image = still(page, asked)
    if shot.at_chart:
        page.get_by_test_id("stVegaLiteChart").first.evaluate("one => one.scrollIntoView({block: 'center'})")
        image = still(page, asked)
    if shot.opened:
        page.get_by_test_id("stPopover").get_by_role("button", name=shot.opened).click()
        image = still(page, asked)
    context.close()
    return image


def still(page: Page, asked: set[Request]) -> bytes:
    """Return a screenshot that is the same twice running, of a page that waits for nothing.

    Charts are drawn after the script has run, and tables after the charts; the code of each is fetched when
    it is needed, and `asked` has what is on its way.
    """
    before = b""
    for _ in range(MOST_LOOKS):
        settle(page)
        whole = not asked and not page.locator("[data-testid*='Skeleton']").count()
        image = page.screenshot(animations="disabled", caret="hide")
        if whole and image == before:
            return image
        before = image if whole else b""
        page.wait_for_timeout(PAUSE)
    raise SystemExit(f"{page.url} does not come to rest")


def compressed(image: bytes) -> bytes:
    """Return a PNG as small as it gets with all its colours: a palette would give small marks other ones."""
    picture = Image.open(io.BytesIO(image)).convert("RGB")
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()


if __name__ == "__main__":
    sys.exit(main())
