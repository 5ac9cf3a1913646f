"""Tests of the signatures that `help` shows."""

from inspect import Signature, signature
from pydoc import TextDoc
from typing import Any

import pytest

import dagmar
from dagmar.base.signatures import ShortSignature


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (dagmar.SVC, "Kernel SVM for two or many classes"),
        (dagmar.SVCCV, "An `SVC` whose C and gamma"),
    ],
)
def test_help_begins_with_what_it_is(estimator: type[Any], words: str) -> None:
    lines = [line.strip(" |") for line in TextDoc().docclass(estimator).splitlines()]
    said = next(i for i, line in enumerate(lines) if words in line)
    assert len(" ".join(lines[1:said])) < 120


@pytest.mark.parametrize("estimator", [dagmar.SVC, dagmar.SVCCV])
def test_parameters_are_those_of_init(estimator: type[Any]) -> None:
    """Whoever asks for the parameters gets all of them; only print is short."""
    (_, *real) = signature(estimator.__init__).parameters.values()
    assert list(signature(estimator).parameters.values()) == real
    assert len(str(signature(estimator))) < 100 < len(str(Signature(real)))


def test_subclass_with_other_parameters_shows_its_own() -> None:
    class Mine(dagmar.SVC):
        def __init__(self, depth: int = 2) -> None:
            super().__init__()
            self.depth = depth

    class Same(dagmar.SVC):
        pass

    assert list(signature(Mine).parameters) == ["depth"]
    assert signature(Same) == signature(dagmar.SVC)


def test_instances_have_none() -> None:
    assert not hasattr(dagmar.SVC(), "__signature__")


def test_unknown_name_is_an_error() -> None:
    class Model:
        __signature__ = ShortSignature("size")

    with pytest.raises(KeyError, match="size"):
        Model.__signature__  # noqa: B018
