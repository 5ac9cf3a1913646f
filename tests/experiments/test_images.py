"""Small PNG files."""

import numpy as np
import pytest


def test_a_picture_has_a_palette_and_its_size(tmp_path):
    """Pixels are those of the figure, up to the few colours of the palette."""
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure
    from PIL import Image

    from experiments.images import save_small

    figure = Figure(figsize=(2, 1), dpi=50)
    figure.add_axes((0, 0, 1, 1)).set_facecolor("#0072B2")
    save_small(figure, tmp_path / "picture.png", colours=16)
    image = Image.open(tmp_path / "picture.png")
    assert image.mode == "P"
    assert image.size == (100, 50)
    middle = np.asarray(image.convert("RGB"))[25, 50].astype(int)
    assert np.abs(middle - [0x00, 0x72, 0xB2]).max() <= 8
