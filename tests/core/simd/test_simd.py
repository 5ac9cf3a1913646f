"""Instruction sets and precisions: the same machines, the same values."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import LEVELS, as_double, as_single, problem_of, random_bank, train_bank, values_of
from reference.kernels import machine_values

import dagmar
from dagmar import _core
from dagmar.machines.training import TrainSettings
from dagmar.problem.kernels import Kernel
from dagmar.problem.samples import as_data
from dagmar.problem.tasks import all_pairs

WIDE = [level for level in LEVELS if level != _core.Level.plain]
KERNELS = {
    "rbf": Kernel("rbf", gamma=0.3),
    "linear": Kernel("linear"),
    "poly": Kernel("poly", gamma=0.3, coef0=0.5, degree=3),
    "sigmoid": Kernel("sigmoid", gamma=0.2, coef0=0.1),
}


def train(data, level, precision="double", **parameters):
    X, y = data
    problem = problem_of(X, y, C=5.0, precision=precision, **parameters)
    return train_bank(problem, all_pairs(problem.n_classes), TrainSettings(memory=2.0**26, level=level))


def values_at(bank, X, level):
    """The values of a bank with an instruction set of one's choice."""
    return bank.decider(level).values(as_data(X), False, 1)


def test_best_level_is_one_of_the_levels():
    """The processor's best level is known, and plain code is always there."""
    assert _core.best_level() in LEVELS
    assert LEVELS[0] == _core.Level.plain


@pytest.mark.skipif(len(WIDE) < 2, reason="this processor has not both AVX2 and AVX-512")
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_wide_levels_train_the_same_bits(letters, kernel, precision):
    """AVX2 and AVX-512 do the same operations in the same order."""
    banks = [train(letters, level, precision, kernel=kernel, gamma=0.5, coef0=1.0)[0] for level in WIDE]
    for name in ("begin", "index", "coef", "bias"):
        np.testing.assert_array_equal(getattr(banks[0], name), getattr(banks[1], name))


@pytest.mark.parametrize("n_features", [1, 7, 16, 37])
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("level", LEVELS)
def test_classes_of_any_size_are_trained_to_the_optimum(level, precision, n_features, rng):
    """Blocks of kernel values are mirrored in registers; their edges are right, too."""
    y = np.repeat(np.arange(6), [1, 15, 16, 17, 33, 50])
    X = rng.normal(size=(len(y), n_features))
    bank, _ = train((X, y), level, precision, gamma=0.5)
    values = machine_values(bank, X)
    for m, (i, j) in enumerate(bank.pairs):
        here = np.flatnonzero((y == i) | (y == j))
        size, sign = np.zeros(len(y)), np.where(y == j, 1.0, -1.0)
        size[bank.support[bank.index[bank.begin[m] : bank.begin[m + 1]]]] = np.abs(
            bank.coef[bank.begin[m] : bank.begin[m + 1]]
        )
        size, margin = size[here], (sign * values[:, m])[here]
        assert margin[size < 5.0].min(initial=1.0) > 1.0 - 2e-3
        assert margin[size > 0.0].max(initial=1.0) < 1.0 + 2e-3


@pytest.mark.skipif(len(WIDE) < 2, reason="this processor has not both AVX2 and AVX-512")
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_wide_levels_decide_the_same_bits(kernel, precision, rng):
    """AVX2 and AVX-512 give the same values to the bit."""
    bank = random_bank(2, 6, kernel=KERNELS[kernel], n_features=19, precision=precision)
    X = rng.normal(size=(150, 19))
    np.testing.assert_array_equal(*(values_at(bank, X, level) for level in WIDE))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_rows_of_few_nonzeros_have_the_same_bits(kernel, precision, level, rng):
    """Columns of zeros make rows sparse enough to be multiplied by their nonzeros alone; that changes nothing."""
    y = np.arange(150) % 3
    X = rng.normal(size=(150, 13)) + 0.5 * np.eye(3, 13)[y]
    X[rng.random(X.shape) < 0.1] = 0.0
    sparse = np.zeros((150, 45))
    sparse[:, np.sort(rng.choice(45, size=13, replace=False))] = X
    numbers = {"C": 5.0, "kernel": kernel, "gamma": 0.5, "coef0": 1.0, "precision": precision}
    problems = [replace(problem_of(rows, y, **numbers), centre=None) for rows in (X, sparse)]
    same = {name: getattr(problems[0], name) for name in ("kernel_error", "double_error")}
    alike = replace(problems[1], **same)  # they grow with the number of features
    settings = TrainSettings(memory=2.0**26, level=level)
    full, few = (train_bank(problem, all_pairs(3), settings)[0] for problem in (problems[0], alike))
    for name in ("begin", "index", "coef", "bias"):
        np.testing.assert_array_equal(getattr(full, name), getattr(few, name))


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("level", LEVELS)
def test_every_level_trains_the_same_machines(letters, level, precision):
    """Machines of every level have the objective and the values of the plain ones."""
    X, _ = letters
    plain, plain_report = train(letters, _core.Level.plain, "double")
    bank, report = train(letters, level, precision)
    assert report.converged.all()
    np.testing.assert_allclose(report.objective, plain_report.objective, rtol=1e-4)
    np.testing.assert_allclose(values_of(bank, X[:50]), values_of(plain, X[:50]), atol=5e-3)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_features", [1, 3, 16, 17, 65])
def test_every_level_computes_the_formula(kernel, level, n_features, rng):
    """Values agree with NumPy's, whatever the number of features leaves over at the end of a register."""
    bank = random_bank(3, 3, kernel=KERNELS[kernel], n_features=n_features)
    X = rng.normal(size=(37, n_features))
    expected = machine_values(bank, X)
    np.testing.assert_allclose(values_at(bank, X, level), expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_features", [3, 40, 300])
def test_single_precision_is_within_its_error_estimate(kernel, n_features, rng):
    """Values in single precision differ from those in double by less than the bound that guards their signs."""
    bank = random_bank(4, 4, kernel=KERNELS[kernel], n_features=n_features)
    norm = np.sqrt(n_features)
    bank = as_single(bank)
    X = rng.normal(size=(200, n_features)) * (norm / np.sqrt(n_features))
    machine = np.repeat(np.arange(bank.n_machines), np.diff(bank.begin))
    squares, sizes = np.bincount(machine, bank.coef**2), np.bincount(machine, np.abs(bank.coef))
    largest = max(1.0, np.abs(machine_values(bank, X)).max())
    norm2 = max((X**2).sum(axis=1).max(), (bank.vectors**2).sum(axis=1).max())
    error = bank.kernel.error(norm2, n_features)
    bound = 8 * error * np.sqrt(squares) + np.finfo(np.float32).eps * (sizes + largest)
    difference = np.abs(values_of(bank, X) - values_of(as_double(bank), X))
    assert (difference <= bound).all()


def test_moving_features_far_away_changes_nothing_in_single_precision(letters):
    """All features plus 50: no label changes, and values by less than 1e-4."""
    X, y = letters
    near = dagmar.SVC(C=10, gamma=2.5, precision="single").fit(X, y)
    far = dagmar.SVC(C=10, gamma=2.5, precision="single").fit(X + 50, y)
    np.testing.assert_array_equal(far.predict(X + 50), near.predict(X))
    np.testing.assert_allclose(far.pair_decisions(X + 50), near.pair_decisions(X), atol=1e-4)


def test_gaussian_of_far_and_equal_samples_is_exact(rng):
    """The exponential is 1 at distance zero, 0 far away, and NumPy's in between, to rounding."""
    distances = np.concatenate([[0.0, 1e-9, 1e-4], np.linspace(0.01, 30, 200), [50.0, 1e3]])
    bank = random_bank(5, 2, per_class=1, n_features=1, kernel=Kernel("rbf", gamma=1.0))
    X = bank.vectors[0] + distances[:, None]
    for level in LEVELS:
        np.testing.assert_allclose(values_at(bank, X, level), machine_values(bank, X), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("precision", ["single", "double"])
def test_sigmoid_is_tanh(precision, level):
    """The vectorised tanh is right to a few units in the last place, for small arguments too, and keeps its sign."""
    z = np.concatenate([np.linspace(-25, 25, 1001), np.geomspace(1e-30, 1, 500), -np.geomspace(1e-30, 1, 500), [0.0]])
    unit = np.finfo(np.float32 if precision == "single" else np.float64).eps
    if precision == "single":
        z = z.astype(np.float32).astype(float)
    # One vector of length 1 per machine, asked for z: the value is tanh(z * 1).
    bank = random_bank(2, 2, kernel=Kernel("sigmoid", 1.0), n_features=1, precision=precision)
    bank = replace(bank, vectors=np.ones_like(bank.vectors), bias=np.zeros_like(bank.bias))
    total = np.array([bank.coef[bank.begin[m] : bank.begin[m + 1]].sum() for m in range(bank.n_machines)])
    size = np.array([np.abs(bank.coef[bank.begin[m] : bank.begin[m + 1]]).sum() for m in range(bank.n_machines)])
    found = values_at(bank, z[:, None], level)
    assert (np.abs(found - np.tanh(z)[:, None] * total) <= 8 * unit * np.abs(np.tanh(z))[:, None] * size).all()


@pytest.mark.parametrize("level", LEVELS)
def test_sigmoid_of_nan_is_nan(level):
    """An overflow on the way is not hidden by the bounds of tanh."""
    bank = random_bank(2, 2, kernel=Kernel("sigmoid", 1.0), n_features=2)
    bank = replace(bank, vectors=np.full_like(bank.vectors, 1e200) * [1, -1])
    with pytest.raises(ValueError, match="not a number"):
        values_at(bank, np.full((20, 2), 1e200), level)
