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


def test_exponents_do_not_hide_each_other():
    """Numbers at almost one place are moved apart, and those that do not touch stay."""
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    from experiments.benchmarks.scaling_pictures import _separate

    ax = Figure(dpi=100).subplots()
    places = [(0.5, 0.5), (0.5, 0.501), (0.5, 0.502), (0.9, 0.5), (0.5, 0.9)]
    texts = [ax.annotate("0.37", at, xytext=(7, 0), textcoords="offset points") for at in places]
    _separate(texts)
    boxes = [text.get_window_extent() for text in texts]
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])
    assert [text.xyann[1] for text in texts[3:]] == [0, 0]
    assert sorted(texts[:3], key=lambda text: text.xyann[1]) == texts[:3]


def test_exponent_of_a_short_curve_is_above_or_below_it():
    """Where another curve goes on, the number is not on it."""
    from experiments.benchmarks.scaling_pictures import _beside

    short, long = {10: 5.0, 20: 9.0}, {10: 1.0, 20: 2.0, 40: 4.0}
    assert _beside(40, long, 40, [short, long])["xytext"] == (7, 0)
    assert _beside(20, short, 40, [short, long])["xytext"][1] > 0
    assert _beside(20, short, 40, [short, {20: 10.0, 40: 20.0}])["xytext"][1] < 0
