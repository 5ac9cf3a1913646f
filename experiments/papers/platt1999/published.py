"""The figures of the paper: its Table 1, and what its text says of them."""

from __future__ import annotations

from dataclasses import dataclass

ONE_VS_REST, MAX_WINS, DAGSVM = "1-v-r", "Max Wins", "DAGSVM"
RULES = (ONE_VS_REST, MAX_WINS, DAGSVM)
BOTH = ("usps", "letter")  # where the text says "both data sets"; of Covertype it speaks by name
NAMES = {"usps": "USPS", "letter": "Letter", "covertype": "Covertype"}


@dataclass(frozen=True)
class Row:
    """A line of Table 1.

    Attributes
    ----------
    sigma, C : float
        Of the Gaussian kernel exp(-|x - z|² / (2 sigma²)), and of the machines.
    error : float
        In percent.
    kernel_evaluations : int
    seconds : int
        Of training, on the machine of the paper.
    kparameters : int
        Stored values of the distinct vectors, coefficients and thresholds, in thousands.
    """

    sigma: float
    C: float
    error: float
    kernel_evaluations: int
    seconds: int
    kparameters: int


TABLE1: dict[str, dict[str, Row]] = {
    "usps": {
        ONE_VS_REST: Row(3.58, 100, 4.7, 2936, 3532, 760),
        MAX_WINS: Row(5.06, 100, 4.5, 1877, 307, 487),
        DAGSVM: Row(5.06, 100, 4.4, 819, 307, 487),
    },
    "letter": {
        ONE_VS_REST: Row(0.447, 100, 2.2, 8183, 1764, 148),
        MAX_WINS: Row(0.632, 100, 2.4, 7357, 441, 160),
        DAGSVM: Row(0.447, 10, 2.2, 3834, 792, 223),
    },
    "covertype": {
        ONE_VS_REST: Row(1, 10, 30.2, 7366, 4210, 105),
        MAX_WINS: Row(1, 10, 29.0, 7238, 1305, 107),
        DAGSVM: Row(1, 10, 29.2, 4390, 1305, 107),
    },
}
NEURAL_NET = {"usps": "5.9", "letter": "4.3", "covertype": "30"}  # error in percent as printed, quoted by the paper


@dataclass(frozen=True)
class Sets:
    """What Section 5 says of a data set."""

    classes: int
    train: int
    test: int
    inputs: str


DATA = {
    "usps": Sets(10, 7291, 2007, "256 pixels"),
    "letter": Sets(26, 16000, 4000, "16 statistics, scaled to [-1, 1]; first 16000 and last 4000 rows"),
    "covertype": Sets(7, 11340, 565893, "continuous: mean 0, variance 1; discrete: 1-of-n"),
}

EVALUATION_SPEEDUP = (1.6, 2.3)  # Max Wins over DAGSVM, in kernel evaluations
TRAINING_SPEEDUP = {"usps": 11.5, "letter": 2.2}  # 1-v-r over the pairs of DAGSVM, in seconds
EXPONENT = 2  # of the training time, about
SINGLE_MACHINES = 2  # of 1-v-r, whose time all pairs take
HOLD_OUT = 0.3  # of the training set, to choose kernels by
DEGREES = (1, 2, 3, 4, 5, 6)  # of the polynomials tried
LEVEL = 0.05  # of McNemar's tests


def law_ratio(n_classes: int, exponent: float) -> float:
    """What the paper's law makes of T(1-v-r) / T(1-v-1).

    N machines on m samples each take c N m^g; N(N-1)/2 machines on 2m/N samples each take c N(N-1)/2 (2m/N)^g.

    Parameters
    ----------
    n_classes : int
    exponent : float
        The law's g.
    """
    return float((n_classes / 2) ** exponent * 2 / (n_classes - 1))


def pointer(data: str, rule: str, what: str) -> str:
    """Where a number of Table 1 stands in the file of published numbers."""
    place = (*RULES, "Neural Net").index(rule)
    return f"/platt1999/tables/table1/{data}/{place}/{what}"
