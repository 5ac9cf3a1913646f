"""Results kept for few classes."""

import pytest

from dagmar.base.kept import FEW_CLASSES, kept_for_few_classes


@pytest.mark.parametrize(("n_classes", "times"), [(2, 1), (FEW_CLASSES, 1), (FEW_CLASSES + 1, 2)])
def test_results_for_few_classes_are_made_once(n_classes, times):
    """Up to `FEW_CLASSES` the second call returns the first result; beyond, each call makes its own."""
    made = []

    @kept_for_few_classes
    def double(n_classes):
        """Twice as many."""
        made.append(n_classes)
        return 2 * n_classes

    assert [double(n_classes), double(n_classes)] == [2 * n_classes] * 2
    assert made == [n_classes] * times
    assert double.__doc__ == "Twice as many."


def test_a_failed_call_is_not_kept():
    """What raises once may succeed the next time."""
    outcomes = [ValueError("first"), 5]

    @kept_for_few_classes
    def next_outcome(n_classes):
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    with pytest.raises(ValueError, match="first"):
        next_outcome(3)
    assert next_outcome(3) == 5
