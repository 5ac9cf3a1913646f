"""How good a model is on labelled data, counted chunk by chunk."""

from __future__ import annotations

from typing import Any

import numpy as np

from .columns import labels_like
from .errors import listed
from .models import Loaded
from .reading import Data, Wanted
from .tables import Ticker, note, plain


class Evaluation:
    """Counts of right and wrong predictions, and of their cost.

    Labels of the data that the model does not know count as wrong; they follow those of the model in `labels`.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The labels of the model.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.cli.evaluation import Evaluation
    >>> evaluation = Evaluation(np.array(["a", "b"]))
    >>> evaluation.add(np.array(["a", "b", "b"]), np.array(["a", "b", "a"]))
    >>> evaluation.result()["confusion"]
    [[1, 0], [1, 1]]
    """

    def __init__(self, classes: Any) -> None:
        self.labels: list[Any] = plain(classes)
        self._place = {label: k for k, label in enumerate(self.labels)}
        self._counts = np.zeros((len(self.labels), len(self.labels)), dtype=np.int64)
        self._costs = dict.fromkeys(("machines", "kernel_evaluations", "support_vectors"), 0)
        self._size: int | None = None

    def add(self, truth: Any, predicted: Any, cost: Any = None) -> None:
        """Count some rows.

        Parameters
        ----------
        truth, predicted : ndarray of shape (n_rows,)
        cost : DecisionCost, optional
        """
        found, truth_place = np.unique(truth, return_inverse=True)
        for label in plain(found):
            if label not in self._place:
                self._place[label] = len(self.labels)
                self.labels.append(label)
        new = len(self.labels) - len(self._counts)
        self._counts = np.pad(self._counts, (0, new))
        rows = np.array([self._place[label] for label in plain(found)], dtype=np.int64)[truth_place]
        answers, answer_place = np.unique(predicted, return_inverse=True)
        columns = np.array([self._place[label] for label in plain(answers)], dtype=np.int64)[answer_place]
        np.add.at(self._counts, (rows, columns), 1)
        if cost is not None:
            for name in self._costs:
                self._costs[name] += int(getattr(cost, name).sum())
            self._size = int(cost.size_in_parameters)

    def result(self) -> dict[str, Any]:
        """Return everything that was counted, as JSON can say it.

        Returns
        -------
        dict
            ``rows``, ``accuracy``, ``labels``, ``confusion`` (a list per true label, with a count per predicted label),
            ``per_class`` (label, precision, recall, f1, rows; None where nothing can be divided) and ``cost`` (means per
            row).
        """
        counts, n = self._counts, int(self._counts.sum())
        right, actual, predicted = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
        per_class = [
            {
                "label": label,
                "precision": _share(right[k], predicted[k]),
                "recall": _share(right[k], actual[k]),
                "f1": _share(2 * right[k], actual[k] + predicted[k]),
                "rows": int(actual[k]),
            }
            for k, label in enumerate(self.labels)
        ]
        cost: dict[str, Any] = {name: _share(total, n) for name, total in self._costs.items()}
        return {
            "rows": n,
            "accuracy": _share(right.sum(), n),
            "labels": self.labels,
            "confusion": counts.tolist(),
            "per_class": per_class,
            "cost": None if self._size is None else {**cost, "size_in_parameters": self._size},
        }


def _share(part: Any, whole: Any) -> float | None:
    return None if whole == 0 else float(part) / float(whole)


def evaluate(model: Loaded, data: Data, wanted: Wanted) -> dict[str, Any]:
    """Evaluate a model on data.

    Parameters
    ----------
    model : Loaded
    data : Data
    wanted : Wanted
        From `for_model`, with a target.

    Returns
    -------
    dict
        As `Evaluation.result` returns it.
    """
    classes = model.svc.classes_
    evaluation = Evaluation(classes)
    with Ticker("rows evaluated") as ticker:
        for rows in data.rows(wanted):
            assert rows.y is not None
            assert wanted.target is not None
            truth = labels_like(rows.y, classes, wanted.target, rows.first)
            X = model.scaled(rows.X)
            evaluation.add(truth, model.svc.predict(X), model.svc.decision_cost(X))
            ticker.advance(rows.n_rows)
    result = evaluation.result()
    if result["rows"] and not np.any(result["confusion"][: len(classes)]):
        note(f"warning: no label in the column {wanted.target!r} is a class of the model: {listed(plain(classes))}")
    return result
