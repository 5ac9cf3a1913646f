"""The border to the core: structs with names, whose arrays must fit together."""

import numpy as np
import pytest

from dagmar import _core
from dagmar.problem.kernels import Kernel

X = np.arange(12.0).reshape(6, 2)


def ints(*values, dtype=np.int64):
    return np.array(values, dtype=dtype)


def problem(**change):
    """Six samples of three classes."""
    given = {
        "x": _core.Data(X),
        "order": np.arange(6),
        "class_start": ints(0, 2, 4, 6),
        "kernel": Kernel("rbf").native(),
    }
    return _core.Problem(**{**given, **change})


def tasks(**change):
    """The pairs (0, 1) and (1, 2)."""
    given = {
        "begin": ints(0, 2, 4),
        "classes": ints(0, 1, 1, 2, dtype=np.int32),
        "sides": ints(-1, 1, -1, 1, dtype=np.int8),
    }
    return _core.Tasks(**{**given, **change})


def settings(**change):
    given = {"tol": 1e-3, "max_iter": -1, "memory": 2.0**20, "n_threads": 1, "level": _core.best_level()}
    return _core.TrainSettings(**{**given, **change})


def train(the_problem=None, the_tasks=None, cap=None, start=None, ratio=None, soft=None):
    cap = np.ones((1, 6)) if cap is None else cap
    variants = _core.Variants(cap=cap, start=start, ratio=ratio)
    return _core.train(the_problem or problem(), the_tasks or tasks(), variants, settings(), soft=soft)


def test_machines_have_an_entry_per_task():
    """A result has one entry per machine in every array, and lists that fit together."""
    out = train()
    for name in ("bias", "objective", "norm2", "gap", "seconds", "iterations", "status", "refined"):
        assert getattr(out, name).shape == (2,), name
    assert out.begin.shape == out.outside_begin.shape == (3,)
    assert out.sample.shape == out.coef.shape == (out.begin[-1],)
    np.testing.assert_array_equal(out.tasks, [0, 1])


def test_results_own_their_memory():
    """Arrays outlive the object that handed them over, and are the same memory each time."""
    out = train()
    first, again = out.coef, out.coef
    assert np.shares_memory(first, again)
    expected = first.copy()
    del out
    np.testing.assert_array_equal(first, expected)


def test_a_problem_keeps_its_arrays_alive():
    """Nobody else needs to hold what a problem reads."""
    kept = problem(x=_core.Data(X.copy()), order=np.arange(6) + 0)
    np.testing.assert_array_equal(train(kept).coef, train().coef)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"class_start": ints(0, 4, 2, 6)}, "class_start must ascend"),
        ({"class_start": ints(1, 4, 6)}, "class_start must ascend"),
        ({"class_start": ints(0)}, "class_start must ascend"),
        ({"class_start": ints(0, 2, 5)}, "class_start must end"),
        ({"order": ints(0, 1, 2, 3, 4, 6)}, "order names samples"),
        ({"order": ints(0, 1, 2, 3, 4, -1)}, "order names samples"),
        ({"kernel": Kernel("precomputed").native()}, "order names samples"),  # of two columns
        ({"centre": np.zeros(3)}, "centre must have"),
    ],
)
def test_problems_that_do_not_fit_are_refused(change, message):
    """Arrays that would lead outside the data are errors, not crashes."""
    with pytest.raises(ValueError, match=message):
        problem(**change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"begin": ints(0, 2, 5)}, "do not fit together"),
        ({"begin": ints(0, 3, 2, 4)}, "do not fit together"),
        ({"begin": ints()}, "do not fit together"),
        ({"sides": ints(-1, 1, dtype=np.int8)}, "do not fit together"),
        ({"classes": ints(0, 1, 1, 3, dtype=np.int32)}, "a class that the problem does not have"),
        ({"classes": ints(0, 1, 1, -1, dtype=np.int32)}, "a class that the problem does not have"),
    ],
)
def test_tasks_that_do_not_fit_are_refused(change, message):
    """Tasks name classes of the problem."""
    with pytest.raises(ValueError, match=message):
        train(the_tasks=tasks(**change))


@pytest.mark.parametrize("name", ["C", "gamma"])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_tasks_have_one_number_each(name, n):
    """C and gamma of tasks are one number per task, or not given."""
    with pytest.raises(ValueError, match=f"{name} needs one number per task"):
        tasks(**{name: np.ones(n)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cap": np.ones((1, 5))}, "one number per sample"),
        ({"soft": np.ones(7)}, "one label per sample"),
        ({"soft": np.ones(0)}, "soft is empty"),
        ({"start": ints(-1, dtype=np.int32)}, "belong together"),
        ({"start": ints(-1, -1, dtype=np.int32), "ratio": np.ones(2)}, "one number per variant"),
        ({"start": ints(0, dtype=np.int32), "ratio": np.ones(1)}, "only from an earlier one"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(change, message):
    """Caps, soft labels and starts have the sizes of the problem, the tasks and the variants."""
    with pytest.raises(ValueError, match=message):
        train(**change)


def test_settings_need_a_thread():
    """Training is done by at least one thread."""
    with pytest.raises(ValueError, match="n_threads must be 1"):
        settings(n_threads=0)


def test_error_of_single_precision_is_measured_in_one_class():
    """The measurement takes samples without classes, and rows among them."""
    rows, level = ints(0, 1, dtype=np.int32), _core.best_level()
    assert 0 <= _core.single_error(problem(class_start=ints(0, 6)), rows, level) < 1e-6
    with pytest.raises(ValueError, match="one class"):
        _core.single_error(problem(), rows, level)
    with pytest.raises(ValueError, match="places in order"):
        _core.single_error(problem(class_start=ints(0, 6)), rows + np.int32(5), level)


def test_paths_of_another_bank_are_refused():
    """Vectors are counted only along paths over the bank's own machines."""
    machines = train()
    bank = _core.Bank(
        vectors=_core.Data(X), support=np.arange(6), class_start=ints(0, 2, 4, 6), begin=machines.begin,
        index=machines.sample, coef=machines.coef, bias=machines.bias, kernel=Kernel("rbf").native(),
    )  # fmt: skip
    decider = _core.Decider(bank, _core.best_level())
    np.testing.assert_array_equal(decider.distinct_vectors(ints(0, 1, 3), ints(0, 0, 1)), [4, 6])
    for begin, asked in [((0, 2), (0, 2)), ((0, 2), (0, -1)), ((0, 1), (0, 1)), ((1, 2), (0, 1))]:
        with pytest.raises(ValueError, match="not paths over this bank"):
            decider.distinct_vectors(ints(*begin), ints(*asked))
