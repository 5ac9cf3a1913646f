"""`dagmar.explore`: how a fitted classifier decides, as one page for the browser."""

from __future__ import annotations

import os
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from ..base.fitted_steps import weights_of
from ..base.parameters import check_parameters, number
from ..base.typing import Index
from ..base.versions import running_version
from ..estimators.model import Model
from ..estimators.pairwise import PairwiseClassifier
from ..estimators.svc import SVC
from ..machines.bank import Bank
from ..machines.estimator_bank import EstimatorBank, select_rows
from ..problem.per_pair import is_per_pair
from ..tuning.svccv import SVCCV
from .beforehand import beforehand
from .choosing import choose_rows
from .compact import MOST_NUMBERS, compact_machines, compact_plan, compact_tasks, compact_vectors, fits_a_page
from .decided import Decided
from .features import check_image, compact_features, compact_weights, guess_image
from .given import Given
from .packing import packed
from .page import Page, make_html
from .traffic import traffic


def explore(
    clf: SVC | SVCCV | PairwiseClassifier | Pipeline,
    X: ArrayLike,
    y: ArrayLike | None = None,
    path: str | os.PathLike[str] | None = None,
    *,
    image: tuple[int, int] | Literal["auto"] | None = "auto",
    title: str | None = None,
    max_rows: int = 5000,
    random_state: int = 0,
) -> Page:
    """Make a page for the browser that shows how a fitted classifier decides.

    The page has the accuracy, the confusion matrix, the structure with its traffic, and a table of samples. For a sample it
    shows the decision step by step: the value of each machine, the support vectors that had most influence, the runner-up.
    "What if" moves a feature, and the page computes the decision again from a copy of the model in float32. The page is one
    file that opens by a double click and needs no network.

    Parameters
    ----------
    clf : SVC, SVCCV, PairwiseClassifier or Pipeline
        Fitted. A `Pipeline` ends with one of the others. If its other steps are `StandardScaler`, `MinMaxScaler`,
        `MaxAbsScaler`, `RobustScaler`, `SimpleImputer` or `dagmar.tuning.FeatureWeights`, the page shows and moves the features
        before these steps; with other steps, the features after them.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples to show, as `clf.predict` takes them.
    y : array-like of shape (n_samples,), optional
        Their labels. Without them the page has no accuracy and no confusion matrix.
    path : str or path, optional
        Write the page to this file as well.
    image : (int, int), "auto" or None, default="auto"
        Height and width, if each sample is a grey image: its features are the pixels, row by row. "auto" guesses: rows of 64,
        256 or 784 features are square images, unless the features have names that do not end with a number. None shows no
        images. A control on the page shows images as bars, and back.
    title : str, optional
        Title of the page.
    max_rows : int, default=5000
        Show at most this many samples. If there are more, errors are kept (up to half of the places), and the same share of
        each class is chosen at random. With more than 800 features fewer are shown: at most 4 million numbers.
    random_state : int, default=0
        Seed of that choice.

    Returns
    -------
    Page
        A notebook shows it inline. ``page.html`` is the text, and ``page.save(path)`` writes it.

    See Also
    --------
    explain : One sample, as text.
    dagmar.pictures.StructureDisplay : A structure and a path, drawn.

    Notes
    -----
    A page computes with models of at most 4 million stored numbers and the kernels rbf, linear, poly and sigmoid. With other
    models there is no "what if", and the decisions of at most 200 samples can be followed: errors first, then close calls.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = dagmar.SVC(gamma=0.001, structure="ddag").fit(X[:1000], y[:1000])
    >>> page = dagmar.explore(clf, X[1000:], y[1000:], image=(8, 8))
    >>> page.shown, page.what_if
    (797, True)
    """
    checks = {"max_rows": number(1, np.inf, "left", Integral), "random_state": number(0, np.inf, "left", Integral)}
    check_parameters("explore", {"max_rows": max_rows, "random_state": random_state}, checks)
    given = Given.of(clf, X, y)
    table, names, after, steps = given.features()
    guesses = isinstance(image, str) and image == "auto"
    if not guesses:
        shape = check_image(image, None if table is None else table.n_features)  # type: ignore[arg-type]
    else:  # features that went through other steps are no pixels
        shape = None if table is None or after is not None else guess_image(table.n_features, table.names or names)
    decided, truth = Decided.of(given), given.truth
    wrong = np.zeros(len(decided.answers), dtype=bool) if truth is None else truth != decided.answers
    most = max_rows if table is None else min(max_rows, max(1, MOST_NUMBERS // max(1, table.n_features)))
    chosen = choose_rows(decided.answers if truth is None else truth, wrong, most, random_state)
    svc = given.svc
    model = svc._asked()
    bank, plan = model.bank, model.plan
    shown = select_rows(given.samples, chosen)
    passing = traffic(bank, plan, svc.decision_path(shown))
    data: dict[str, Any] = {
        "version": running_version(),
        "structure": repr(model.structure),
        "machines": _words(svc, model),
        "kernelMachines": isinstance(bank, Bank),
        "classes": [str(label) for label in model.classes.tolist()],
        "others": given.others,
        "total": len(decided.answers),
        "overview": {
            "accuracy": None if truth is None else float(np.mean(~wrong)),
            "errors": None if truth is None else int(wrong.sum()),
            "confusion": None if truth is None else packed(_confusion(truth, decided.answers), "i4"),
            "machines": float(decided.machines.mean()),
            "evaluations": None if decided.kernel_evaluations is None else float(decided.kernel_evaluations.mean()),
            "nMachines": bank.n_machines,
            "nVectors": bank.n_vectors if isinstance(bank, Bank) else None,
            "size": bank.size_in_parameters if isinstance(bank, Bank) else None,
        },
        "samples": {
            "place": packed(chosen, "i4"),
            "truth": None if truth is None else packed(truth[chosen], "i4"),
            "answer": packed(decided.answers[chosen], "i4"),
            "closest": packed(decided.closest[chosen], "f4"),
            "machines": packed(decided.machines[chosen], "i4"),
        },
        "features": None if table is None else compact_features(table, chosen, names, after),
        "weights": compact_weights(weights_of(clf)),
        "image": shape,
        "imageGuessed": guesses,
        "steps": steps,
        "tasks": compact_tasks(bank),
        "plan": compact_plan(plan, svc._breaks_ties(model)),
        "traffic": {"counts": packed(passing.counts, "i4"), "margins": packed(passing.margins, "f4")},
        "model": None,
        "vectors": None,
        "beforehand": None,
    }
    computes = table is not None and fits_a_page(bank, plan)
    if computes and isinstance(bank, Bank):
        data["model"], data["vectors"] = compact_machines(bank), compact_vectors(bank)
    else:
        errors_first = np.lexsort((decided.closest[chosen], ~wrong[chosen]))
        data.update(beforehand(given, shown, errors_first))
    data["title"] = f"{type(model.structure).__name__}, {model.n_classes} classes" if title is None else str(title)
    page = Page(
        html=make_html(data["title"], data),
        rows=data["total"],
        shown=len(chosen),
        accuracy=data["overview"]["accuracy"],
        what_if=computes,
    )
    if path is not None:
        page.save(path)
    return page


def _confusion(truth: Index, answers: Index) -> Index:
    """Return rows of (true class, predicted class, number of samples), without zeros."""
    found, counts = np.unique(np.stack([truth, answers], axis=1), axis=0, return_counts=True)
    return np.column_stack([found, counts])


def _words(svc: SVC | PairwiseClassifier, model: Model) -> str:
    """Say what the machines are."""
    bank = model.bank
    # A model from LIBSVM, or a NuSVC, has no known C, and so it cannot train more machines.
    C = "" if isinstance(svc, PairwiseClassifier) or model.cannot_train is not None else f", {_cost(svc.C)}"
    if isinstance(bank, EstimatorBank):
        return type(bank.estimators[0]).__name__
    if not isinstance(bank, Bank):
        return type(bank).__name__
    kernel = bank.kernel
    if kernel.name == "precomputed":
        return f"precomputed kernel{C}"
    gamma = "a gamma for each pair" if bank.gammas is not None else f"gamma {kernel.gamma:.4g}"
    words = {"gamma": gamma, "degree": f"degree {kernel.degree}", "coef0": f"coef0 {kernel.coef0:.4g}"}
    more = "".join(f", {words[name]}" for name in words if name in kernel.parameters)
    return f"{kernel.name} kernel{more}{C}"


def _cost(C: Any) -> str:
    return "a C for each pair" if is_per_pair(C) else f"C {C:.4g}"
