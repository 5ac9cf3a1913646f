"""Handwritten digits: compare every structure with scikit-learn.

Trains on the digits that come with scikit-learn. Prints a table with the accuracy, the mean number of machines consulted and of
kernel evaluations per image, and the time of fit and predict. Run it with ``make demo``.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import sklearn.svm
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import dagmar
from dagmar.structures import STRUCTURES

REPEATS = 7


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the milliseconds that a call takes, and its result."""
    start = perf_counter()
    result = call()
    return 1000 * (perf_counter() - start), result


def measure(make: Callable[[], Any], train: tuple[Any, Any], test: tuple[Any, Any]) -> tuple[Any, float, float, float]:
    """Return a fitted model, its accuracy, and the median milliseconds of fit and of predict."""
    fits, predicts = [], []
    for _ in range(REPEATS):
        fit, model = timed(lambda: make().fit(*train))
        predict, labels = timed(lambda m=model: m.predict(test[0]))
        fits.append(fit)
        predicts.append(predict)
    return model, float((labels == test[1]).mean()), median(fits), median(predicts)


def main() -> None:
    """Print the table and explain one prediction."""
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=0.4, random_state=0, stratify=y)
    train, test = (X_train, y_train), (X_test, y_test)
    parameters = {"C": 10, "gamma": 0.5}

    table = Table(
        title=f"Digits: {len(X_train)} training and {len(X_test)} test images of 64 pixels, 10 classes",
        caption="machines consulted and kernel evaluations: mean per test image",
    )
    for name in ("structure", "accuracy", "machines", "kernels", "fit ms", "predict ms"):
        table.add_column(name, justify="left" if name == "structure" else "right")

    model, accuracy, fit, predict = measure(lambda: sklearn.svm.SVC(**parameters), train, test)
    table.add_row(
        "sklearn SVC",
        f"{accuracy:.2%}",
        str(len(model.intercept_)),
        str(len(model.support_)),
        f"{fit:.1f}",
        f"{predict:.1f}",
        end_section=True,
    )
    for structure in STRUCTURES:
        model, accuracy, fit, predict = measure(
            lambda s=structure: dagmar.SVC(**parameters, structure=s, n_jobs=-1), train, test
        )
        cost = model.decision_cost(X_test)
        table.add_row(
            structure,
            f"{accuracy:.2%}",
            f"{cost.machines.mean():.1f}",
            f"{cost.kernel_evaluations.mean():.0f}",
            f"{fit:.1f}",
            f"{predict:.1f}",
        )
    console = Console()
    console.print(table)
    console.print("\nHow the DDAG classifies the first test image:")
    console.print(str(model.restructure("ddag", *train).explain(X_test[0])))


if __name__ == "__main__":
    main()
