"""Our classifier beside scikit-learn's."""

import sklearn.svm

import dagmar


def both(**parameters):
    """Return our classifier and scikit-learn's, with the same parameters.

    At the usual tol of 0.001 each may stop elsewhere, and a sample whose value is closer to zero may get either label.
    A smaller one leaves only what the other library does with them.
    """
    given = {"gamma": 0.001, "tol": 1e-6, **parameters}
    return dagmar.SVC(**given), sklearn.svm.SVC(**given)
