"""Heat maps and axes that all pictures share."""

import numpy as np
import pytest

from dagmar.pictures.drawing import (
    READABLE,
    axes,
    bare,
    class_matrix,
    heat_map,
    matrix_size,
    name_ticks,
    shade_of,
    word_size,
)


def test_axes_are_made_only_if_there_are_none(ax):
    """Given axes are used; otherwise there is a figure of the size asked for."""
    assert axes(ax, 3, 2) is ax
    new = axes(None, 3, 2)
    assert new is not ax
    assert new.figure.get_size_inches().tolist() == [3, 2]


def test_cells_have_their_values_and_words(ax):
    """A cell that is NaN is blank; words are light on dark cells and dark on light ones."""
    values = np.array([[0.0, 1.0], [np.nan, 0.5]])
    image = heat_map(ax, values, words=np.array([["low", "high"], ["", "half"]]), cmap="gray_r", bar="shade")
    np.testing.assert_array_equal(image.get_array().filled(-1), [[0.0, 1.0], [-1, 0.5]])
    assert image.get_interpolation() == "nearest"  # else thin rows run into each other
    colours = {text.get_text(): text.get_color() for text in ax.texts}
    assert colours["low"] == "black"
    assert colours["high"] == "white"
    assert image.to_rgba(image.get_array())[1, 0].tolist() == [1, 1, 1, 0]
    assert ax.figure.axes[1].get_ylabel() == "shade"


@pytest.mark.parametrize("n", [3, 26, 100])
def test_names_are_at_both_sides(n, ax):
    """As many as there is room for, from top to bottom and from left to right; numbers only if they can be read."""
    names = [f"c{k}" for k in range(n)]
    class_matrix(ax, np.arange(n * n, dtype=float).reshape(n, n), names, bar="number", decimals=3)
    step = -(-n // READABLE)
    for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
        assert [label.get_text() for label in labels] == names[::step]
    assert len(ax.texts) == (9 if n == 3 else 0)
    assert all(size > 2 for size in matrix_size(n, n))


def test_long_names_are_turned(ax):
    """Names below a picture are upright if they would run into each other."""
    name_ticks(ax.xaxis, ["a fairly long label"] * 10, turned=True)
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {90}
    name_ticks(ax.yaxis, ["a fairly long label"] * 10)
    assert {label.get_rotation() for label in ax.get_yticklabels()} == {0}


def test_bare_axes_have_no_frame(ax):
    """No ticks, no spines."""
    bare(ax)
    assert not ax.get_xticks().size
    assert not any(spine.get_visible() for spine in ax.spines.values())


def test_shades():
    """Black is 0, white is 1, and yellow is brighter than blue."""
    assert shade_of("black") == 0
    assert shade_of("white") == pytest.approx(1)
    assert shade_of("yellow") > shade_of("blue")


@pytest.mark.parametrize("n", [3, 10])
def test_numbers_are_as_large_as_their_cells_allow(n):
    """Short numbers have 9 points or more, long ones less, and all stay inside their cells."""
    new = axes(None, *matrix_size(n, n))
    values = np.full((n, n), 0.68)
    values[1, 2] = -0.0093
    class_matrix(new, values, [str(k) for k in range(n)], bar="number", decimals=2)
    new.figure.draw_without_rendering()
    cell = new.transData.transform([[0, 0], [1, 1]])
    width = np.abs(cell[1] - cell[0])[0]
    for text in new.texts:
        assert text.get_window_extent().width / width <= 0.98
        assert text.get_fontsize() >= (9 if text.get_text() == "0.68" else 7)
    with_room = 0.88 * 36 / (0.62 * 9)
    assert word_size("123456789", 36, 36) == pytest.approx(with_room)
