"""Folds: who trains and who is held out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.utils.class_weight import compute_class_weight

from dagmar.machines.folds import SEED, Fold, split


def test_folds_are_scikit_learns():
    """Numbers, splitters, indices and masks give the folds that scikit-learn gives; a share is one stratified hold-out."""
    y = np.arange(60) % 3
    listed = list(StratifiedKFold(4).split(y, y))
    masks = [(np.isin(np.arange(60), train), np.isin(np.arange(60), test)) for train, test in listed]
    for cv in (4, StratifiedKFold(4), listed, iter(listed), masks):
        for ours, theirs in zip(split(cv, y, None, None), listed, strict=True):
            np.testing.assert_array_equal(ours[0], theirs[0])
            np.testing.assert_array_equal(ours[1], theirs[1])
    for random_state in (None, 5):
        seed = SEED if random_state is None else random_state
        ((train, test),) = split(0.3, y, None, random_state)
        ((train_, test_),) = StratifiedShuffleSplit(1, test_size=0.3, random_state=seed).split(y, y)
        np.testing.assert_array_equal(train, train_)
        np.testing.assert_array_equal(test, test_)


@given(seed=st.integers(0, 2**32 - 1), class_weight=st.sampled_from([None, "balanced", {0: 3.0, 2: 0.5}]))
def test_caps_are_those_of_a_fit_on_the_training_part(seed, class_weight):
    """A cap is the sample's weight times its class's, as often as it is named; 0 for one that is held out."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), rng.integers(0, 3, 27)])
    weight = rng.choice([0.5, 1.0, 2.0], 30)
    train, test = np.concatenate([np.arange(3), rng.integers(0, 20, 15)]), np.arange(20, 30)
    fold = Fold.of(train, test, y, np.arange(3), class_weight, weight)
    of_class = compute_class_weight(class_weight, classes=np.arange(3), y=y[train])
    np.testing.assert_allclose(fold.class_weight, of_class)
    expected = np.zeros(30)
    for i in train:
        expected[i] += weight[i] * of_class[y[i]]
    np.testing.assert_allclose(fold.cap, expected)
    np.testing.assert_allclose(fold.weight, weight * np.bincount(train, minlength=30))
    assert fold.complete


def test_fold_without_a_class_is_not_complete():
    """It says which classes it has; one class alone cannot be trained on."""
    y = np.array([0, 0, 1, 1, 2])
    fold = Fold.of(np.arange(4), np.array([4]), y, np.array(list("abc")), "balanced", np.ones(5))
    assert fold.present.tolist() == [True, True, False]
    assert not fold.complete
    with pytest.raises(ValueError, match="one class only"):
        Fold.of(np.arange(2), np.array([4]), y, np.array(list("abc")), None, np.ones(5))
    with pytest.raises(ValueError, match="no sample of positive weight"):
        Fold.of(np.arange(4), np.array([4]), y, np.array(list("abc")), None, np.array([1.0, 1, 1, 1, 0]))
