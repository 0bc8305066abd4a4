"""Writing the files of a command: one text to stdout, images and several files to where they should go."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from core.cli.output import Destination
from core.export import safe, unique_names
from core.tiers.files import ResultFile

Kind = Literal["text", "csv", "png"]


def write_files(
    files: Sequence[ResultFile],
    kind: Kind,
    output: Path | None,
    output_dir: Path | None,
    *,
    several: bool = False,
) -> None:
    """Write files, no name twice.

    One text goes to stdout unless `--output` or `--output-dir` says otherwise. With several files (or
    where there may be several) `--output` is the base path: what tells a file from the others comes before
    its extension.

    Raises
    ------
    OutputError
        A file cannot be made or written.
    """
    several = several or len(files) > 1
    names = unique_names([file.name for file in files])
    paths = _paths(files, output, several=several)
    for file, name, path in zip(files, names, paths, strict=True):
        where = Destination(path or (Path(name) if several else None), output_dir, name)
        if kind == "png":
            where.write_png(file.make)
        elif kind == "csv":
            where.write_csv(file.make())
        else:
            where.write_text(file.make().decode())


def _paths(files: Sequence[ResultFile], output: Path | None, *, several: bool) -> list[Path] | list[None]:
    if output is None:
        return [None] * len(files)
    if not several:
        return [output] * len(files)
    stems = ["_".join(filter(None, [output.stem, safe(file.suffix)])) for file in files]
    return [output.with_name(name) for name in unique_names([f"{stem}{output.suffix}" for stem in stems])]
