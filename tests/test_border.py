"""The border to the core: structs with names, whose arrays must fit together."""

import json
import re
import signal
from dataclasses import replace

import attacks
import numpy as np
import pytest
from children import HERE, LEAVE_MEMORY, output_of, run_child
from helpers import decide, random_bank

from dagmar import _core
from dagmar.problem.kernels import Kernel
from dagmar.structures import DDAG, MaxWins

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
    assert out.machines.dtype == _core.MACHINE_RECORD
    assert out.machines.shape == (2,)
    assert (out.machines["gap"] < 1e-3).all()
    assert (out.machines["iterations"] > 0).all()
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


# Six sparse samples, of which the first has a nonzero.
FEW_NONZEROS = _core.Data(np.ones(1), ints(0, dtype=np.int32), ints(0, 1, 1, 1, 1, 1, 1, dtype=np.int32), 2)


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
        ({"norms": np.zeros(3)}, "norms must have one number per sample"),
        ({"common": ints(0, 1, dtype=np.int32)}, "common must be features of sparse samples"),
        (
            {"x": FEW_NONZEROS, "common": ints(1, 0, dtype=np.int32)},
            "common must be features of sparse samples that ascend",
        ),
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
    assert 0 <= _core.single_error(problem(class_start=ints(0, 6)), rows, 1, level) < 1e-6
    with pytest.raises(ValueError, match="one class"):
        _core.single_error(problem(), rows, 1, level)
    with pytest.raises(ValueError, match="places in order"):
        _core.single_error(problem(class_start=ints(0, 6)), rows + np.int32(5), 1, level)


def test_paths_of_another_bank_are_refused():
    """Vectors are counted only along paths over the bank's own machines."""
    machines = train()
    bank = _core.Bank(
        vectors=_core.Data(X), support=np.arange(6, dtype=np.int64), class_start=ints(0, 2, 4, 6), begin=machines.begin,
        index=machines.sample, coef=machines.coef, bias=np.zeros(2), kernel=Kernel("rbf").native(),
    )  # fmt: skip
    decider = _core.Decider(bank, _core.best_level())
    np.testing.assert_array_equal(decider.distinct_vectors(ints(0, 1, 3), ints(0, 0, 1)), [4, 6])
    for begin, asked in [((0, 2), (0, 2)), ((0, 2), (0, -1)), ((0, 1), (0, 1)), ((1, 2), (0, 1))]:
        with pytest.raises(ValueError, match="not paths over this bank"):
            decider.distinct_vectors(ints(*begin), ints(*asked))


# ------------------------------------------------- attacks, in a process of their own


@pytest.fixture(scope="module")
def outcomes():
    """What each attack raised; a signal ends only the child, and the rest is tried in another one."""
    found, left = {}, list(attacks.ATTACKS)
    while left:
        code = f"import runpy; runpy.run_path({str(HERE / 'attacks.py')!r}, run_name='__main__')"
        ended = run_child(code, *left, timeout=300)
        lines = [json.loads(line) for line in ended.stdout.splitlines()]
        found |= {
            name: f"{kind}: {message}" for what, name, *rest in lines if what == "end" for kind, message in [rest]
        }
        tried = [name for what, name, *_ in lines if what == "begin"]
        assert tried, ended.stderr
        for name in tried:
            found.setdefault(
                name, f"ended by {signal.Signals(-ended.returncode).name}" if ended.returncode < 0 else "gone"
            )
        left = left[left.index(tried[-1]) + 1 :]
    return found


@pytest.mark.parametrize("name", attacks.ATTACKS)
def test_attacks_are_refused_by_name(outcomes, name):
    """Whatever leads outside the arrays, or nowhere, is a ValueError that says what is wrong."""
    assert outcomes[name].startswith("ValueError: ")
    assert re.search(attacks.ATTACKS[name][1], outcomes[name])


@pytest.mark.parametrize("name", attacks.GOOD)
def test_what_attacks_change_is_good(name):
    """The plans and the bank are accepted as they are, and lead to the same classes alone, side by side and by paths."""
    alone, together, ends = attacks.follow(attacks.GOOD[name])
    assert alone[0] == together[0]
    np.testing.assert_array_equal(together, ends)
    assert len(set(together.tolist())) > 1


def test_levels_of_other_processors_are_refused():
    """An instruction set that the processor lacks would end the process."""
    higher = [level for level in _core.Level if level.value > _core.best_level().value]
    if not higher:
        pytest.skip("this processor has them all")
    with pytest.raises(ValueError, match="instruction set"):
        attacks.BANK.decider(higher[0])
    with pytest.raises(ValueError, match="instruction set"):
        settings(level=higher[0])


@pytest.mark.parametrize("structure", [DDAG(), MaxWins()])
def test_vectors_of_other_classes_are_read_where_they_are(structure):
    """A machine of a pair may have vectors of any class: many samples get the labels that each gets alone."""
    bank, rng = random_bank(3, 5), np.random.default_rng(0)
    index = bank.index.copy()
    for m in range(bank.n_machines):
        here = slice(bank.begin[m], bank.begin[m + 1])
        index[here] = np.sort(rng.choice(bank.n_vectors, here.stop - here.start, replace=False))
    bank = replace(bank, index=index)
    plan, samples = structure.plan(bank), rng.normal(size=(300, 6))
    one_by_one = np.concatenate([decide(bank, plan, samples[i : i + 1]) for i in range(300)])
    np.testing.assert_array_equal(decide(bank, plan, samples), one_by_one)


def test_huge_numbers_of_settings_are_taken():
    """Memory and threads beyond any machine are as many as there are."""
    train_settings = settings(memory=1e300, n_threads=2**31 - 1)
    variants = _core.Variants(cap=np.ones((1, 6)))
    np.testing.assert_array_equal(_core.train(problem(), tasks(), variants, train_settings).coef, train().coef)


# ------------------------------------------------------------- threads and memory

WORK = """
import sys
import numpy as np
import dagmar
from helpers import letter_like
X, y = letter_like(0, 6, 60)

def answers(n_jobs):
    clf = dagmar.SVC(C=5, n_jobs=n_jobs, cache_size=1).fit(X, y)
    return [clf.bank_.coef, clf.predict(X), clf.pair_decisions(X), clf.restructure("max_wins").predict(X)]
"""


def test_threads_that_cannot_be_had_are_not_needed():
    """Without room for the stack of another thread, the calling thread does the work, to the same bits."""
    code = (
        WORK
        + LEAVE_MEMORY
        + """
import threading
expected = answers(1)
leave_memory(2**28)  # a thread takes four times as much
try:
    threading.Thread(target=print).start()
except RuntimeError:
    print("no threads")
print(all(a.tobytes() == b.tobytes() for a, b in zip(expected, answers(4), strict=True)))
"""
    )
    assert output_of(code, stack=2**30).split("\n")[:2] == ["no threads", "True"]


def test_some_of_the_threads_are_enough():
    """With room for one more thread, that one does the work of four, to the same bits."""
    code = WORK + LEAVE_MEMORY + "expected = answers(1)\nleave_memory(2**30 + 2**29)\n"
    code += "print(all(a.tobytes() == b.tobytes() for a, b in zip(expected, answers(4), strict=True)))"
    assert output_of(code, stack=2**30).strip() == "True"


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("kind", ["dense", "sparse", "precomputed"])
def test_memory_that_cannot_be_had_is_a_memory_error(kind, n_jobs):
    """With little memory left, each call succeeds or raises MemoryError, and the model still answers."""
    code = (
        LEAVE_MEMORY
        + """
import sys
import numpy as np
import scipy.sparse as sp
import dagmar
from dagmar import _core
from dagmar.structures import MaxWins

kind, n_jobs = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
X, y = rng.normal(size=(1500, 50)), rng.integers(0, 4, 1500)
X = {"dense": lambda: X, "sparse": lambda: sp.csr_matrix(X), "precomputed": lambda: X @ X.T}[kind]()
parameters = {"kernel": "precomputed" if kind == "precomputed" else "rbf", "n_jobs": n_jobs, "cache_size": 2000, "tol": 0.5}
small = dagmar.SVC(**parameters).fit(X[:100, :100], y[:100])
many = (sp.vstack if kind == "sparse" else np.vstack)([X[:, :100]] * 40)
expected, plan = small.predict(many[:3]), MaxWins().plan(small.bank_).native
calls = [
    lambda: dagmar.SVC(C=0.01, **parameters).fit(X, y),
    lambda: small.predict(many),
    lambda: small.pair_decisions(many),
    lambda: _core.Walks(plan, 2**40),
]
for megabytes in (2, 2, 6, 18):
    leave_memory(megabytes * 2**20)
    for call in calls:
        try:
            call()
        except MemoryError:
            print("MemoryError")
leave_memory(2**27)
print((small.predict(many[:3]) == expected).all())
"""
    )
    ended = output_of(code, kind, str(n_jobs)).split()
    assert ended.count("MemoryError") >= 5  # the fit twice, the walks always
    assert ended[-1] == "True"


@pytest.mark.parametrize("n_jobs", [4, 32])
def test_workers_without_memory_do_not_end_the_process(n_jobs):
    """With room for the small stacks of many threads and little else, each call succeeds or raises MemoryError.

    A thread that throws for the first time needs a few bytes, and without them the C library ends the process.
    """
    code = (
        LEAVE_MEMORY
        + """
import sys
import numpy as np
import dagmar

rng = np.random.default_rng(0)
X, y = rng.normal(size=(900, 50)), rng.integers(0, 12, 900)
parameters = {"n_jobs": int(sys.argv[1]), "cache_size": 2000, "tol": 0.5}
small = dagmar.SVC(**parameters).fit(X[:300], y[:300])
many = np.vstack([X] * 20)
expected, failed = small.predict(many[:50]), 0
calls = [
    lambda: dagmar.SVC(C=0.01, **parameters).fit(X, y),
    lambda: small.predict(many),
    lambda: dagmar.SVC(**parameters).fit(X[:400], y[:400] % 2),
    lambda: small.pair_decisions(many),
]
for kilobytes in [*range(64, 400, 16), *range(400, 2000, 200)]:
    leave_memory(kilobytes * 1024)
    for call in calls:
        try:
            call()
        except MemoryError:
            failed += 1
leave_memory(2**28)
print(failed, (small.predict(many[:50]) == expected).all())
"""
    )
    assert output_of(code, str(n_jobs), stack=2**18).split()[-1] == "True"
