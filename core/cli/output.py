"""Where a result goes: text to stdout, images and --output to files, nothing else on stdout."""

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from core.cli.options import Format
from core.errors import ReasonScapeError, advice
from core.export import file_name
from core.filters import Filters
from core.store.dataset import Dataset
from core.whole_file import whole


class OutputError(ReasonScapeError):
    """The result cannot be written where it should go."""


class PngError(OutputError):
    """An image cannot be made or written; its message begins with `Error writing PNG`."""


EXTENSIONS = {Format.TABLE: "txt", Format.MARKDOWN: "md"}
"""Where the extension of an automatic name is not the format's own name."""


@dataclass(frozen=True)
class Destination:
    """The --output and --output-dir of a command, and the automatic name of its result."""

    output: Path | None
    output_dir: Path | None
    name: str

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        kind: str,
        form: Format,
        filters: Filters,
        output: Path | None,
        output_dir: Path | None,
    ) -> Self:
        """Return the destination of a command's one result, under its automatic name."""
        extension = EXTENSIONS.get(form, form.value)
        name = file_name(dataset.config.name, kind, extension=extension, filters=filters.to_dict())
        return cls(output, output_dir, name)

    @property
    def path(self) -> Path | None:
        """The file to write, or None for stdout."""
        if self.output_dir is not None:
            return self.output_dir / self.name
        return self.output

    def write_text(self, text: str) -> None:
        """Write a text result. Raises OutputError."""
        if self.path is None:
            write_stdout([text if text.endswith("\n") else text + "\n"])
            return
        self._write(self.path, [(text if text.endswith("\n") else text + "\n").encode()])

    def write_csv(self, data: bytes) -> None:
        """Write CSV bytes; on stdout without the byte-order mark that files have. Raises OutputError."""
        if self.path is None:
            write_stdout([data.decode("utf-8-sig").replace("\r\n", "\n")])
            return
        self._write(self.path, [data])

    def write_parts(self, parts: Iterable[bytes], *, csv: bool) -> None:
        """Write bytes as they come, as `write_csv` or `write_text` would. Raises OutputError."""
        if self.path is None:
            texts = (part.decode("utf-8-sig" if csv else "utf-8") for part in parts)
            write_stdout(text.replace("\r\n", "\n") if csv else text for text in texts)
            return
        self._write(self.path, parts)

    def write_png(self, make: Callable[[], bytes]) -> None:
        """Make and write an image. Raises OutputError."""
        path = self.path or Path(self.name)
        try:
            data = make()
        except (OSError, ValueError, RuntimeError) as error:
            raise PngError(
                f"Error writing PNG: {error}\nNote: flat charts need the package vl-convert-python"
            ) from error
        try:
            self._write(path, [data])
        except OutputError as error:
            raise PngError(f"Error writing PNG: {error}\nNote: name another file with --output") from error

    def _write(self, path: Path, parts: Iterable[bytes]) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # A link is followed; devices and pipes are written to, and nothing takes their place.
            there = path.resolve()
            with there.open("wb") if there.exists() and not there.is_file() else whole(there) as file:
                file.writelines(parts)
        except OSError as error:
            raise OutputError(
                f"{path} cannot be written: {error.strerror or error}{advice(error)}"
            ) from error
        print(f"Wrote {path}", file=sys.stderr)


def write_stdout(texts: Iterable[str]) -> None:
    """Write texts to standard output. Raises OutputError where it is a file on a full disk."""
    try:
        for text in texts:
            sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is still buffered would fail once more when the interpreter ends.
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        raise OutputError(
            f"Standard output cannot be written: {error.strerror or error}{advice(error)}"
        ) from error
