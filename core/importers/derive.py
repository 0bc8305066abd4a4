"""What is measured on a response at import: bytes, compressed bytes, tokens."""

import zlib
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_openai._bindings import PyTokenizer

TOKENIZER = "o200k_base"
"""The default tokenizer: it comes with a PyPI package, so that an import needs no network."""

TOKEN_SOURCE = f"tokenized:{TOKENIZER}"

ZLIB_LEVEL = 6


def text_sizes(text: str) -> tuple[int, int]:
    """Return the UTF-8 bytes of a text, and how many zlib at level 6 makes of them."""
    data = text.encode("utf-8")
    return len(data), len(zlib.compress(data, ZLIB_LEVEL))


def count_tokens(text: str) -> int:
    """Return how many o200k_base tokens a text has; special-token text counts as the text it is.

    The binding is called directly: the package's Python layer builds a list of the tokens, and refuses
    texts above a million characters.
    """
    return int(_tokenizer().count(text)) if text else 0


@lru_cache(maxsize=1)
def _tokenizer() -> "PyTokenizer":
    # Loading the vocabulary takes half a second, and sources that report their tokens never need it.
    from bpe_openai._bindings import tokenizer_for_encoding

    return tokenizer_for_encoding(TOKENIZER)
