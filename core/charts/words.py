"""Words of a chart in lines: Vega-Lite does not wrap them."""

import unicodedata


def wrapped(text: str, width: float, size: int, most: int) -> list[str]:
    """Return the text in at most `most` lines of a width in pixels, an ellipsis where it was cut."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        for piece in _pieces(word, width, size):
            longer = f"{line} {piece}" if line else piece
            if line and _text_width(longer, size) > width:
                lines.append(line)
                line = piece
            else:
                line = longer
    lines += [line] if line else []
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while last and _text_width(last + "…", size) > width:
        last = last[:-1]
    return [*lines[: most - 1], last.rstrip() + "…"]


def _pieces(word: str, width: float, size: int) -> list[str]:
    """Return a word cut where it alone is wider than a line."""
    pieces = [""]
    for letter in word:
        if pieces[-1] and _text_width(pieces[-1] + letter, size) > width:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def _text_width(text: str, size: int) -> float:
    """Return an estimate in pixels, on the wide side: 0.56 em a letter, 1 em for East Asian and emoji."""
    return sum(size * (1.0 if unicodedata.east_asian_width(c) in "WF" else 0.56) for c in text)
