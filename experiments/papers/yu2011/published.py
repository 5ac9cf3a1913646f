"""What the paper prints."""

from __future__ import annotations

from dataclasses import dataclass

ORDERS = 20  # random class orders of the usual DDAG
FOLDS = 10  # of the cross-validation of C


@dataclass(frozen=True)
class Row:
    """A data set's row of Tables 1 and 2: sizes, and accuracies in percent.

    Attributes
    ----------
    label : str
        As the paper writes it.
    n_train, n_test, n_features, n_classes : int
    best, worst, mean : float
        Of the usual DDAG over the random orders.
    adaptive : float
        Of the adaptive order.
    """

    label: str
    n_train: int
    n_test: int
    n_features: int
    n_classes: int
    best: float
    worst: float
    mean: float
    adaptive: float

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


TABLE = {
    "iris": Row("Iris", 96, 54, 4, 3, 92.59, 92.59, 92.59, 92.59),
    "wine": Row("Wine", 107, 71, 13, 3, 95.77, 95.77, 95.77, 95.77),
    "glass": Row("Glass", 128, 86, 9, 6, 66.28, 63.95, 65.93, 66.28),
    "vowel": Row("Vowel", 528, 462, 10, 11, 61.47, 61.26, 61.46, 62.99),
    "vehicle": Row("Vehicle", 470, 376, 18, 4, 77.39, 77.13, 77.21, 77.39),
    "segment": Row("Segment", 1310, 1000, 18, 7, 97.0, 96.8, 96.81, 97.0),
}
