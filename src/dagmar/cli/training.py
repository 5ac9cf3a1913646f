"""The commands `train` and `tune`."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click
import numpy as np
import polars as pl
import scipy.sparse as sp
from sklearn.metrics import get_scorer_names
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, PowerTransformer, RobustScaler, StandardScaler

import dagmar

from .columns import class_weights, for_model, for_training, labels_to_train_on, no_column
from .errors import Failed, Misuse, check_folder, cut, listed
from .evaluation import evaluate
from .models import Loaded, write_model
from .reading import Data, Rows, Wanted, open_data
from .streams import check_result_is_alone, is_standard
from .tables import facts, note, number, plain, say_evaluation, say_json, size, table

MODEL = ".dagmar"
# Ranges of features that differ by this factor: scaling usually helps.
DIFFERENT_RANGES = 100
# What every cell of a search has.
CELL = ("C", "gamma", "score", "std")
SCALERS = {
    "standard": StandardScaler,
    "minmax": MinMaxScaler,
    "robust": RobustScaler,
    "power": PowerTransformer,
    "ranks": dagmar.tuning.Ranks,
}


def train(
    *,
    data: Path,
    target: str | None,
    weights: str | None,
    ignored: tuple[str, ...],
    format_: str | None,
    out: Path,
    test: Path | None,
    scale: str | None,
    class_weight: str | None,
    threads: int,
    verbose: bool,
    as_json: bool,
    scheduler: str | None = None,
    **parameters: Any,
) -> None:
    """Train a model and write it; evaluate it if there is test data. Parameters are those of the command and of `SVC`."""
    check_out(out, as_json)
    source = open_data(data, format_)
    wanted = for_training(source, target, weights, ignored)
    tested = None if test is None else open_data(test, format_)
    if tested is not None and tested.features is not None:  # before time is spent on training
        for name in (*(wanted.features or []), wanted.target):
            if name not in tested.columns:
                raise no_column(str(name), tested.columns)
    rows, labels = training_rows(source, wanted)
    given = {name: value for name, value in parameters.items() if value is not None}
    kind, given = on_cluster("SVC", scheduler, given)
    svc = kind(**given, class_weight=class_weights(class_weight, labels), n_jobs=threads, verbose=1)
    scaler = scalers_for((scale,), rows)[0]
    model: Any = svc if scaler is None else Pipeline([("scaler", SCALERS[scaler]()), ("svc", svc)])
    begun = time.perf_counter()
    fit(model, rows, labels)
    seconds = time.perf_counter() - begun
    loaded = Loaded(model)
    # The threads and the progress belong to this run, not to the model.
    loaded.svc.set_params(n_jobs=None, verbose=False)
    write_model(loaded, out, kind=MODEL)
    loaded.svc.set_params(n_jobs=threads)
    result = {"model": str(out), "rows": rows.n_rows, **summary(loaded, verbose), "seconds": seconds}
    if tested is not None:
        result["test"] = evaluate(loaded, tested, for_model(tested, loaded, wanted.target, needs_target=True))
    if as_json:
        say_json(result)
        return
    with beside(out):
        say_trained(result, out)
        if tested is not None:
            click.echo()
            say_evaluation(result["test"])


def tune(
    *,
    data: Path,
    target: str | None,
    weights: str | None,
    ignored: tuple[str, ...],
    format_: str | None,
    out: Path | None,
    scale: tuple[str, ...] | None,
    kernel: tuple[str, ...] | None,
    class_weight: str | None,
    threads: int,
    verbose: bool,
    as_json: bool,
    scheduler: str | None = None,
    **parameters: Any,
) -> None:
    """Search C and gamma, print the grid and write the best model. Parameters are those of the command and of `SVCCV`."""
    if out is not None:
        check_out(out, as_json)
    check_scoring(parameters.get("scoring"))
    source = open_data(data, format_)
    rows, labels = training_rows(source, for_training(source, target, weights, ignored))
    given = {name: value for name, value in parameters.items() if value is not None}
    auto = given.get("search") == "auto"
    given |= _one_or_several("kernel", "kernels", kernel, auto)
    if scale is not None or not auto:
        given |= _one_or_several("scaler", "scaler", scalers_for(scale or (None,), rows), auto)
    kind, given = on_cluster("SVCCV", scheduler, given)
    search = kind(
        **given,
        class_weight=class_weights(class_weight, labels),
        refit=out is not None,
        n_jobs=threads,
        verbose=1,
    )
    begun = time.perf_counter()
    fit(search, rows, labels)
    seconds = time.perf_counter() - begun
    found = search.cv_results_
    cells = [
        {**{name: _plain(value) for name, value in params.items()}, "score": float(mean), "std": float(std)}
        for params, mean, std in zip(found["params"], found["mean_test_score"], found["std_test_score"], strict=True)
    ]
    best = {name: _plain(value) for name, value in search.best_params_.items()}
    score = float(search.best_score_)
    result: dict[str, Any] = {"rows": rows.n_rows, "best": best, "score": score, "cells": cells, "seconds": seconds}
    if out is not None:
        loaded = Loaded(search.best_estimator_)
        loaded.svc.set_params(n_jobs=None, verbose=False)
        write_model(loaded, out, kind=MODEL)
        result.update({"model": str(out), **summary(loaded, verbose)})
    if as_json:
        say_json(result)
        return
    with beside(out):
        say_combinations(cells, best)
        say_grid([cell for cell in cells if combination(cell) == combination(best)], best)
        chosen = ", ".join(
            f"{name} {number(value) if name in CELL else value or 'none'}" for name, value in best.items()
        )
        click.echo(f"\nbest: {chosen} (*), mean score {number(score)}")
        if out is not None:
            click.echo()
            say_trained(result, out)


# ------------------------------------------------------------------- steps


def on_cluster(name: str, scheduler: str | None, parameters: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return a classifier and its parameters: that of `dagmar.dask`, with the address of its scheduler, if there is one."""
    if scheduler is None:
        return getattr(dagmar, name), parameters
    return getattr(dagmar.dask, name), {**parameters, "client": scheduler}


def check_out(out: Path, as_json: bool) -> None:
    """Raise Misuse if the model could not be written there, before time is spent on training."""
    check_result_is_alone(out, as_json)
    if out.suffix.lower() != MODEL and not is_standard(out):
        raise Misuse(f"--out {out}: the suffix must be .dagmar; dagmar convert makes other formats")
    check_folder(out)


def check_scoring(name: str | None) -> None:
    """Raise Misuse if scikit-learn has no score of this name; its own message lists all of them."""
    if name is None or name in (known := get_scorer_names()):
        return
    close = get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else "Some are accuracy, balanced_accuracy, f1_macro and neg_log_loss"
    raise Misuse(f"--scoring {name}: scikit-learn has no such score. {hint}")


def training_rows(source: Data, wanted: Wanted) -> tuple[Rows, Any]:
    """Return all rows, and the labels with the name of their column."""
    rows = source.all_rows(wanted)
    assert rows.y is not None
    assert wanted.target is not None
    labels = labels_to_train_on(rows.y, wanted.target)
    if labels.n_unique() < 2:
        raise Failed(
            f"column {wanted.target!r} has the label {cut(str(labels[0]))!r} in every row: two classes are needed"
        )
    return rows, NamedLabels.of(labels, wanted.target)


class NamedLabels(np.ndarray[Any, Any]):
    """Labels with the name of their column, which becomes part of the model.

    Texts are Python's own strings: an array of texts, which a Series of polars would become, gives each label the memory of the
    longest one.

    Attributes
    ----------
    name : str
    """

    name: str

    @classmethod
    def of(cls, labels: pl.Series, name: str) -> NamedLabels:
        """Return labels as an array, with their name."""
        named = labels.to_numpy().view(cls)
        named.name = name
        return named


def scalers_for(scales: Sequence[str | None], rows: Rows) -> list[str | None]:
    """Return the scalers that the user names, None for none; raise Misuse if these rows cannot be scaled.

    If the user says nothing, and scaling would probably help, a line on standard error says so.
    """
    if None in scales:
        suggest_scaling(rows)
    scalers = [None if scale == "none" else scale for scale in scales]
    if any(scalers) and sp.issparse(rows.X):
        raise Misuse(
            f"--scale {next(filter(None, scalers))}: the data is sparse, and scaling would fill it; use --scale none"
        )
    return scalers


def _one_or_several(one: str, several: str, values: Sequence[Any] | None, auto: bool) -> dict[str, Any]:
    """Return a parameter of `SVCCV` that has one value, or one that has several; auto takes several to be all there are."""
    if values is None:
        return {}
    return {several: tuple(values)} if auto or len(values) > 1 else {one: values[0]}


def suggest_scaling(rows: Rows) -> None:
    """Say on standard error that ``--scale standard`` may help, if the ranges of the features are very different."""
    if sp.issparse(rows.X):  # it cannot be scaled
        return
    with np.errstate(over="ignore"):
        ranges = (
            np.ravel(rows.X.max()) - np.ravel(rows.X.min()) if isinstance(rows.X, pl.DataFrame) else np.ptp(rows.X, 0)
        )
        varying = np.flatnonzero(ranges)
        if not len(varying):
            return
        small, large = varying[ranges[varying].argmin()], varying[ranges[varying].argmax()]
        factor = ranges[large] / ranges[small]
    if factor < DIFFERENT_RANGES:
        return
    names = rows.X.columns if isinstance(rows.X, pl.DataFrame) else np.arange(len(ranges))
    of = [f"{number(ranges[k])} of feature {str(names[k])!r}" for k in (large, small)]
    note(
        f"the features have ranges from {of[1]} to {of[0]}: --scale standard usually helps (--scale none: do not say so)"
    )


def fit(model: Any, rows: Rows, labels: Any) -> None:
    """Fit a classifier, a search or a pipeline whose last step is called "svc"."""
    # Progress goes to standard error. What the library prints at the end is in the `summary`.
    with redirect_stdout(io.StringIO()):
        if isinstance(model, Pipeline):
            model.fit(rows.X, labels, svc__sample_weight=rows.weights)
        else:
            model.fit(rows.X, labels, rows.weights)


def summary(loaded: Loaded, verbose: bool = False) -> dict[str, Any]:
    """Return what a fit gave, as JSON can say it; with details if `verbose`."""
    svc = loaded.svc
    about = {
        "features": loaded.n_features,
        "classes": plain(svc.classes_),
        "structure": structure_name(svc),
        "machines": int(svc.bank_.n_machines),
        "support_vectors": len(svc.support_),
        "converged": bool(svc.fit_status_ == 0),
    }
    if not verbose:
        return about
    return {**about, "report": {"text": str(svc.report_), **svc.report_.totals, "choices": svc.report_.choices}}


def structure_name(svc: Any) -> str:
    """Return the structure of a classifier as the user writes it."""
    return svc.structure if isinstance(svc.structure, str) else repr(svc.structure)


def say_trained(result: dict[str, Any], out: Path) -> None:
    """Print what a fit gave."""
    report = result.get("report")
    choices = [] if report is None else [f"{name}: {words}" for name, words in report["choices"].items()]
    facts(
        {
            "trained": f"{result['rows']} rows, {result['features']} features, {result['seconds']:.2f} s",
            "classes": f"{len(result['classes'])}: {listed(result['classes'])}",
            "structure": f"{result['structure']}, {result['machines']} machines, "
            f"{result['support_vectors']} support vectors",
            "training": None if report is None else "\n".join([report["text"], *choices]),
            "model": None if is_standard(out) else f"{out} ({size(out.stat().st_size)})",
        }
    )


def beside(out: Path | None) -> AbstractContextManager[Any]:
    """Return a context in which text goes to standard error, if the model goes to standard output."""
    return redirect_stdout(sys.stderr) if is_standard(out) else nullcontext()


def combination(cell: dict[str, Any]) -> dict[str, str]:
    """Return what a cell says beside C, gamma and its score."""
    return {name: value or "none" for name, value in cell.items() if name not in CELL}


def say_combinations(cells: list[dict[str, Any]], best: dict[str, Any]) -> None:
    """Print the best score of each combination of kernel, scaling and weights, if there are several."""
    scores: dict[tuple[str, ...], list[float]] = {}
    for cell in cells:
        scores.setdefault(tuple(combination(cell).values()), []).append(cell["score"])
    if not combination(best):
        return
    lines = [[*names, str(len(found)), number(max(found))] for names, found in scores.items()]
    heads = [*(name.replace("_", " ") for name in combination(best)), "cells", "best score"]
    table(heads, lines, (list(scores).index(tuple(combination(best).values())), len(heads) - 1))
    click.echo()


def say_grid(cells: list[dict[str, Any]], best: dict[str, Any]) -> None:
    """Print the scores: a line per C, a column per gamma. The best cell has a star."""
    gammas = sorted({cell["gamma"] for cell in cells if "gamma" in cell}, key=float)
    Cs = sorted({cell["C"] for cell in cells})
    scores = {(cell["C"], cell.get("gamma")): number(cell["score"]) for cell in cells}
    columns = gammas or [None]
    lines = [[number(C), *(scores.get((C, gamma), "") for gamma in columns)] for C in Cs]
    heads = ["C \\ gamma", *map(number, gammas)] if gammas else ["C", "score"]
    marked = (Cs.index(best["C"]), 1 + columns.index(best.get("gamma")))
    table(heads, lines, marked)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
