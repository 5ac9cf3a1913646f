"""The benchmark of the Laplacian kernel."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import laplacian_kernel

from experiments.benchmarks import kernels
from experiments.benchmarks.agreement import kernel_of, tanimoto
from experiments.benchmarks.census_sets import split
from experiments.benchmarks.competitors import Dagmar, DagmarRbf, ScikitLearnFunction, ScikitLearnMatrix
from experiments.benchmarks.results import measure


@pytest.fixture(scope="module")
def case():
    """Three overlapping classes."""
    rng = np.random.default_rng(0)
    y = np.arange(240) % 3
    return split("clouds", "a seed", rng.normal(size=(240, 6)) + y[:, None], y)


@pytest.mark.parametrize("name", [kernels.SCALED, kernels.RANKS])
def test_cases_are_scaled_or_ranks(case, name):
    """Of at most 256 levels; gamma is that of the estimator's "scale"."""
    made = kernels.laplacian(case, name)
    assert (made.kernel, made.name) == ("laplacian", f"clouds, {name}")
    assert made.gamma == pytest.approx(1 / (6 * made.X_train.std()))
    assert (name == kernels.SCALED) == np.array_equal(made.X_train, case.X_train)
    if name == kernels.RANKS:
        assert all(len(np.unique(column)) <= 256 for column in made.X_train.T)
    np.testing.assert_allclose(
        kernel_of(made)(made.X_test, made.X_train), laplacian_kernel(made.X_test, made.X_train, gamma=made.gamma)
    )


def test_kernels_of_other_cases(case):
    """Tanimoto by a function of its own, others by scikit-learn's."""
    from dataclasses import replace

    bits = (case.X_train > 0).astype(float)
    np.testing.assert_array_equal(kernel_of(replace(case, kernel="tanimoto"))(bits, bits), tanimoto(bits, bits))
    np.testing.assert_allclose(kernel_of(replace(case, kernel="linear"))(bits, bits), bits @ bits.T)


def test_page(case):
    """All answers agree, everyone is timed, and the page has a line per set and a summary."""
    sets = {}
    for name, kinds in ((kernels.SCALED, kernels.LINE_UP), (kernels.RANKS, (*kernels.LINE_UP, DagmarRbf))):
        made = kernels.laplacian(case, name)
        sets[made.name] = result = measure(made, 1, 1, str, kinds)
        assert set(result["seconds"]["fit"]) == {kind.name for kind in kinds}
        assert all(check["passed"] for check in result["checks"])
    scaled, ranks = sets.values()
    assert kernels.times_of_rbf(scaled) is None
    fit = ranks["seconds"]["fit"]
    assert kernels.times_of_rbf(ranks)[0] == pytest.approx(fit[DagmarRbf.name][0] / fit[Dagmar.name][0])
    best = min(fit[kind.name][0] for kind in (ScikitLearnFunction, ScikitLearnMatrix))
    ratios = kernels.columns(sets)
    assert ratios["fit, times scikit-learn"]["clouds, ranks"] == pytest.approx(best / fit[Dagmar.name][0])
    assert [len(of) for of in ratios.values()] == [2, 2, 1, 1]
    assert len(kernels.summary_table(sets).rows) == 4
    assert [len(kernels.row(*item)) for item in sets.items()] == [len(kernels.HEAD)] * 2
