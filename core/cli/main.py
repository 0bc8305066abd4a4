"""The command line's entry: commands registered, a user's mistake told in one sentence on stderr."""

import importlib
import sys
from collections.abc import Iterable

import typer

from core.errors import NothingFoundError, ReasonScapeError

COMMANDS = {
    "import": "imports",
    "inspect-source": "inspect_source",
    "evals": "evals",
    "tasks": "tasks",
    "scores": "scores",
    "cluster": "cluster",
    "compare": "compare",
    "spiderweb": "spiderweb",
    "surface": "surface",
    "spectra": "spectra",
    "fft": "fft",
    "compression": "compression",
    "hazard": "hazard",
    "completions": "completions",
    "modelinfo": "modelinfo",
    "report": "report",
    "views": "views",
}
"""Each command with its module of core.cli, in the order of the help."""


def make_app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the application with some of its commands: to load the modules of all takes a second."""
    app = typer.Typer(
        name="python -m core",
        help="ReasonScape Explorer without a browser: import results, rank models, export figures.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    # An application of one command would take the command's name for an argument.
    app.callback()(_nothing_in_common)
    for name in names:
        app.command(name)(importlib.import_module(f"core.cli.{COMMANDS[name]}").run)
    return app


def _nothing_in_common() -> None:
    pass


def main() -> None:
    """Run a command; exit with 2 and one sentence where the user must change something."""
    asked = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        make_app([asked] if asked in COMMANDS else COMMANDS)()
    except ReasonScapeError as error:
        # Loaded with the command that failed, if it writes files.
        from core.cli.output import PngError

        whole = isinstance(error, NothingFoundError | PngError)
        print(error if whole else f"Error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("Interrupted; nothing was changed.", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output closed it (as `| head` does): that is no fault of anyone's.
        sys.stderr.close()
        sys.exit(0)
