"""What Wang, Zheng and Zhou (2011) print."""

from __future__ import annotations

METHODS = ("OAO", "OAA", "c-BTS", "PPSVM OAO", "PPSVM OAA", "BTPPSVM")
K = 11  # neighbours

# Table 1: classes, features, training and test rows.
SETS = {
    "letter": (26, 16, 15000, 5000),
    "optdigits": (10, 64, 3823, 1797),
    "pendigits": (10, 16, 7494, 3498),
    "mnist7x7": (10, 49, 60000, 10000),
}
NAMES = {"letter": "Letter", "optdigits": "Optdigits", "pendigits": "Pendigits", "mnist7x7": "MNIST, 49 features"}

# Tables 2 to 4, in the order of METHODS.
ACCURACY = {
    "letter": (97.96, 97.88, 97.92, 98.11, 97.73, 97.92),
    "optdigits": (98.46, 98.55, 98.46, 98.62, 98.46, 98.62),
    "pendigits": (98.26, 97.40, 98.11, 98.42, 98.38, 98.19),
    "mnist7x7": (97.49, 97.12, 97.24, 97.04, 97.16, 97.43),
}
AVERAGE_ACCURACY = (98.04, 97.74, 97.93, 98.05, 97.93, 98.04)
VECTORS = {  # distinct, in percent of the training set
    "letter": (59.5, 67.5, 36.9, 42.1, 45.5, 27.4),
    "optdigits": (39.9, 32.9, 28.1, 32.5, 31.0, 26.8),
    "pendigits": (44.3, 53.7, 40.8, 37.8, 42.2, 31.6),
    "mnist7x7": (22.9, 28.6, 14.5, 15.2, 22.4, 14.1),
}
AVERAGE_VECTORS = (41.7, 45.7, 30.1, 31.9, 35.3, 25.0)
MACHINES = {
    "letter": (325, 26, 268, 325, 26, 172),
    "optdigits": (45, 10, 36, 45, 10, 32),
    "pendigits": (45, 10, 30, 45, 10, 24),
    "mnist7x7": (45, 10, 36, 45, 10, 32),
}
# Table 5, seconds on Letter.
TRAIN_SECONDS = (112.59, 86.31, 101.66, 97.36, 85.74, 80.38)
TEST_SECONDS = (4.07, 3.86, 4.71, 3.92, 2.49, 2.02)

# In the text: BTPPSVM's vectors in percent of those of canonical and of posterior-probability one-against-one.
OF_OAO, OF_PPSVM_OAO = 60.0, 78.0


def error(data: str, method: str) -> float:
    """Published error in percent."""
    return 100.0 - ACCURACY[data][METHODS.index(method)]
