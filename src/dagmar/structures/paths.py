"""Decision paths: which machines were consulted for a sample, and what that cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.frozen import FrozenArrays
from ..base.lists import join_begins
from ..base.showing import MOST_LINES, counted, frame, html_table
from ..base.typing import Array, Index
from ..machines.bank import Bank
from ..problem.naming import Named
from .plans import GraphPlan, Plan, is_leaf, is_node, leaf_class, list_number


@dataclass(frozen=True, eq=False)
class DecisionPath(Named):
    """The machines consulted for each sample, in order, with their values.

    ``path[i]`` is a pair of arrays for sample i, machines and values. Iterating gives one such pair per sample.

    Attributes
    ----------
    begin : ndarray of shape (n_samples + 1,), int64
        Sample i has the entries ``begin[i]:begin[i+1]`` of `machines` and `values`.
    machines : ndarray of int64
        Indices of machines in the bank; ``bank_.pairs[machines]`` are their classes.
    values : ndarray of float
        Values of these machines; positive for the later class of the pair.
    answers : ndarray of shape (n_samples,), int
        The class index at the end of each path.
    names : MachineNames or None
        The machines by the user's labels; None if they are not known.

    See Also
    --------
    Explanation : One sample, with the training rows that pulled.
    DecisionCost : How much was computed.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris()
    >>> clf = dagmar.SVC(structure="ddag").fit(iris.data, iris.target_names[iris.target])
    >>> path = clf.decision_path(iris.data)
    >>> path
    DecisionPath(150 samples, 2.0 machines per sample)
    >>> path.to_frame().loc[(0, 1), ["negative", "positive", "winner"]].tolist()
    ['setosa', 'virginica', 'setosa']
    """

    begin: Index
    machines: Index
    values: Array
    answers: Index

    @classmethod
    def join(cls, parts: Sequence[DecisionPath]) -> DecisionPath:
        """Return the paths of several batches of samples as one, in the order of the batches."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            begin=join_begins([p.begin for p in parts]),
            machines=np.concatenate([p.machines for p in parts]),
            values=np.concatenate([p.values for p in parts]),
            answers=np.concatenate([p.answers for p in parts]),
        )

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, i: int) -> tuple[Index, Array]:
        i = range(len(self))[i]
        here = slice(self.begin[i], self.begin[i + 1])
        return self.machines[here], self.values[here]

    def __iter__(self) -> Iterator[tuple[Index, Array]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        each = len(self.machines) / max(1, len(self))
        return f"DecisionPath({counted(len(self), 'sample')}, {each:.1f} machines per sample)"

    def to_frame(self) -> Any:
        """Return the paths as a pandas DataFrame: one row per sample and step, in the order of the path.

        Returns
        -------
        pandas.DataFrame
            The index has the number of the sample, from 0, and the step, from 1. If the labels are known, as for a path
            that an estimator made, "negative" and "positive" are the sides of the machine, "winner" is the side that won,
            and "answer" is the label at the end; otherwise "answer" is the index of the class.
        """
        return frame(self._columns(len(self)), index=("sample", "step"))

    def _repr_html_(self) -> str:
        few = int(np.searchsorted(self.begin, MOST_LINES)) + 1  # samples that fill the lines of a table
        return html_table(repr(self), self._columns(min(few, len(self))), len(self.machines))

    def _columns(self, n_samples: int) -> dict[str, Any]:
        """Return the steps of the first samples as columns of a table."""
        begin = self.begin[: n_samples + 1]
        sample = np.repeat(np.arange(n_samples), np.diff(begin))
        machines, values = self.machines[: begin[-1]], self.values[: begin[-1]]
        columns = {"sample": sample, "step": np.arange(len(sample)) - begin[sample] + 1, "machine": machines}
        if self.names is None:
            return columns | {"value": values, "answer": self.answers[sample]}
        sides = self.names.columns(machines)
        winner = np.where(values >= 0, sides["positive"], sides["negative"])
        return columns | sides | {"value": values, "winner": winner, "answer": self.names.labels[self.answers[sample]]}


def scores_along(plan: Plan, path: DecisionPath) -> Array:
    """Return a score per class from the path to the answer.

    A class that was ruled out at step t scores between t and t + 1/2: the closer that decision, the higher. The answer has
    the highest score.

    Parameters
    ----------
    plan : GraphPlan
        It must have `node_classes`.
    path : DecisionPath

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    if not isinstance(plan, GraphPlan) or not len(plan.node_classes):
        raise ValueError("the plan does not say which classes are in play at its nodes")
    if plan.node_classes.dtype != bool or plan.node_classes.shape != (len(plan.machine), plan.n_classes):
        raise ValueError("node_classes of the plan must be booleans of shape (n_nodes, n_classes)")
    scores = np.zeros((len(path), plan.n_classes))
    for i, (machines, values) in enumerate(path):
        edge, list_left = plan.root, np.zeros(0, dtype=np.int64)
        in_play = np.ones(plan.n_classes, dtype=bool)
        for step in range(len(machines)):
            positive = values[step] >= 0
            left = np.zeros(plan.n_classes, dtype=bool)
            if is_node(edge):
                edge = int((plan.on_positive if positive else plan.on_negative)[edge])
                if is_node(edge):
                    left = plan.node_classes[edge]
                elif is_leaf(plan.n_classes, edge):
                    left[leaf_class(edge)] = True
                else:
                    number = list_number(plan.n_classes, edge)
                    list_left = plan.list_classes[plan.list_begin[number] : plan.list_begin[number + 1]].astype(
                        np.int64
                    )
                    left[list_left] = True
            else:
                last_wins = positive == (list_left[0] < list_left[-1])
                list_left = list_left[1:] if last_wins else list_left[:-1]
                left[list_left] = True
            dropped = in_play & ~left
            scores[i, dropped] = step + 0.5 / (1.0 + abs(values[step]))
            in_play = left
        scores[i, path.answers[i]] = len(machines) + 0.5 - 0.5 / (1.0 + np.abs(values).min(initial=np.inf))
    return scores


@dataclass(frozen=True, eq=False)
class MachineCost(FrozenArrays):
    """The cost of predictions per sample with machines of any kind.

    Attributes
    ----------
    machines : ndarray of shape (n_samples,), int64
        Machines consulted.
    """

    machines: Index

    def __str__(self) -> str:
        return f"{_mean(self.machines):.1f} machines per sample"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(len(self.machines), 'sample')}: {self})"

    def to_frame(self) -> Any:
        """Return the counts as a pandas DataFrame, one row per sample."""
        made = frame(self._columns())
        made.index.name = "sample"
        return made

    def _columns(self) -> dict[str, Index]:
        return {"machines": self.machines}

    def _repr_html_(self) -> str:
        counts = self._columns()
        columns: dict[str, list[Any]] = {"per sample": list(counts)}
        measures: dict[str, Callable[[Index], float]] = {
            "mean": _mean,
            "least": np.min,
            "median": np.median,
            "most": np.max,
        }
        for name, measure in measures.items():
            columns[name] = [float(measure(values)) if len(values) else None for values in counts.values()]
        return html_table(
            f"{type(self).__name__} of {counted(len(self.machines), 'sample')}", columns, notes=self._notes()
        )

    def _notes(self) -> list[str]:
        return []


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCost(MachineCost):
    """The cost of predictions per sample with kernel machines, counted as in the papers.

    Attributes
    ----------
    machines : ndarray of shape (n_samples,), int64
        Machines consulted.
    kernel_evaluations : ndarray of shape (n_samples,), int64
        Distinct support vectors in them. If each pair has its own gamma, distinct combinations of vector and gamma.
    support_vectors : ndarray of shape (n_samples,), int64
        Sum of their numbers of support vectors; a vector in several machines counts several times.
    size_in_parameters : int
        Size of the whole classifier: stored feature values, coefficients and biases.
    choices : tuple of str
        How `predict` computes the labels of this many samples. First the order of work: "one by one",
        "all machines in lanes", "asked machines in lanes" or "guess and check" (guess a class per sample and ask only
        its machines; samples without an answer go another way). Then the numbers that it begins with:
        "floating point", "exact integer codes" or "rough integer codes". Every choice gives the same labels.

    See Also
    --------
    DecisionPath : Which machines were consulted.
    dagmar.pictures.CostDisplay : The cost, drawn.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> cost = dagmar.SVC(structure="ddag").fit(X, y).decision_cost(X)
    >>> float(cost.machines.mean())
    2.0
    """

    kernel_evaluations: Index
    support_vectors: Index
    size_in_parameters: int
    choices: tuple[str, ...] = ()

    @classmethod
    def of(cls, bank: Bank, path: DecisionPath, choices: tuple[str, ...] = ()) -> DecisionCost:
        """Count the cost of the given paths."""
        sizes = np.diff(bank.begin)[path.machines]
        summed = np.concatenate([[0], np.cumsum(sizes)])
        return cls(
            machines=np.diff(path.begin),
            kernel_evaluations=bank.native.distinct_vectors(path.begin, path.machines),
            support_vectors=np.diff(summed[path.begin]),
            size_in_parameters=bank.size_in_parameters,
            choices=choices,
        )

    def __str__(self) -> str:
        return (
            f"{_mean(self.machines):.1f} machines, {_mean(self.kernel_evaluations):.1f} kernel evaluations and "
            f"{_mean(self.support_vectors):.1f} summed support vectors per sample; "
            f"{self.size_in_parameters / 1000:.1f} thousand parameters in all"
        )

    def _columns(self) -> dict[str, Index]:
        names = ("machines", "kernel_evaluations", "support_vectors")
        return {name: getattr(self, name) for name in names}

    def _notes(self) -> list[str]:
        return [f"{self.size_in_parameters / 1000:.1f} thousand parameters in all"]


def _mean(counts: Index) -> float:
    """Return the mean, 0 of no numbers."""
    return float(counts.mean()) if len(counts) else 0.0
