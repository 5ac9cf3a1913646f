"""Pictures as small PNG files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def save_small(figure: Figure, file: Path, colours: int = 64) -> None:
    """Write a figure as a PNG with a palette, which takes a third of the space.

    Parameters
    ----------
    figure : matplotlib figure
    file : Path
    colours : int
        Size of the palette. A few colours and their edges need no more than 64.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image  # comes with matplotlib

    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    image = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    image.quantize(colours).save(file, optimize=True)
