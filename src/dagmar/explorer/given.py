"""What `explore` is given, taken apart: transformers, classifier, samples, labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ..base.typing import Index
from ..estimators.pairwise import PairwiseClassifier
from ..estimators.svc import SVC
from ..interop.outgoing import steps_of
from ..machines.bank import Bank
from .features import Table
from .scaling import page_steps


@dataclass(frozen=True, eq=False)
class Given:
    """A classifier and samples, ready to be asked.

    Attributes
    ----------
    steps : list of (str, transformer)
        The steps of the pipeline before the classifier.
    svc : SVC or PairwiseClassifier
        The classifier, fitted.
    rows : array, sparse matrix or data frame
        The samples as the user gave them.
    samples : array, sparse matrix or data frame
        The samples as the classifier takes them: after the steps.
    truth : ndarray of shape (n_samples,), int64, or None
        The class of each label of the user; from n_classes on for labels that the classifier does not know.
    others : list of str
        The labels that the classifier does not know, in the order of their numbers in `truth`.
    """

    steps: list[tuple[str, Any]]
    svc: SVC | PairwiseClassifier
    rows: Any
    samples: Any
    truth: Index | None
    others: list[str]

    @classmethod
    def of(cls, clf: Any, X: Any, y: Any) -> Given:
        """Take apart what the user gave; raise TypeError or ValueError if it cannot be explored."""
        *steps, (_, svc) = _steps(clf)
        rows = X if hasattr(X, "shape") else np.asarray(X)
        samples = rows
        for _, step in steps:
            if step is not None and step != "passthrough":
                samples = step.transform(samples)
        n = rows.shape[0]
        if y is None:
            return cls(steps, svc, rows, samples, None, [])
        labels = np.asarray(y)
        if labels.shape != (n,):
            raise ValueError(f"y must have one label for each of the {n} rows of X, but its shape is {labels.shape}")
        place = {label: c for c, label in enumerate(svc.classes_.tolist())}
        # NaN is not equal to itself, so that each would be a label of its own.
        known = (label if label == label else "missing" for label in labels.tolist())
        truth = np.array([place.setdefault(label, len(place)) for label in known], dtype=np.int64)
        return cls(steps, svc, rows, samples, truth, [str(label) for label in list(place)[len(svc.classes_) :]])

    def features(self) -> tuple[Table | None, list[str] | None, str | None, list[dict[str, Any]]]:
        """Return the features that the page shows.

        Returns
        -------
        table : Table or None
            None if samples are not numbers, or are kernel values.
        names : list of str or None
            Names of the features that the classifier or the pipeline knows.
        after : str or None
            The steps that the features went through, if they are not the user's own.
        operations : list of dict
            What the page computes between these features and the classifier.
        """
        bank = self.svc.bank_
        if isinstance(bank, Bank) and bank.vectors is None:
            return None, None, None, []
        operations = page_steps(self.steps)
        table = Table.of(self.rows) if operations is not None else None
        if operations is not None and table is not None:
            first = next((step for _, step in self.steps if hasattr(step, "n_features_in_")), self.svc)
            return table, _names(first), None, operations
        words = ", ".join(type(step).__name__ for _, step in self.steps if step is not None and step != "passthrough")
        return Table.of(self.samples), self._names_out(), words or None, []

    def _names_out(self) -> list[str] | None:
        last = self.steps[-1][1] if self.steps else None
        try:
            return [str(name) for name in last.get_feature_names_out()]  # type: ignore[union-attr]
        except (AttributeError, ValueError):
            return None


def _names(fitted: Any) -> list[str] | None:
    known = getattr(fitted, "feature_names_in_", None)
    return None if known is None else [str(name) for name in known]


def _steps(clf: Any) -> list[tuple[str, Any]]:
    """Return the steps of a classifier, the last of which is an SVC or a PairwiseClassifier."""
    last = clf.steps[-1][1] if isinstance(clf, Pipeline) else clf
    if not isinstance(last, PairwiseClassifier):
        return steps_of(clf)
    last._asked()
    return list(clf.steps) if isinstance(clf, Pipeline) else [("model", clf)]
