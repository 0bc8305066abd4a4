"""The command line's entry: commands registered, a user's mistake told in one sentence on stderr."""

import sys

import typer

from core.cli import (
    cluster,
    compare,
    completions,
    compression,
    evals,
    fft,
    hazard,
    imports,
    inspect_source,
    modelinfo,
    report,
    scores,
    spectra,
    spiderweb,
    surface,
    tasks,
    views,
)
from core.cli.output import PngError
from core.errors import NothingFoundError, ReasonScapeError

app = typer.Typer(
    name="python -m core",
    help="ReasonScape Explorer without a browser: import evaluation results, rank models, export figures.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("import")(imports.run)
app.command("inspect-source")(inspect_source.run)
app.command("evals")(evals.run)
app.command("tasks")(tasks.run)
app.command("scores")(scores.run)
app.command("cluster")(cluster.run)
app.command("compare")(compare.run)
app.command("spiderweb")(spiderweb.run)
app.command("surface")(surface.run)
app.command("spectra")(spectra.run)
app.command("fft")(fft.run)
app.command("compression")(compression.run)
app.command("hazard")(hazard.run)
app.command("completions")(completions.run)
app.command("modelinfo")(modelinfo.run)
app.command("report")(report.run)
app.command("views")(views.run)


def main() -> None:
    """Run a command; exit with 2 and one sentence where the user must change something."""
    try:
        app()
    except (NothingFoundError, PngError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except ReasonScapeError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("Interrupted; nothing was changed.", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output closed it (as `| head` does): that is no fault of anyone's.
        sys.stderr.close()
        sys.exit(0)
