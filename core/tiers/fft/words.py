"""What a grid of spectra and a comparison say, in sentences made from their numbers."""

import math
from collections.abc import Sequence

from core.spectra import BYTES
from core.tiers.fft.compare import Comparison
from core.tiers.fft.grid import FftGrid
from core.tiers.fft.lines import Line
from core.tiers.fft.rows import projections_hint
from core.tiers.words import EM_DASH, listed

KIND_NAMES = {"indicator": "Same token (indicator)", "raw": "Token ids (raw)"}

RAW_CAPTION = "token ids are labels; only what leaves the band can be due to id order"

HOW_TO_READ = (
    "A peak at a period of p means that tokens recur every p tokens (worked examples, list items, digits"
    " between signs); a flat line means that nothing recurs."
)

DISTANCE_METHOD = (
    "Distance: total variation between the mean indicator spectra, 0 (the same) to 1; 95% interval by"
    " jackknife over prompts, its lower end by the noise lower. Of all tasks: the mean of the tasks'"
    " distances."
)

FORMULA = r"""
P = \frac{(1, 2, \ldots, 2, 1) \sum_v |\mathrm{rfft}\, y_v|^2}{n_{\mathrm{fft}} \sum_v \sum y_v^2}, \qquad
y_v = w \left( 1[x = v] - \frac{\sum w\, 1[x = v]}{\sum w} \right)
"""


def summarise(grid: FftGrid, comparison: Comparison | None) -> str:
    """Return the result in one sentence."""
    if comparison is None:
        column = grid.columns[0]
        name = grid.name(column.evals[0])
        if column.origin == "bytes":
            return f"{name} is alone here, and no tokenizer is known for it: {BYTES} stand for its tokens."
        return f"{name} is alone here, read with the tokenizer {column.tokenizer}: select another to compare."
    a, b = grid.name(comparison.eval_a), grid.name(comparison.eval_b)
    accuracy = accuracy_words(comparison, a, b)
    if comparison.a == comparison.b:
        if comparison.a.origin == "bytes":
            return (
                f"No tokenizer is known for {a} and {b}: {BYTES} stand for their tokens and show the layout"
                f" of the prompts, not how a tokenizer cuts them; {accuracy}."
            )
        return (
            f"{a} and {b} read the same tokens ({comparison.a.tokenizer}), so the tokenizer is not what"
            f" separates them; {accuracy}."
        )
    return f"{distance_words(comparison)}; {accuracy}."


def distance_words(comparison: Comparison) -> str:
    """Return how far apart two tokenizers read what they share."""
    total = comparison.total
    a, b = comparison.a, comparison.b
    if comparison.shared == "nothing":
        return f"{a.name} and {b.name} have no prompt and no item with a spectrum in common"
    distance = _interval(total["distance"], total["distance_lower"], total["distance_upper"])
    rates = (
        f"{_short(total['tokens_per_byte_a'])} against {_short(total['tokens_per_byte_b'])} tokens per byte"
    )
    scale = comparison.between_tasks
    of_scale = "" if math.isnan(scale) else f"; two tasks under one tokenizer: {scale:.2f}"
    n = int(total["n_prompts"])
    if total["distance"] == 0:
        return (
            f"{a.tokenizer} and {b.tokenizer} repeat alike on {n:,} shared prompts (distance 0), with"
            f" {rates}: a difference in accuracy is not their doing"
        )
    if comparison.shared == "items":
        return (
            f"On the same {n:,} items the spectra of {a.name} and {b.name} are {distance} apart"
            f" (total variation{of_scale}), but the template differs too, with {rates}"
        )
    return (
        f"On the same {n:,} prompts the spectra of {a.tokenizer} and {b.tokenizer} are {distance} apart"
        f" (total variation{of_scale}), with {rates}"
    )


def accuracy_words(comparison: Comparison, a: str, b: str) -> str:
    """Return the difference in accuracy of the two evals."""
    total = comparison.total
    if not total["n_items"]:
        return f"{a} and {b} have no item in common"
    found = _interval(total["difference"], total["lower"], total["upper"], signed=True)
    told = f"the accuracy of {a} minus {b} is {found} on {int(total['n_items']):,} common items"
    return told if total["p"] < 0.05 else f"{told}, not separated from 0 (p = {total['p']:.2g})"


def grid_notes(grid: FftGrid, lines: Sequence[Line]) -> tuple[str, ...]:
    """Return what a reader must know before quoting the lines, one sentence each."""
    origins = {column.origin for column in grid.columns}
    without = sum(line.without for line in lines)
    fewer = [line for line in lines if line.n + line.without < line.available]
    notes = [
        projections_hint(grid.rows),
        f"No spectra for {listed([grid.name(one) for one in grid.without_tokens])}: no prompts, prompts too"
        " short, or not computed yet." if grid.without_tokens else "",
        f"Prompts on these lines without a spectrum (fewer than 16 tokens, or one throughout): {without:,}."
        if without else "",
        f"Lines with more prompts than shown are means of a random sample that is the same for every"
        f" tokenizer: {_sample(fewer)}." if fewer else "",
        "Token ids of the source are used as they are: they may hold a chat template that the text of the"
        " prompt lacks, which raises tokens per byte." if "source" in origins else "",
        "Fetched tokenizers read the text of the prompt alone, without a chat template." if "hub" in origins
        else "",
        f"{BYTES} stand for tokens where no tokenizer is known: every byte is a token."
        if "bytes" in origins else "",
        raw_note(lines),
    ]  # fmt: skip
    return tuple(note for note in notes if note)


def _sample(lines: Sequence[Line]) -> str:
    most = max(lines, key=lambda line: line.available)
    return f"{len(lines):,} lines, such as {most.n:,} of {most.available:,} prompts"


def raw_note(lines: Sequence[Line]) -> str:
    """Return how many band values of raw lines leave the band; "" in the indicator view."""
    raw = [line for line in lines if not math.isnan(float(line.lower[0]))]
    if not raw:
        return ""
    total = sum(line.mean.size for line in raw)
    outside = sum(line.outside for line in raw)
    return (
        f"{outside:,} of {total:,} values ({outside / total:.1%}) leave the band of {len(raw):,} lines; by"
        " chance 5% would."
    )


def comparison_notes(grid: FftGrid, comparison: Comparison) -> tuple[str, ...]:
    """Return what a reader must know before quoting a comparison, one sentence each."""
    methods = list(dict.fromkeys(filter(None, comparison.rows["method"])))
    noise = comparison.total["noise"]
    tasks = f"{comparison.tests:,} task{'s' if comparison.tests != 1 else ''}"
    notes = []
    if comparison.shared == "items":
        notes.append("The template differs too: the distance is of tokenizer and template together.")
    if not math.isnan(noise):
        notes += [
            f"{DISTANCE_METHOD} From the sampling of prompts alone it would be about {noise:.3f}.",
            "Tokenizers that cut alike cannot explain a difference in accuracy; those that cut otherwise may,"
            " and need not.",
        ]
    if methods:
        notes.append(
            f"Accuracy is raw, truncated counted as wrong, paired on items; p after Holm over {tasks}. Test"
            f" and interval: {'; or '.join(methods)}."
        )
    return tuple(notes)


def _interval(value: float, lower: float, upper: float, *, signed: bool = False) -> str:
    if math.isnan(value):
        return EM_DASH
    form = "+.3f" if signed else ".3f"
    text = f"{value:{form}}" + ("" if math.isnan(lower) else f" [{lower:{form}}, {upper:{form}}]")
    return text.replace("-", "−")


def _short(value: float) -> str:
    return EM_DASH if math.isnan(value) else f"{value:.3f}"
