"""Pictures of growth."""

import pytest
from fakes import new_record, run_all


def test_pictures_are_small(tmp_path):
    """All pictures are drawn, each within 100 kB."""
    pytest.importorskip("matplotlib")
    from experiments.benchmarks.scaling_pictures import PICTURES, draw

    record = new_record()
    run_all(record, limit=1000)
    assert draw(record, tmp_path) == list(PICTURES)
    assert all((tmp_path / name).stat().st_size < 100_000 for name in PICTURES)
