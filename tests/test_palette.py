import itertools
import math
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import palette

ROOT = Path(__file__).parent.parent

# Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
# Ottosson 2020.
TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def oklab(colour: str, vision: str) -> np.ndarray:
    srgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return TO_OKLAB @ np.cbrt(TO_LMS @ np.clip(VISION[vision] @ linear, 0, 1))


def closest(colours: list[str], vision: str) -> float:
    return min(
        float(np.linalg.norm(oklab(a, vision) - oklab(b, vision)))
        for a, b in itertools.combinations(colours, 2)
    )


@pytest.mark.parametrize("vision", VISION)
def test_model_colours_stay_apart(vision: str) -> None:
    # 0.02 is a just noticeable difference in OKLab.
    assert closest(list(palette.MODEL_COLOURS), vision) >= 0.069
    assert closest(list(palette.MODEL_COLOURS[:4]), vision) >= 0.08


@pytest.mark.parametrize("vision", VISION)
def test_outcome_colours_stay_apart(vision: str) -> None:
    assert closest(list(palette.OUTCOME_COLOURS.values()), vision) >= 0.068


@pytest.mark.parametrize("theme", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
def test_contrast_on_both_pages(theme: palette.Theme) -> None:
    for colour in (*palette.MODEL_COLOURS, *palette.OUTCOME_COLOURS.values()):
        assert palette.contrast(colour, theme.background) >= 3
    assert palette.contrast(theme.text, theme.background) >= 7
    assert palette.contrast(theme.muted, theme.background) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("number", [1, 2, 5, 12])
def test_ordered_colours_are_seen_and_run_from_dark_to_light(dark: bool, number: int) -> None:
    colours = palette.ordered_colours(number, dark)
    assert len(set(colours)) == number
    assert all(palette.contrast(one, palette.theme(dark).background) >= 3 for one in colours)
    if number > 1:
        assert palette.luminance(colours[0]) < palette.luminance(colours[-1])


def test_contrast_known_values() -> None:
    assert palette.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert palette.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@given(st.floats(0, 1), st.booleans())
def test_text_on_every_accuracy_reads(value: float, dark: bool) -> None:
    colour = palette.accuracy_colour(value, dark)
    assert palette.contrast(palette.text_on(colour), colour) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
def test_accuracy_scale_moves_away_from_the_page(dark: bool) -> None:
    page = palette.theme(dark).background
    steps = [palette.contrast(palette.accuracy_colour(v / 50, dark), page) for v in range(51)]
    assert steps == sorted(steps)


def test_accuracy_ends_and_missing() -> None:
    assert palette.accuracy_colour(0.0) == palette.LIGHT.sequential[0]
    assert palette.accuracy_colour(1.0) == palette.accuracy_colour(7.0) == palette.LIGHT.sequential[-1]
    assert palette.accuracy_colour(math.nan) == palette.LIGHT.background
    assert palette.accuracy_colour(0.5) == "#6eb2c0"


def test_difference_ends_and_middle() -> None:
    assert palette.difference_colour(-0.2, limit=0.2) == palette.LIGHT.diverging[0]
    assert palette.difference_colour(0.2, limit=0.2) == palette.LIGHT.diverging[-1]
    assert palette.difference_colour(0.0) == "#e9e6e5"


def test_an_eval_keeps_its_colour_and_seventy_differ() -> None:
    assert palette.model_colour(0) == palette.model_colour(10) == palette.MODEL_COLOURS[0]
    pairs = {(palette.model_colour(i), palette.model_shape(i)) for i in range(70)}
    assert len(pairs) == 70


def test_the_app_uses_the_same_colours() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
    assert tuple(config["chartCategoricalColors"]) == palette.MODEL_COLOURS
    for name, theme in (("light", palette.LIGHT), ("dark", palette.DARK)):
        page = config[name]
        assert (page["backgroundColor"], page["textColor"]) == (theme.background, theme.text)
        assert page["borderColor"] == theme.line
        assert tuple(page["chartSequentialColors"]) == theme.sequential
        assert tuple(page["chartDivergingColors"]) == theme.diverging
        # Streamlit writes white on its primary buttons.
        assert palette.contrast("#ffffff", page["primaryColor"]) >= 4.5
        assert palette.contrast(page["primaryColor"], page["backgroundColor"]) >= 3
        for background in (page["backgroundColor"], page["secondaryBackgroundColor"]):
            assert palette.contrast(page["linkColor"], background) >= 4.5
            assert palette.contrast(page["textColor"], background) >= 7
