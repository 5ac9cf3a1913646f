"""What all classifiers have in common: they answer by the model that they hold."""

import threading

import numpy as np
import pytest
from helpers import blobs
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import dagmar


def test_unfitted_estimators_say_so(unfitted, three_blobs):
    """Methods raise scikit-learn's NotFittedError, and fitted attributes are not there."""
    for method in ("predict", "decision_function", "pair_decisions", "decision_path"):
        with pytest.raises(NotFittedError):
            getattr(unfitted, method)(three_blobs[0])
    for name in ("classes_", "bank_", "plan_", "structure_", "n_features_in_", "feature_names_in_", "target_name_"):
        assert not hasattr(unfitted, name)
    with pytest.raises(NotFittedError):
        check_is_fitted(unfitted)


def test_predict_during_fit_answers_by_one_model_or_the_other():
    """Threads that predict while another fits see labels of one model only, never a mixture or an error."""
    X, y = blobs(seed=6, n_classes=4, per_class=30, n_features=3, spread=0.3)
    words = np.array(["ash", "elm", "fir", "oak"])
    X_other = np.hstack([X, X])  # another number of features and other labels
    clf = dagmar.SVC(gamma=0.5).fit(X, y)
    wrong, done = [], threading.Event()

    def ask():
        while not done.is_set():
            for samples in (X, X_other):
                try:
                    labels = clf.predict(samples)
                except ValueError as error:
                    if "features" not in str(error):  # the other model is there: that is one of the two answers
                        wrong.append(error)
                    continue
                kinds = {type(label) for label in labels.tolist()}
                expected = {int} if samples is X else {str}
                if kinds != expected or np.mean(labels == (y if samples is X else words[y])) < 0.9:
                    wrong.append(labels)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(40):
            clf.fit(X_other, words[y])
            clf.fit(X, y)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert not wrong
