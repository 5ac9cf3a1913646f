"""Draw every kind of picture, for docs/pictures.md and the README.

Trains on the digits and irises that come with scikit-learn, and writes PNG files to docs/pictures/, or to the folder that is
given: ``python examples/pictures.py [FOLDER]``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import pyplot as plt
from PIL import Image
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar.pictures import (
    AllPredictionsDisplay,
    CostDisplay,
    DecisionRegionsDisplay,
    ExplanationDisplay,
    FeatureWeightsDisplay,
    GridDisplay,
    PairValuesDisplay,
    SeparationDisplay,
    StructureDisplay,
    ThetaDisplay,
)
from dagmar.tuning import FeatureWeights

DPI = 160  # sharp on a screen of high resolution
FOLDER = Path(__file__).parents[1] / "docs" / "pictures"


class Data:
    """Digits in two parts, a DDAG trained on the first, and a digit of the second that is a close call."""

    def __init__(self) -> None:
        X, y = load_digits(return_X_y=True)
        self.X, self.X_test, self.y, self.y_test = train_test_split(X, y, random_state=0)
        self.ddag = dagmar.SVC(C=10, gamma=0.001, structure="ddag").fit(self.X, self.y)
        self.x = self.X_test[self._closest_call()]
        iris = load_iris(as_frame=True)
        self.iris, self.species = iris.data.to_numpy(), iris.target_names[iris.target]
        self.iris_frame = iris.data  # with the names of the features

    def _closest_call(self) -> int:
        """Return a test digit whose answer is right and whose runner-up was close: the last class that it ruled out."""
        path = self.ddag.decision_path(self.X_test)
        margin = np.array([np.abs(values[-2:]).min() for _, values in path])
        margin[self.ddag.predict(self.X_test) != self.y_test] = np.inf
        return int(np.argmin(margin))

    def structure(self, structure: Any) -> Any:
        """Return the same machines with another structure."""
        return self.ddag.restructure(structure, self.X, self.y)


# ------------------------------------------------------- pictures of the page


def triangle(data: Data) -> Any:
    """Draw Platt's triangle with the path of a digit."""
    return StructureDisplay.from_estimator(data.ddag, data.x).plot()


def tree(data: Data) -> Any:
    """Draw a tree over groups of digits."""
    return StructureDisplay.from_estimator(data.structure(dagmar.FisherTree(machines="groups")), data.x).plot()


def scattered(data: Data) -> Any:
    """Draw a tree in which some classes have several leaves."""
    clf = dagmar.SVC(C=10, structure="fisher_tree").fit(data.iris, data.species)
    return StructureDisplay.from_estimator(clf).plot()


def divide(data: Data) -> Any:
    """Draw the graph of divide and conquer."""
    return StructureDisplay.from_estimator(data.structure(dagmar.DivideAndConquer(theta=0.02)), data.x).plot()


def bracket(data: Data) -> Any:
    """Draw the tournament of a digit."""
    return StructureDisplay.from_estimator(data.structure("bracket"), data.x).plot()


def votes(data: Data) -> Any:
    """Draw the pairs that Max Wins consulted."""
    return StructureDisplay.from_estimator(data.structure("max_wins"), data.x).plot()


def explanation(data: Data) -> Any:
    """Draw the path of an iris as bars."""
    clf = dagmar.SVC(C=10, structure="ddag").fit(data.iris, data.species)
    return ExplanationDisplay.from_estimator(clf, data.iris[77]).plot()


def pair_values(data: Data) -> Any:
    """Draw the values of all pairs on a digit."""
    return PairValuesDisplay.from_estimator(data.ddag, data.x).plot()


def regions(data: Data) -> Any:
    """Draw the regions of the irises in the plane of two features."""
    X = data.iris_frame.iloc[:, :2]
    clf = dagmar.SVC(C=10, gamma=2.0, structure="ddag").fit(X, data.species)
    return DecisionRegionsDisplay.from_estimator(clf, X, data.species, support_vectors=True).plot()


def separation(data: Data) -> Any:
    """Draw the distances between digits in kernel space."""
    return SeparationDisplay.from_estimator(data.ddag, data.X, data.y).plot()


def all_predictions(data: Data) -> Any:
    """Draw the all-predictions table of the irises."""
    clf = dagmar.SVC(C=10, structure="divide_and_conquer").fit(data.iris, data.species)
    return AllPredictionsDisplay.from_estimator(clf).plot()


def theta(data: Data) -> Any:
    """Draw accuracy and cost of divide and conquer."""
    thetas = np.linspace(0, 0.1, 11)
    return ThetaDisplay.from_estimator(data.ddag, data.X, data.y, data.X_test, data.y_test, thetas=thetas).plot()


def grid(data: Data) -> Any:
    """Draw an adaptive search over C and gamma."""
    Cs, gammas = 10.0 ** np.arange(-2, 5), 1e-3 * 4.0 ** np.arange(-4, 4)
    search = dagmar.SVCCV(Cs=Cs, gammas=gammas, cv=3, search="adaptive").fit(data.X, data.y)
    return GridDisplay.from_estimator(search).plot()


def feature_weights(data: Data) -> Any:
    """Draw the weights that irises' features get."""
    steps = StandardScaler(), FeatureWeights(power=0.5), dagmar.SVC()
    return FeatureWeightsDisplay.from_estimator(make_pipeline(*steps).fit(data.iris_frame, data.species)).plot()


def cost(data: Data) -> Any:
    """Draw what test digits cost with divide and conquer."""
    return CostDisplay.from_estimator(data.structure("divide_and_conquer"), data.X_test).plot()


# ------------------------------------------------------ picture of the README


def digit_path(data: Data) -> Any:
    """Draw one decision: the digit, its path through the structure, and the training images behind each step."""
    display = ExplanationDisplay.from_estimator(data.ddag, data.x, image_shape=(8, 8), top=4)
    figure = plt.figure(figsize=(11.5, 4.9), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1, 1.12])
    ax = left.subplots()
    structure = StructureDisplay.from_estimator(data.ddag, data.x).plot(ax)
    asked, machines = len(display.steps), data.ddag.bank_.n_machines
    answer = structure.names[structure.answer]
    ax.set_title(f"answer {answer}, after {asked} of {machines} machines", fontsize=11)
    picture = ax.inset_axes((-0.02, 0.72, 0.24, 0.26))
    picture.imshow(data.x.reshape(8, 8), cmap="gray_r", interpolation="nearest")
    picture.set(xticks=[], yticks=[])
    picture.set_title("a test digit", fontsize=10)
    display.x = None  # it is drawn on the left
    bars, panel = right.subplots(1, 2, width_ratios=[1, 1.25])
    display.plot((bars, panel))
    bars.set_title("", loc="left")
    bars.set_title("the values on its path", fontsize=11)
    panel.set_title("training digits that pull most", fontsize=11)
    return display


PICTURES: dict[str, Callable[[Data], Any]] = {
    "triangle": triangle,
    "tree": tree,
    "scattered": scattered,
    "divide": divide,
    "bracket": bracket,
    "votes": votes,
    "explanation": explanation,
    "pair-values": pair_values,
    "regions": regions,
    "separation": separation,
    "all-predictions": all_predictions,
    "theta": theta,
    "grid": grid,
    "feature-weights": feature_weights,
    "cost": cost,
    "digit-path": digit_path,
}


def save(figure: Any, file: Path, dpi: int) -> None:
    """Write a PNG with a palette of 128 colours, rare ones too, which takes a third of the space."""
    whole = figure.canvas.figure  # a display may have drawn in a part of it
    whole.savefig(file, dpi=dpi)
    plt.close(whole)
    Image.open(file).convert("RGB").quantize(128, method=Image.Quantize.MAXCOVERAGE).save(file, optimize=True)


def main() -> None:
    """Draw all pictures."""
    matplotlib.use("Agg")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    data = Data()
    for name, draw in PICTURES.items():
        file = folder / f"{name}.png"
        save(draw(data).figure_, file, dpi=DPI)
        print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
