"""A picture of a fitted structure, with the path of a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..base.typing import Array, Index
from ..problem.tasks import Tasks
from ..structures.plans import GraphPlan, KnockoutPlan, Plan
from .decision_graph import DecisionGraph
from .drawing import axes, matrix_size
from .graph_drawing import BOXES, draw_graph, place
from .labels import class_names as names_of
from .labels import short_names, shortened
from .pairs_drawing import draw_pairs, draw_poll
from .reading import classifier_of, path_of
from .tournament import Tournament
from .tournament_drawing import draw_tournament

# Nodes up to which an adaptive DDAG is drawn as the graph that it walks.
RANKED_NODES = 20_000
# Nodes up to which a graph in layers is drawn; a triangle of any size is.
LAYERED_NODES = 50_000


@dataclass(eq=False)
class StructureDisplay:
    """A fitted structure, drawn as what it is.

    A DDAG is Platt's triangle, with the list of classes at each node. Divide and conquer and the trees are trees, or graphs in
    layers where a tree would be too large; a class with several leaves has a dashed frame. An adaptive DDAG is the graph that
    it walks. A bracket is a tournament. Max Wins and the AND gate are half a matrix of pairs, and one-vs-rest is one bar per
    class. With a sample, its path is drawn with the values of the machines on it. A positive value is for the later class.

    Use `from_estimator` to make one.

    Attributes
    ----------
    plan : Plan
        How machines are consulted.
    tasks : Tasks
        The question of each machine.
    names : list of n_classes str
    sizes : ndarray of shape (n_machines,) or None
        Support vectors of each machine, for kernel machines.
    machines, values : ndarray or None
        The machines on the path of the sample, with their values.
    answer : int or None
        The class of the sample.
    graph : DecisionGraph or None
        The vertices and edges, if the structure walks a graph that can be drawn.
    tournament : Tournament or None
        The matches of a bracket.
    ax_, figure_ : matplotlib axes and figure
        Where it was drawn last.

    See Also
    --------
    dagmar.export_text : The same as text.
    dagmar.export_graphviz : The same for Graphviz.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = dagmar.SVC(structure="ddag").fit(X, y)
    >>> display = dagmar.pictures.StructureDisplay.from_estimator(clf, X[0])
    >>> display.graph.n_nodes, display.names[display.answer]
    (3, '0')
    >>> display.plot().ax_.get_title()  # doctest: +SKIP
    'DDAG of 3 classes, 3 nodes: answer 0'
    """

    plan: Plan
    tasks: Tasks
    names: list[str]
    sizes: Index | None = None
    machines: Index | None = None
    values: Array | None = None
    answer: int | None = None
    title: str = ""
    graph: DecisionGraph | None = field(init=False, default=None)
    tournament: Tournament | None = field(init=False, default=None)
    ax_: Any = field(init=False, default=None, repr=False)
    figure_: Any = field(init=False, default=None, repr=False)

    def __post_init__(self) -> None:
        plan = self.plan
        if isinstance(plan, GraphPlan):
            self.graph = DecisionGraph.of(plan, self.tasks)
        elif isinstance(plan, KnockoutPlan) and plan.rule == "ranked":
            self.graph = DecisionGraph.of_ranked(plan, self.tasks, RANKED_NODES)
        elif isinstance(plan, KnockoutPlan) and plan.rule == "bracket":
            self.tournament = Tournament.of(plan.order)

    @classmethod
    def from_estimator(
        cls, estimator: Any, x: ArrayLike | None = None, *, class_names: Sequence[Any] | None = None
    ) -> Self:
        """Read the structure of a fitted classifier, and the path of a sample if one is given.

        Parameters
        ----------
        estimator : SVC, SVCCV, PairwiseClassifier, or a pipeline that ends with one
            It must be fitted.
        x : array-like of shape (n_features,) or (1, n_features), optional
            A sample.
        class_names : sequence of n_classes names, optional
            Names for the classes; by default their labels.

        Returns
        -------
        StructureDisplay
        """
        clf = classifier_of(estimator)
        begin = getattr(clf.bank_, "begin", None)
        display = {
            "plan": clf.plan_,
            "tasks": clf.bank_.tasks,
            "names": names_of(clf.classes_, class_names),
            "sizes": None if begin is None else np.diff(begin),
            "title": _title_of(clf.structure_),
        }
        if x is None:
            return cls(**display)
        path = path_of(estimator, x)
        machines, values = path[0]
        return cls(**display, machines=machines, values=values, answer=int(path.answers[0]))

    def plot(self, ax: Any = None) -> Self:
        """Draw the structure.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        StructureDisplay
            This display, with `ax_` and `figure_`.
        """
        self._refuse_large()
        n = len(self.names)
        self.ax_ = ax = axes(ax, *self._size())
        self.figure_ = ax.figure
        # So that the axes know their size, which the texts depend on; also inside a subfigure.
        self.figure_.canvas.figure.draw_without_rendering()
        if self.graph is not None:
            draw_graph(ax, self.graph, self.names, self.values)
        elif self.tournament is not None:
            draw_tournament(ax, self.tournament, self.names, self.values)
        elif isinstance(self.plan, KnockoutPlan):
            path = None if self.machines is None or self.values is None else (self.machines, self.values)
            draw_pairs(ax, self.names, self.tasks.pairs, self.sizes, path)
        else:
            draw_poll(ax, self.names, self.sizes, self.values)
        nodes = f", {self.graph.n_nodes} nodes" if self.graph is not None else ""
        answer = "" if self.answer is None else f": answer {short_names(self.names)[self.answer]}"
        ax.set_title(f"{self.title} of {n} classes{nodes}{answer}", fontsize="medium")
        return self

    def _refuse_large(self) -> None:
        graph = self.graph
        if graph is not None and not len(graph.order) and graph.n_nodes > LAYERED_NODES:
            raise ValueError(
                f"a graph of {graph.n_nodes} nodes cannot be drawn; the limit is {LAYERED_NODES}. "
                "export_text describes its first levels."
            )

    def _size(self) -> tuple[float, float]:
        n = len(self.names)
        longest = max(map(len, shortened(self.names, 16)))
        if self.graph is not None and len(self.graph.order):
            wide = 0.7 + 0.16 * longest if n <= 12 else 0.42
            return float(np.clip(wide * n, 5, 14)), float(np.clip((0.7 if n <= 12 else 0.3) * n, 3, 9))
        if self.graph is not None:
            depth = int(self.graph.depth.max()) + 1
            wide = float(np.ptp(place(self.graph, None).places[:, 0])) + 1
            column = 0.65 + 0.13 * longest if self.graph.n_vertices <= BOXES else 0.5
            return float(np.clip(wide * column, 5, 16)), float(np.clip(0.8 * depth, 3, 9))
        if self.tournament is not None:
            return float(np.clip(1.5 * self.tournament.rounds.max(initial=1) + 1.5, 5, 10)), float(
                np.clip(0.28 * n + 0.8, 2.5, 14)
            )
        if isinstance(self.plan, KnockoutPlan):
            return matrix_size(n, n)
        return 5.0, float(np.clip(0.25 * n + 1, 2.5, 9))


def _title_of(structure: Any) -> str:
    """The words of a class name: "AdaptiveDDAG" becomes "Adaptive DDAG"."""
    name = type(structure).__name__
    spaced = "".join(
        f" {c}" if k and c.isupper() and not name[k - 1].isupper() else c for k, c in enumerate(name)
    ).split()
    return " ".join(w if k == 0 or w.isupper() else w.lower() for k, w in enumerate(spaced))
