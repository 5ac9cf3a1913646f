"""Platt's error bounds for a DDAG on handwritten digits, and a picture of its margins.

Run ``python examples/generalization_bound.py picture.png``. The digits come with scikit-learn. If the environment variable
DAGMAR_DATA names a folder that holds Letter, the script also prints the bounds for Letter.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.datasets import load_digits

import dagmar
from dagmar.analysis.bounds import theorem1

matplotlib.use("Agg")


def digits(C: float) -> dagmar.GeneralizationBound:
    """Return the bounds for the 1797 digits."""
    X, y = load_digits(return_X_y=True)
    return dagmar.SVC(C=C, gamma=0.5).fit(X / 16, y).generalization_bound(X / 16, y)


def letter() -> dagmar.GeneralizationBound | None:
    """Return the bounds for Letter with the parameters of Platt et al., or None if the data is not there."""
    folders = filter(None, os.environ.get("DAGMAR_DATA", "").split(os.pathsep))
    path = next((file for folder in folders if (file := Path(folder) / "letter.npz").exists()), None)
    if path is None:
        return None
    data = np.load(path)
    X, y = data["X_train"] / 7.5 - 1.0, np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))[data["y_train"].astype(int)]
    return dagmar.SVC(C=10, gamma=2.5024).fit(X, y).generalization_bound(X, y)


def samples_needed(n_classes: int, margin: float) -> int:
    """Return the number of samples for which Theorem 1 falls below 1 if all margins are this share of the radius."""
    margins = np.full(n_classes * (n_classes - 1) // 2, margin)
    low, high = 1, 10**12
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if theorem1(middle, margins) < 1 else (middle, high)
    return high


def main() -> None:
    """Print the bounds. If a file is named, draw the margins for C = 0.3 in it."""
    soft = digits(C=0.3)
    print(f"Digits, C = 10\n{digits(C=10)}\n\nDigits, C = 0.3\n{soft}")
    found = letter()
    if found is not None:
        print(f"\nLetter, C = 10\n{found}")
    print("\nSamples needed for a bound below 1, if all margins are R, and if all are R / 10")
    for n_classes in (2, 3, 10, 26):
        needed = (f"{samples_needed(n_classes, margin):.2g}" for margin in (1.0, 0.1))
        print(f"{n_classes:2} classes: {', '.join(needed)}")
    if len(sys.argv) > 1:
        soft.plot().figure.savefig(sys.argv[1], dpi=160)


if __name__ == "__main__":
    main()
