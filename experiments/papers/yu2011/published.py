"""What the paper prints."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from ..printed import Printed

ORDERS = 20  # random class orders of the usual DDAG
FOLDS = 10  # of the cross-validation of C
PRINTED = 0.005  # to which accuracies are printed
PLACE = "/yu2011"  # of the paper in the file of all published numbers

# By what they are called here: the columns of Tables 1 and 2 in that file.
SIZES = {"n_train": "train", "n_test": "test", "n_features": "attributes", "n_classes": "classes"}
ACCURACIES = {"best": "dag_max", "worst": "dag_min", "mean": "dag_ave", "adaptive": "proposed"}


@dataclass(frozen=True)
class Row:
    """A data set's row of Tables 1 and 2: sizes, and accuracies in percent.

    Attributes
    ----------
    label : str
        As the paper writes it.
    n_train, n_test, n_features, n_classes : int
    printed : tuple of str
        Accuracies as printed: best, worst and mean of the usual DDAG over the random orders; of the adaptive order.
    """

    label: str
    n_train: int
    n_test: int
    n_features: int
    n_classes: int
    printed: tuple[str, str, str, str]

    @property
    def best(self) -> float:
        """Of the random orders."""
        return float(self.printed[0])

    @property
    def worst(self) -> float:
        """Of the random orders."""
        return float(self.printed[1])

    @property
    def mean(self) -> float:
        """Of the random orders."""
        return float(self.printed[2])

    @property
    def adaptive(self) -> float:
        """Of the adaptive order."""
        return float(self.printed[3])

    def samples(self, accuracy: float) -> float:
        """An accuracy as a number of test samples that are right; a whole number but for rounding, for a single run."""
        return accuracy / 100 * self.n_test

    @property
    def spread(self) -> int:
        """By how many test samples the best and the worst order differ."""
        return round(self.samples(self.best)) - round(self.samples(self.worst))

    @property
    def lead(self) -> int:
        """By how many test samples the adaptive order is ahead of the best one."""
        return round(self.samples(self.adaptive)) - round(self.samples(self.best))

    def counts(self) -> list[dict[int, int]]:
        """Every way in which the random orders can have the printed best, worst and mean.

        Returns
        -------
        list of dict of int to int
            By the number of test samples right: how many orders have it.

        Examples
        --------
        >>> from experiments.papers.yu2011.published import TABLE
        >>> TABLE["vowel"].counts()
        [{284: 19, 283: 1}]
        """
        best, worst = round(self.samples(self.best)), round(self.samples(self.worst))
        if best == worst:
            return [{best: ORDERS}]
        between = range(best - 1, worst, -1)
        found = []
        for inner in product(range(ORDERS - 1), repeat=len(between)):
            for at_best in range(1, ORDERS - sum(inner)):
                orders = [at_best, *inner, ORDERS - at_best - sum(inner)]
                values = [best, *between, worst]
                total = sum(value * n for value, n in zip(values, orders, strict=True))
                # A half may have been rounded either way.
                if abs(100 * total / (ORDERS * self.n_test) - self.mean) <= PRINTED + 1e-9:
                    found.append({value: n for value, n in zip(values, orders, strict=True) if n})
        return found


TABLE = {
    "iris": Row("Iris", 96, 54, 4, 3, ("92.59", "92.59", "92.59", "92.59")),
    "wine": Row("Wine", 107, 71, 13, 3, ("95.77", "95.77", "95.77", "95.77")),
    "glass": Row("Glass", 128, 86, 9, 6, ("66.28", "63.95", "65.93", "66.28")),
    "vowel": Row("Vowel", 528, 462, 10, 11, ("61.47", "61.26", "61.46", "62.99")),
    "vehicle": Row("Vehicle", 470, 376, 18, 4, ("77.39", "77.13", "77.21", "77.39")),
    "segment": Row("Segment", 1310, 1000, 18, 7, ("97", "96.8", "96.81", "97")),
}


def size(data: str, name: str) -> Printed:
    """A cell of Table 1, by a key of `SIZES`."""
    return Printed(str(getattr(TABLE[data], name)), f"{_row('table1', data)}/{SIZES[name]}")


def accuracy(data: str, name: str) -> Printed:
    """A cell of Table 2, by a key of `ACCURACIES`."""
    text = TABLE[data].printed[list(ACCURACIES).index(name)]
    return Printed(text, f"{_row('table2', data)}/{ACCURACIES[name]}")


def _row(table: str, data: str) -> str:
    return f"{PLACE}/tables/{table}/rows/{list(TABLE).index(data)}"


def in_text() -> dict[str, Printed]:
    """The numbers that stand in the text, by what they are."""
    return {
        "random orders": Printed(str(ORDERS), f"{PLACE}/in_text/random_orders"),
        "folds of the cross-validation of C": Printed(str(FOLDS), f"{PLACE}/in_text/cv_folds_for_C"),
    }
