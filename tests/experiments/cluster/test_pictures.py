"""The pictures of docs/distributed.md are drawn from the record."""

import numpy as np
from PIL import Image

from experiments.cluster.measure import PAGE, RECORD
from experiments.cluster.pictures import PICTURES, draw
from experiments.records import read_json


def test_all_pictures_are_drawn_and_shown(tmp_path):
    """Each is a small file with a light background, and the page shows it."""
    names = draw(read_json(RECORD), tmp_path)
    assert names == list(PICTURES)
    page = PAGE.read_text(encoding="utf-8")
    for name in names:
        image = Image.open(tmp_path / name).convert("L")
        assert (tmp_path / name).stat().st_size < 150_000
        assert np.median(np.asarray(image)) > 240, name
        assert f"(pictures/{name})" in page
