"""ExplanationDisplay: the values of the path as bars, with the vectors behind them."""

import numpy as np
import pytest
import scipy.sparse as sp
from classifiers import NearestMean
from matplotlib.colors import to_rgba
from sklearn.datasets import load_digits

import dagmar
from dagmar.pictures import ExplanationDisplay
from dagmar.pictures.drawing import BLUE, ORANGE, VERMILLION


@pytest.fixture(scope="module")
def digits():
    """A DDAG of digits, and a sample that it was not trained on."""
    X, y = load_digits(return_X_y=True)
    return dagmar.SVC(gamma=0.001, structure="ddag").fit(X[:500], y[:500]), X[1000]


@pytest.mark.parametrize("structure", ["ddag", "max_wins", "one_vs_rest", "fisher_tree"])
@pytest.mark.parametrize("n", [3, 10])
def test_bars_are_the_values_of_the_path(structure, n, fitted):
    """One bar per step, in order; the closest call is marked; the title has the answer and the runner-up."""
    clf, X, _ = fitted(structure, n)
    explanation = clf.explain(X[0])
    display = ExplanationDisplay(explanation).plot()
    values = [step.value for step in display.steps]
    assert [bar.get_width() for bar in display.ax_.containers[0]] == values
    hatched = [k for k, bar in enumerate(display.ax_.containers[0]) if bar.get_hatch()]
    assert hatched == [display.closest]
    assert display.ax_.containers[0][display.closest].get_facecolor() == to_rgba(VERMILLION)
    if structure == "one_vs_rest":
        assert values[display.closest] == sorted(values)[-2]
    else:
        assert abs(values[display.closest]) == min(map(abs, values))
    title = display.ax_.get_title("left")
    assert f"answer {clf.predict(X[:1])[0]}" in title
    if explanation.runner_up is not None:
        assert f"runner-up {explanation.runner_up.label}" in title


def test_of_many_steps_the_closest_are_drawn(fitted):
    """In the order of the path, and the title says how many."""
    clf, X, _ = fitted("ddag", 26)
    display = ExplanationDisplay.from_estimator(clf, X[0]).plot()
    values = np.array([step.value for step in display.explanation.steps])
    kept = np.sort(np.argsort(np.abs(values), kind="stable")[:12])
    assert [step.number - 1 for step in display.steps] == kept.tolist()
    assert "12 of 25 steps" in display.ax_.get_title("left")


def test_winners_are_bold(digits):
    """The names of the two sides are at the ends of a row; the winner's is bold."""
    clf, x = digits
    display = ExplanationDisplay.from_estimator(clf, x).plot()
    for step, left in zip(display.steps, display.ax_.get_yticklabels(), strict=True):
        assert left.get_text() == f"{step.number}.  {step.negative[0]}"
        assert (left.get_fontweight() == "bold") == (step.value < 0)
    names = [t for t in display.ax_.texts if t.get_position()[0] == 1.01]
    assert [t.get_text() for t in names] == [str(step.positive[0]) for step in display.steps]


def test_images_are_the_support_vectors(digits):
    """Beside each bar the most influential vectors as images, framed by the side to which they pull, and the sample."""
    clf, x = digits
    display = ExplanationDisplay.from_estimator(clf, x, image_shape=(8, 8)).plot()
    sample, bars, panel = display.figure_.axes[:3]
    assert bars is display.ax_
    np.testing.assert_array_equal(sample.images[0].get_array(), x.reshape(8, 8))
    frames = panel.child_axes
    assert len(frames) == 5 * len(display.steps)
    vectors = [
        (place, added)
        for step in display.steps
        for place, added in zip(step.vectors.places, step.vectors.contributions, strict=True)
    ]
    for frame, (place, added) in zip(frames, vectors, strict=True):
        np.testing.assert_array_equal(frame.images[0].get_array(), clf.support_vectors_[place].reshape(8, 8))
        assert frame.spines["left"].get_edgecolor() == to_rgba(BLUE if added >= 0 else ORANGE)


def test_sparse_vectors_are_images_too(digits):
    """The same picture from sparse samples."""
    X, y = load_digits(return_X_y=True)
    clf = dagmar.SVC(gamma=0.001, structure="ddag").fit(sp.csr_matrix(X[:300]), y[:300])
    display = ExplanationDisplay(clf.explain(X[1000]), clf.bank_.vectors, (8, 8)).plot()
    frame = display.figure_.axes[1].child_axes[0]
    place = display.steps[0].vectors.places[0]
    np.testing.assert_array_equal(frame.images[0].get_array().ravel(), clf.support_vectors_[place].toarray().ravel())


def test_reasons_in_words(three_blobs, fitted):
    """Without images: the rows of the vectors; for a linear kernel the features; nothing for other machines."""
    clf, X, _ = fitted("ddag", 3)
    display = ExplanationDisplay(clf.explain(X[0])).plot()
    words = [text.get_text() for text in display.figure_.axes[1].texts]
    first = display.steps[0].vectors
    assert words[0].startswith(f"row {first.rows[0]} ({first.labels[0]}) {first.contributions[0]:+.2g}, row ")
    X, y = three_blobs
    linear = dagmar.SVC(kernel="linear", structure="ddag").fit(X, y)
    shown = ExplanationDisplay(linear.explain(X[0])).plot().figure_.axes[1].texts
    assert shown[0].get_text().startswith("feature ")
    other = dagmar.PairwiseClassifier(NearestMean(), structure="ddag").fit(X, y)
    shown = ExplanationDisplay(other.explain(X[0])).plot().figure_.axes[1].texts
    assert {text.get_text() for text in shown} == {""}


def test_given_axes(fitted, ax):
    """The reasons get a part of them; `Explanation.plot` draws there."""
    clf, X, _ = fitted("ddag", 3)
    assert clf.explain(X[0]).plot(ax).ax_ is ax
    assert len(ax.figure.axes) == 2
    ax.figure.canvas.draw()


def test_wrong_images_are_refused(digits):
    """A shape that does not fit, or no vectors."""
    clf, x = digits
    with pytest.raises(ValueError, match=r"image_shape \(7, 8\) does not fit samples of 64 features"):
        ExplanationDisplay.from_estimator(clf, x, image_shape=(7, 8))
    with pytest.raises(ValueError, match="images need the support vectors"):
        ExplanationDisplay(clf.explain(x), image_shape=(8, 8))
