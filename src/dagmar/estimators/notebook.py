"""What a notebook shows of a classifier after scikit-learn's own view: its structure, and what its parameters mean."""

from __future__ import annotations

from typing import Any

from ..base.parameter_help import parameter_help
from ..base.showing import html_table, shown_html
from ..machines.bank import Bank
from ..pictures.sketch import sketch
from ..problem.naming import plain_labels
from .model import Model

# Wide enough for every first sentence; longer ones are cut.
SENTENCE = 240


def structure_html(model: Model) -> str:
    """Draw the structure of a fitted model small, with a line about it; of too large a structure, only the line.

    Parameters
    ----------
    model : Model

    Returns
    -------
    str
    """
    bank = model.bank
    about = f"{model.structure!r}: {model.n_classes} classes, {bank.n_machines} machines"
    if isinstance(bank, Bank):
        about += f", {bank.n_vectors} support vectors"
    drawing = sketch(model.plan, bank.tasks, plain_labels(model.classes))
    return shown_html(drawing or "", [about])


def parameters_html(estimator: Any) -> str:
    """Say what each parameter of an estimator means, folded away.

    Parameters
    ----------
    estimator : estimator with a docstring in numpydoc's form

    Returns
    -------
    str
    """
    given, words = estimator.get_params(deep=False), parameter_help(type(estimator))
    columns = {
        "parameter": list(given),
        "value": [repr(value) for value in given.values()],
        "meaning": [words.get(name, "") for name in given],
    }
    table = html_table("", columns, most=len(given), widest=SENTENCE)
    return f"<details><summary>What the parameters mean</summary>{table}</details>"
