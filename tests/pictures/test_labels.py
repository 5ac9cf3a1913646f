"""Labels of users: shortened, of one line, and never taken for a formula."""

import numpy as np
import pytest

from dagmar.pictures.labels import class_names, listed, plain, short_names, shorten, shortened


@pytest.mark.parametrize("label", ["$x$", r"\$", "a$b", "$$", r"\alpha $x^2$"])
def test_a_label_is_drawn_as_it_is(label, ax):
    """What is on the page are the characters of the label: no formula, no backslash too many."""
    text = ax.text(0, 0, plain(label))
    ax.figure.canvas.draw()
    shown, is_math = text._preprocess_math(text.get_text())
    assert shown == label
    assert not is_math


@pytest.mark.parametrize(
    ("text", "longest", "expected"),
    [("short", 10, "short"), ("0123456789", 10, "0123456789"), ("0123456789x", 10, "012345…89x")],
)
def test_long_labels_lose_their_middle(text, longest, expected):
    """At most this many characters; both ends are kept."""
    assert shorten(text, longest) == expected
    assert len(expected) <= longest


def test_labels_are_of_one_line():
    """Line breaks and control characters would tear a picture or a text apart."""
    assert shorten("a\nb\tc\x00d  e") == "a b c d e"


def test_labels_of_any_kind_are_texts():
    """Numbers, booleans and texts."""
    assert class_names(np.array([1.5, 2.0])) == ["1.5", "2.0"]
    assert class_names(np.array([True, False])) == ["True", "False"]
    assert class_names([0, 1], ["a", 5]) == ["a", "5"]


def test_names_must_be_as_many_as_classes():
    """A list of another length is refused."""
    with pytest.raises(ValueError, match="a name for each of the 3 classes; got 2"):
        class_names([0, 1, 2], ["a", "b"])


def test_different_names_stay_different():
    """Names that differ in the middle keep what differs; if that is too long, they get numbers; equal ones stay equal."""
    assert shortened(["short", "other"], 5) == ["short", "other"]
    names = [f"category number {k} of many things" for k in range(12)]
    assert shortened(names, 10) == [f"…er {k} of…" for k in range(12)]
    hard = ["a" * 20 + str(k) + "b" * 20 for k in range(3)] + ["c" * 50, "d" + "b" * 30]
    found = shortened(hard, 8)
    assert len(set(found)) == 5
    assert max(map(len, found)) <= 8
    assert shortened(["x" * 30, "x" * 30], 8) == ["xxxxx…xx"] * 2


def test_lists():
    """Short lists are given in full, long ones by their beginning and end."""
    assert listed(["a", "b"]) == "a, b"
    assert listed(list("abcdef"), 6) == "a, b, c, d, e, f"
    assert listed(list("abcdef"), 4) == "a, b, …, f"
    assert short_names(["$" * 30, "b"], 8) == [r"\$" * 5 + "…" + r"\$" * 2, "b"]
