"""What Wang, Zheng and Zhou (2011) print."""

from __future__ import annotations

from math import log

from ..printed import Printed

METHODS = ("OAO", "OAA", "c-BTS", "PPSVM OAO", "PPSVM OAA", "BTPPSVM")
K, FOLDS = 11, 5  # neighbours, and folds of the search for C and gamma

# Table 1: classes, features, training and test rows.
SETS = {
    "letter": (26, 16, 15000, 5000),
    "optdigits": (10, 64, 3823, 1797),
    "pendigits": (10, 16, 7494, 3498),
    "mnist7x7": (10, 49, 60000, 10000),
}
NAMES = {"letter": "Letter", "optdigits": "Optdigits", "pendigits": "Pendigits", "mnist7x7": "MNIST"}
AVERAGE = "average"  # the last row of Tables 2 and 3

# Tables 2 to 4, in the order of METHODS.
ACCURACY = {
    "letter": (97.96, 97.88, 97.92, 98.11, 97.73, 97.92),
    "optdigits": (98.46, 98.55, 98.46, 98.62, 98.46, 98.62),
    "pendigits": (98.26, 97.40, 98.11, 98.42, 98.38, 98.19),
    "mnist7x7": (97.49, 97.12, 97.24, 97.04, 97.16, 97.43),
    AVERAGE: (98.04, 97.74, 97.93, 98.05, 97.93, 98.04),
}
VECTORS = {  # distinct, in percent of the training set
    "letter": (59.5, 67.5, 36.9, 42.1, 45.5, 27.4),
    "optdigits": (39.9, 32.9, 28.1, 32.5, 31.0, 26.8),
    "pendigits": (44.3, 53.7, 40.8, 37.8, 42.2, 31.6),
    "mnist7x7": (22.9, 28.6, 14.5, 15.2, 22.4, 14.1),
    AVERAGE: (41.7, 45.7, 30.1, 31.9, 35.3, 25.0),
}
MACHINES = {
    "letter": (325, 26, 268, 325, 26, 172),
    "optdigits": (45, 10, 36, 45, 10, 32),
    "pendigits": (45, 10, 30, 45, 10, 24),
    "mnist7x7": (45, 10, 36, 45, 10, 32),
}
# Table 5, seconds on Letter.
TRAIN_SECONDS = (112.59, 86.31, 101.66, 97.36, 85.74, 80.38)
TEST_SECONDS = (4.07, 3.86, 4.71, 3.92, 2.49, 2.02)

# In the text of Section 4: BTPPSVM's vectors in percent of those of another method, and its saving of test time.
OF_VECTORS = {"OAO": 60, "PPSVM OAO": 78}
SAVED = {"PPSVM OAO": 48.5, "PPSVM OAA": 18.9, "OAO": 50.4, "OAA": 47.7, "c-BTS": 57.1}
C_BTS_TESTS = "log_{4/3}[(n+3)/4]"


def error(data: str, method: str) -> float:
    """Published error in percent."""
    return 100.0 - ACCURACY[data][METHODS.index(method)]


def c_bts_tests(n: int) -> float:
    """The number of machines that c-BTS is said to ask for one of n classes."""
    return log((n + 3) / 4, 4 / 3)


def is_share(accuracy: float, n: int) -> bool:
    """Whether a printed accuracy is a number of right answers in n, to the two digits that are printed."""
    right = round(accuracy * n / 100)
    return any(abs(100 * k / n - accuracy) <= 0.005 + 1e-9 for k in (right - 1, right, right + 1))


# ------------------------------------------------------------------- cells with their places in the file of all papers

POINTER = "/wang2011_btppsvm"
_COLUMNS = ("svm_OAO", "svm_OAA", "svm_cBTS", "ppsvm_OAO", "ppsvm_OAA", "BTPPSVM")
_ROWS = (*SETS, AVERAGE)
_TEXT = {
    **{("vectors", m): f"sv_ratio_vs_{name}_pct" for m, name in (("OAO", "svm_oao"), ("PPSVM OAO", "ppsvm_oao"))},
    **{("saved", m): f"test_time_saved_vs_ppsvm_oao_oaa_pct/{i}" for i, m in enumerate(("PPSVM OAO", "PPSVM OAA"))},
    **{("saved", m): f"test_time_saved_vs_svm_oao_oaa_cbts_pct/{i}" for i, m in enumerate(("OAO", "OAA", "c-BTS"))},
}


def set_cells(data: str) -> list[str]:
    """The row of Table 1."""
    names = ("classes", "features", "train", "test")
    return [
        Printed(str(value), f"{POINTER}/tables/table1/rows/{_ROWS.index(data)}/{name}")
        for name, value in zip(names, SETS[data], strict=True)
    ]


def cells(table: int, data: str) -> list[str]:
    """A row of Tables 2, 3 or 4, method by method."""
    values: tuple[float, ...] = (ACCURACY, VECTORS, MACHINES)[table - 2][data]
    digits = {2: 2, 3: 1, 4: 0}[table]
    return [
        Printed(f"{value:.{digits}f}", f"{POINTER}/tables/table{table}/rows/{_ROWS.index(data)}/{column}")
        for value, column in zip(values, _COLUMNS, strict=True)
    ]


def time_cells(method: str) -> tuple[str, str]:
    """Training and test time of Table 5."""
    row = METHODS.index(method)
    place = f"{POINTER}/tables/table5/rows/{row}"
    return Printed(f"{TRAIN_SECONDS[row]:.2f}", f"{place}/train_s"), Printed(
        f"{TEST_SECONDS[row]:.2f}", f"{place}/test_s"
    )


def text_cell(what: str, method: str) -> str:
    """A number of the text: "vectors" or "saved", against a method."""
    value = OF_VECTORS[method] if what == "vectors" else SAVED[method]
    return Printed(f"{value:g} %", f"{POINTER}/in_text/{_TEXT[what, method]}")


def setting_cells() -> dict[str, str]:
    """Neighbours, folds, and the tests of c-BTS."""
    return {
        "k": Printed(str(K), f"{POINTER}/in_text/k_nn"),
        "folds": Printed(str(FOLDS), f"{POINTER}/in_text/cv_folds"),
        "tests": Printed(f"`{C_BTS_TESTS}`", f"{POINTER}/in_text/c_bts_average_tests"),
    }
