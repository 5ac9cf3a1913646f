"""The picture of a DDAG's margins: as many nodes as pairs, each in its place and colour."""

import numpy as np
import pytest
from helpers import blobs
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

import dagmar
from dagmar.pictures.triangle import places


@pytest.fixture
def axes():
    """Axes of a figure that can be drawn, on no screen."""
    figure = Figure()
    FigureCanvasAgg(figure)
    return figure.subplots()


def bound_over(n_classes, spread, order=None, **parameters):
    """A bound of blobs."""
    X, y = blobs(seed=n_classes, n_classes=n_classes, per_class=12, n_features=4, spread=spread)
    structure = dagmar.DDAG(order=order)
    return dagmar.SVC(structure=structure, **parameters).fit(X, y).generalization_bound(X, y)


def centres(collection):
    """The middles of the nodes drawn, corners once."""
    return np.array([path.vertices[:4].mean(axis=0) for path in collection.get_paths()])


@pytest.mark.parametrize("n", [2, 3, 10, 26])
def test_every_node_is_there(n, axes):
    """As many nodes as pairs, where they belong, coloured by their margins, with a leaf for every class."""
    bound = bound_over(n, spread=0.3, C=1e4, gamma=0.05)
    assert bound.separable.all()
    assert bound.plot(axes) is axes
    assert len(axes.collections) == 1
    nodes = axes.collections[0]
    np.testing.assert_allclose(centres(nodes), places(bound.pairs, bound.order))
    np.testing.assert_array_equal(nodes.get_array(), bound.margins)
    axes.figure.canvas.draw()
    colours = nodes.get_facecolor()
    assert len(colours) == n * (n - 1) // 2
    np.testing.assert_array_equal(colours, nodes.to_rgba(bound.margins))
    assert len(np.unique(colours, axis=0)) > 1 or n == 2
    assert [label.get_text() for label in axes.get_xticklabels()] == [str(c) for c in range(n)]
    assert [ax.get_ylabel() for ax in axes.figure.axes[1:]] == ["margin in kernel space"]
    assert f"error < {bound.bound:.3g}" in axes.get_title()


def test_nodes_that_do_not_separate_are_crossed(axes):
    """They are apart from the others, grey, hatched and counted, at their places."""
    bound = bound_over(10, spread=1.8, order=[9, 3, 1, 0, 2, 4, 8, 7, 6, 5], C=1.0, kernel="linear")
    wrong = ~bound.separable
    assert 0 < wrong.sum() < 45
    bound.plot(axes)
    axes.figure.canvas.draw()
    nodes, crossed = axes.collections
    assert len(nodes.get_paths()) + len(crossed.get_paths()) == 45
    np.testing.assert_allclose(centres(crossed), places(bound.pairs, bound.order)[wrong])
    assert crossed.get_hatch()
    assert not nodes.get_hatch()
    np.testing.assert_array_equal(crossed.get_facecolor(), [to_rgba("0.85")])
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == [f"does not separate its classes: {wrong.sum()} of 45 nodes"]
    assert [label.get_text() for label in axes.get_xticklabels()] == list("9310248765")
    assert "does not apply" in axes.get_title()


def test_nothing_separates(axes):
    """Without any margin there is no colour bar, and every node is crossed."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    dagmar.SVC(C=0.01).fit(X, y).generalization_bound(X, y).plot(axes)
    axes.figure.canvas.draw()
    assert len(axes.figure.axes) == 1
    assert [len(c.get_paths()) for c in axes.collections] == [0, 3]


def test_few_nodes_show_their_numbers(axes):
    """With few classes there is room for the margins themselves."""
    bound = bound_over(3, spread=0.3, kernel="linear")
    bound.plot(axes)
    assert [text.get_text() for text in axes.texts] == [f"{margin:.2g}" for margin in bound.margins]


def test_a_hundred_classes(axes):
    """4950 nodes are drawn, and only as many labels as there is room for."""
    X, y = blobs(seed=1, n_classes=100, per_class=3, n_features=8)
    bound = dagmar.SVC(gamma=0.05).fit(X, y).generalization_bound(X, y)
    bound.plot(axes)
    axes.figure.canvas.draw()
    assert sum(len(c.get_paths()) for c in axes.collections) == 4950
    assert len(axes.get_xticklabels()) <= 40


def test_a_figure_of_its_own():
    """Without axes it makes some."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    ax = bound_over(3, spread=0.3).plot()
    ax.figure.canvas.draw()
    assert len(ax.collections[0].get_paths()) == 3
    plt.close(ax.figure)
