"""When two models of one task agree."""

import numpy as np

from .duals import gaps, objectives


def assert_agreement(task, mine, theirs, *, alike=0.999, caps=None):
    """Every pair of `mine` is solved to tol and as good as that of `theirs`; values are near, labels mostly equal.

    Parameters
    ----------
    alike : float
        The share of test samples that must get the same label.
    caps : array, optional
        The largest coefficient of each training sample, C by default.
    """
    assert gaps(task, mine, caps).max() < 1.001 * task.tol
    np.testing.assert_allclose(objectives(task, mine), objectives(task, theirs), rtol=1e-4)
    values = theirs.decision_function(task.X_test)
    near = 2e-3 * np.abs(values).max()
    np.testing.assert_allclose(mine.decision_function(task.X_test), values, rtol=0, atol=near)
    assert np.mean(mine.predict(task.X_test) == theirs.predict(task.X_test)) >= alike
