"""Pictures of a report, and their files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Picture:
    """A figure: `draw` puts it into an empty matplotlib Figure.

    Attributes
    ----------
    name : str
        Of the file.
    caption : str
    draw : callable
    size : tuple of float
        Width and height, in inches.
    """

    name: str
    caption: str
    draw: Callable[[Figure], None]
    size: tuple[float, float] = (8.0, 4.5)


def write_pictures(pictures: Iterable[Picture], folder: Path, prefix: str = "") -> list[Path]:
    """Write pictures as PNG files.

    Parameters
    ----------
    pictures : iterable of Picture
    folder : Path
    prefix : str
        Before the names of the files.

    Returns
    -------
    list of Path

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    files = []
    for picture in pictures:
        figure = Figure(figsize=picture.size, layout="constrained")
        picture.draw(figure)
        files.append(folder / f"{prefix}{picture.name}.png")
        figure.savefig(files[-1], dpi=110, metadata={"Software": None})
    return files
