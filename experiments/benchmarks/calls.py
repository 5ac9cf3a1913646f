"""Kinds of call: `dagmar.SVC` against its peers in everything that an SVC is asked for, not only rbf on two threads.

`make bench-calls` runs it, and it writes ``results/calls.json`` and ``calls.md``. `call_kinds` has the kinds. A part is run
with ``--kinds`` and ``--sets``; what the record has of the others stays in it.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from statistics import geometric_mean
from typing import Any

import numpy as np

from ..exceptions import DataError
from ..records import read_json
from ..tables import NONE, Table
from .agreement import (
    LEAST_EQUAL_LABELS,
    MOST_OBJECTIVE_APART,
    NEAR_ZERO,
    Check,
    checks,
    compare_objectives,
    near_ties,
    percent_equal,
)
from .call_kinds import FIRST, FIT, FOLDS, KINDS, NEXT, Call, Function, Kind, decision_values, line_up_of, probabilities
from .cases import CACHE_MB, TOL
from .command import Benchmark, Screen
from .competitors import Dagmar, ScikitLearn, is_peer
from .race import Laps, Pace, line_up, race, timed
from .report import Content, conditions, heading, new_report, write
from .results import Result
from .scaling import same_conditions
from .synthetic import clouds

PACE = Pace(long=2.0, far=4.0, fill=0.1)
WORDS = {FIT: "fit", FIRST: "first call", NEXT: "later calls"}
MOST_LOSS_APART = 0.1  # log loss of probabilities; those of the peers are made from random folds
MOST_OVERHEAD = 0.15  # of the time of a user's function
GROWTH = (200, 800)  # classes
GROWTH_ROWS, GROWTH_PER_CLASS, GROWTH_GOAL = 2000, 40, 1.3
OVERHEAD_REPEATS = 5
EXPLANATION = f"""\
Every kind of call is timed on several sets of the data folders, with rbf, C 10, gamma 4 / features, tol {TOL:g} and
{CACHE_MB} MB of cache unless the kind says otherwise. Sets have at most 1200 to 5000 rows, of which 70 % are for training;
features are scaled to [-1, 1] by them. A ratio of 2 means that the best peer on that set takes twice as long as dagmar. Ratios
are between the least times of all repeats; short calls are repeated within each. *First call* is the first after `fit`, which
also builds what a library keeps; *later calls* come after it. scikit-learn-intelex gets float32, where it is fastest. It
hands precomputed and callable kernels on to scikit-learn, so they are compared with that.

*defaults*: no parameter is given, one thread, float64. *one row*: calls with one row each. *precomputed*: the rbf kernel matrix
is given. *callable*: a function computes the same. *weights*: a weight per sample. *one against the rest*: our structure, and
`OneVsRestClassifier` of the peers. *probabilities*: `probability=True`. *two classes*: the two largest classes of a set.
*cross_val_score*: {FOLDS} folds. *wide rows*, *small sets* and *text* are rbf or linear on sets of that kind.

Labels are compared with scikit-learn's in every cell, by the rules of the other benchmarks; scores of folds and probabilities
by how far they are apart. The sigmoid kernel has several local optima: where scikit-learn's of a pair is worse than ours, and
farthest from it, labels are not compared."""


# ----------------------------------------------------------------- answers


def labels_of(kind: Kind, answers: Any) -> Any:
    """The class indices that answers speak for.

    Parameters
    ----------
    kind : Kind
    answers : ndarray
        Labels, or values or probabilities of the classes.

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    if kind.ask not in (decision_values, probabilities):
        return answers
    return answers.argmax(axis=1) if answers.ndim == 2 else (answers > 0).astype(np.int64)


def close_calls(ours: Any, theirs: Any, X: Any) -> Any:
    """Rows whose two largest values are so close, in either library, that solutions within tol may rank them differently.

    Parameters
    ----------
    ours, theirs : fitted classifiers
        With a value per class.
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    ndarray of bool, of shape (n_samples,)
    """
    close = np.zeros(X.shape[0], dtype=bool)
    for model in (ours, theirs):
        values = model.decision_function(X)
        largest = np.sort(np.column_stack([-values, values]) if values.ndim == 1 else values, axis=1)[:, -2:]
        close |= largest[:, 1] - largest[:, 0] <= 2 * NEAR_ZERO * np.maximum(1.0, np.abs(values).max())
    return close


def agreement(call: Call, laps: Laps) -> list[Check]:
    """What must hold between our answers and scikit-learn's.

    Parameters
    ----------
    call : Call
    laps : Laps
        With the models and answers of both.

    Returns
    -------
    list of Check
    """
    kind = call.kind
    ours, theirs = (laps.models[who] for who in (Dagmar.name, ScikitLearn.name))
    a, b = (laps.labels[who] for who in (Dagmar.name, ScikitLearn.name))
    if kind.name == "cross_val_score":
        limit = max(0.1, 100 / len(call.y_train))  # a near tie of one row
        apart = 100 * abs(float(np.mean(a) - np.mean(b)))
        return [Check("points of mean score from scikit-learn", apart, limit, apart <= limit)]
    if kind.ask is probabilities:
        loss = [-float(np.mean(np.log(np.maximum(p[np.arange(len(p)), call.y_test], 1e-15)))) for p in (a, b)]
        worse = loss[0] - loss[1]
        found = [Check("log loss above scikit-learn's", worse, MOST_LOSS_APART, worse <= MOST_LOSS_APART)]
        a, b = (model.predict(call.given[1]) for model in (ours, theirs))
    else:
        found = []
        a, b = labels_of(kind, a), labels_of(kind, b)
    X, truth = call.given[1][: len(a)], call.y_test[: len(a)]
    differ = a != b
    near = close_calls(ours, theirs, X) if kind.against_rest else near_ties(ours, theirs, X, differ)
    excused = differ & near
    a, b, truth = a[~excused], b[~excused], truth[~excused]
    apart = percent_equal(a, truth) - percent_equal(b, truth)
    if kind.against_rest:
        equal = percent_equal(a, b)
        return [*found, Check("% of labels as scikit-learn", equal, LEAST_EQUAL_LABELS, equal >= LEAST_EQUAL_LABELS)]
    objectives = compare_objectives(ours, theirs, call)
    objective = objectives["objective_apart"]
    if kind.kernel == "sigmoid" and objectives["largest_pair_apart"] < -MOST_OBJECTIVE_APART:
        # A matrix of the sigmoid kernel has negative eigenvalues: solvers may end in different local optima of a pair, whose
        # labels need not agree. Ours must not be the worse one.
        passed = objective <= MOST_OBJECTIVE_APART
        return [*found, Check("objective above scikit-learn's, relative", objective, MOST_OBJECTIVE_APART, passed)]
    return [*found, *checks(apart, percent_equal(a, b), objective)]


# ------------------------------------------------------------------- times


def ratios(kind: Kind, laps: Laps) -> dict[str, dict[str, Any]]:
    """How many times as fast as the best peer we are, by the least times.

    Parameters
    ----------
    kind : Kind
    laps : Laps

    Returns
    -------
    dict of str to dict
        For what the kind times: seconds, ratio and best_peer.
    """
    found = {}
    for what in kind.goals:
        least = {name: min(seconds) for name, seconds in getattr(laps, what).items()}
        best = min(filter(is_peer, least), key=least.__getitem__)
        ours = least[Dagmar.name]
        found[what] = {"seconds": ours, "ratio": least[best] / ours, "best_peer": best}
    return found


def overhead(call: Call, threads: int) -> dict[str, float]:
    """What `fit` and `predict` of a callable kernel take beside the user's function, as shares of its time.

    Parameters
    ----------
    call : Call
    threads : int

    Returns
    -------
    dict of str to float
        The least shares for "fit" and "predict", and "values", the kernel values asked for at predict per test sample.
    """
    import dagmar

    shares: dict[str, list[float]] = {"fit": [], "predict": []}
    for _ in range(OVERHEAD_REPEATS):
        function = Function(call.gamma)
        svc = dagmar.SVC(**{**call.parameters, "kernel": function}, n_jobs=threads)
        _, seconds = timed(partial(svc.fit, call.X_train, call.y_train), None)
        shares["fit"].append(seconds / function.seconds - 1)
        for _ in range(2):  # the first call also builds what the model keeps
            function.seconds, function.values = 0.0, 0
            _, seconds = timed(partial(svc.predict, call.X_test), None)
        shares["predict"].append(seconds / function.seconds - 1)
    least = {what: min(several) for what, several in shares.items()}
    return {**least, "values": function.values / len(call.y_test)}


def measure(call: Call, threads: int, repeats: int, say: Callable[[str], None]) -> Result:
    """Run everyone on one kind of call and one set.

    Parameters
    ----------
    call : Call
    threads, repeats : int
    say : callable
        Told of progress and of peers left out.

    Returns
    -------
    dict
        Only numbers, strings, lists and dicts.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # scikit-learn will remove `probability`
        warnings.simplefilter("ignore", UserWarning)  # warm-ups have classes with fewer rows than folds
        competitors = line_up(call, call.kind.threads(threads), say, line_up_of(call.kind))
        laps = race(competitors, repeats, say, PACE)
        agreed = agreement(call, laps)
    result = {
        "case": call.describe(),
        "seconds": {what: dict(getattr(laps, what)) for what in call.kind.goals},
        "ratios": ratios(call.kind, laps),
        "checks": [asdict(check) for check in agreed],
    }
    if call.kind.kernel == "function":
        result["overhead"] = overhead(call, threads)
    return result


def growth(threads: int, repeats: int) -> dict[str, Any]:
    """How later calls of `predict` grow with the number of classes, for the same number of rows.

    Parameters
    ----------
    threads, repeats : int

    Returns
    -------
    dict
        With the least seconds for each number of classes, and the exponent.
    """
    import dagmar

    seconds = {}
    for classes in GROWTH:
        case = clouds(classes, GROWTH_PER_CLASS)
        model = dagmar.SVC(**case.parameters, n_jobs=threads).fit(case.X_train, case.y_train)
        X = case.X_test[:GROWTH_ROWS]
        model.predict(X)
        seconds[classes] = min(timed(partial(model.predict, X), None)[1] for _ in range(3 + repeats))
    few, many = (seconds[classes] for classes in GROWTH)
    exponent = math.log(many / few) / math.log(GROWTH[1] / GROWTH[0])
    return {"seconds": {str(classes): value for classes, value in seconds.items()}, "exponent": exponent}


# ------------------------------------------------------------------ tables


def summary(kinds: dict[str, dict[str, Result]]) -> list[dict[str, Any]]:
    """Mean and worst of each kind in what it times, beside the goals.

    Parameters
    ----------
    kinds : dict of str to dict
        Results by kind and by set.

    Returns
    -------
    list of dict
        With kind, what, sets, mean, least, least_of, goal and met; the last two are None without a goal.
    """
    found = []
    for name, results in kinds.items():
        for what, goal in KINDS[name].goals.items():
            speeds = {key: result["ratios"][what]["ratio"] for key, result in results.items()}
            if not speeds:
                continue
            mean, least_of = geometric_mean(speeds.values()), min(speeds, key=speeds.__getitem__)
            least = speeds[least_of]
            met = None if goal is None else mean >= goal.mean and least >= goal.least
            line = {"kind": name, "what": WORDS[what], "sets": len(speeds), "mean": mean, "least": least}
            found.append({**line, "least_of": least_of, "goal": goal, "met": met})
    return found


def summary_table(kinds: dict[str, dict[str, Result]]) -> Table:
    """Mean and worst of each kind."""
    rows = [
        [
            *(
                line["kind"],
                line["what"],
                str(line["sets"]),
                f"{line['mean']:.1f}",
                f"{line['least']:.1f}",
                line["least_of"],
            ),
            NONE if line["goal"] is None else f"{line['goal'].mean:g} / {line['goal'].least:g}",
            NONE if line["met"] is None else "met" if line["met"] else "not met",
        ]
        for line in summary(kinds)
    ]
    head = ["kind of call", "what", "sets", "geometric mean", "least", "which", "goal: mean / least", ""]
    return Table("Times the best peer", head, rows)


def kind_table(name: str, results: dict[str, Result]) -> Table:
    """All sets of a kind."""
    timed = list(KINDS[name].goals)
    has_overhead = KINDS[name].kernel == "function"
    rows = []
    for key, result in results.items():
        case, cells = result["case"], []
        for what in timed:
            found = result["ratios"][what]
            cells += [f"{1000 * found['seconds']:.3g}", f"{found['ratio']:.2f}", found["best_peer"]]
        if has_overhead:
            own = result["overhead"]
            cells += [f"{100 * own['fit']:.0f}", f"{100 * own['predict']:.0f}", f"{own['values']:.0f}"]
        rows.append([key, str(case["train_rows"]), str(case["features"]), str(case["classes"]), *cells])
    head = ["set", "training rows", "features", "classes"]
    for what in timed:
        head += [f"{WORDS[what]}, ms", "×", "best peer"]
    if has_overhead:
        head += ["fit: % beside the function", "predict: % beside the function", "values per row"]
    return Table(name, head, rows)


def growth_line(found: dict[str, Any]) -> str:
    """The growth with classes, in words."""
    times = ", ".join(
        f"{1000 * seconds:.0f} ms with {classes} classes" for classes, seconds in found["seconds"].items()
    )
    return (
        f"Many classes: `predict` of {GROWTH_ROWS} rows, {GROWTH_PER_CLASS} training rows per class, later calls: {times}. The "
        f"time grows as the number of classes to the power of {found['exponent']:.2f} (goal: {GROWTH_GOAL:g})."
    )


def disagreements(report: Content) -> list[str]:
    """Every check that failed, in words."""
    return [
        f"{kind}, {name}, {check['what']}: {check['value']:.4g}, limit {check['limit']:g}"
        for kind, results in report["kinds"].items()
        for name, result in results.items()
        for check in result["checks"]
        if not check["passed"]
    ]


def markdown(report: Content) -> str:
    """The whole report as text."""
    kinds = {name: report["kinds"][name] for name in KINDS if name in report["kinds"]}
    parts = [heading("Kinds of call", report), conditions(report), EXPLANATION, summary_table(kinds).markdown()]
    if "growth" in report:
        parts.append(growth_line(report["growth"]))
    parts += [kind_table(name, results).markdown() for name, results in kinds.items()]
    return "\n\n".join([*parts, *(f"Disagreement: {line}." for line in disagreements(report))]) + "\n"


# --------------------------------------------------------------------- run


def begun(options: argparse.Namespace) -> Content:
    """The record that a run adds to: the one that is there, if it was measured under the same conditions; else an empty one."""
    new: Content = {**new_report(options), "kinds": {}}
    file = options.out / "calls.json"
    if file.exists() and same_conditions(old := read_json(file), new):
        new["kinds"] = old["kinds"]
        if "growth" in old:
            new["growth"] = old["growth"]
    return new


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Run everyone in each kind of call on each of its sets; sets that cannot be loaded are named and left out."""
    report, missing = begun(options), set()
    start = time.perf_counter()
    for name in options.kinds:
        kind, results = KINDS[name], report["kinds"].setdefault(name, {})
        for key in kind.sets:
            if options.sets and key not in options.sets:
                continue
            try:
                call = kind.case(key)
            except DataError as error:
                screen.fail(str(error))
                missing.add(key)
                continue
            results[key] = measure(call, options.threads, options.repeats, lambda line: None)
        screen.show([kind_table(name, results)])
        screen.say(f"{time.perf_counter() - start:.0f} s")
        write(report, markdown(report), options.out, "calls")  # so that a run that is stopped keeps the kinds before
    if options.growth:
        report["growth"] = growth(options.threads, options.repeats)
        write(report, markdown(report), options.out, "calls")
    screen.show([summary_table({name: report["kinds"][name] for name in options.kinds})])
    failures = disagreements(report)
    for line in failures:
        screen.fail(f"Disagreement: {line}")
    return int(bool(failures or missing))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which kinds of call, and which sets."""
    kinds = "kinds of call (default: all)"
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS), metavar="KIND", help=kinds)
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="only these sets of each kind (default: all)")
    parser.add_argument(
        "--growth", action=argparse.BooleanOptionalAction, default=True, help="growth with the number of classes"
    )


BENCHMARK = Benchmark("calls", "dagmar.SVC against its peers, by kinds of call.", run, add_options, 2)
