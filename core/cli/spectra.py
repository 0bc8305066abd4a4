"""`python -m core spectra`: the spectra of a dataset's prompts, computed and stored."""

from typing import Annotated

import typer

from core.cli.options import Config
from core.cli.output import write_stdout
from core.importers import terminal_progress
from core.spectra import compute_spectra


def run(
    config: Config,
    fetch: Annotated[
        bool,
        typer.Option(
            "--fetch",
            help="Fetch the tokenizers of evals without token ids from the Hugging Face Hub, by the hf_id of"
            " the config; they are kept in the Hugging Face cache.",
        ),
    ] = False,
) -> None:
    """Compute the spectra of prompts that have none, for the fft command and page.

    Token ids of the source are used as they are (their spectra come with the import). Without any: the
    model's own tokenizer where it is on this machine or fetched, else UTF-8 bytes.

    Example: python -m core spectra data/demo.json --fetch
    """
    with terminal_progress() as progress:
        report = compute_spectra(config, fetch=fetch, on_step=progress.step)
    write_stdout([report.to_text() + "\n"])
