"""The machines of LIBSVM and ours are equally good on every pair, and answer alike."""

import numpy as np
import pytest

from . import data
from .comparison import assert_agreement
from .data import every_kernel
from .peers import libsvm, ours

pytest.importorskip("libsvm")


@every_kernel
@pytest.mark.parametrize("load", [data.iris, data.wine])
def test_every_kernel(load, parameters):
    """Every kernel that LIBSVM has gives the same machines and labels once tol leaves no room."""
    task = load(**parameters, tol=1e-6)
    assert_agreement(task, ours(task), libsvm(task), alike=1.0)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_either_precision(precision):
    """Whatever precision is asked for, every pair is solved to tol."""
    task = data.digits()
    mine = ours(task, precision=precision)
    assert np.all(mine.report_.converged)
    assert_agreement(task, mine, libsvm(task))
