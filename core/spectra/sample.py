"""Which prompts of many are looked at: the same ones under every tokenizer, whatever was imported first."""

MOST = 128
"""Prompts of one line at most. As many of each (tokenizer, template, params) have a spectrum, in the order
below, so that the first of any union of params are among them."""

_SEED = "spectra"


def sample_order(items: str, prompts: str) -> str:
    """Return SQL expressions that put prompts in a random order fixed by what their items are.

    Parameters
    ----------
    items, prompts : str
        Aliases of the tables items and prompts.
    """
    return (
        f"md5('{_SEED}' || chr(31) || {items}.base_task || chr(31) || {items}.params || chr(31)"
        f" || {items}.key), {prompts}.prompt_id"
    )
