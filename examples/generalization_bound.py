"""What Platt's theorems say of a DDAG on handwritten digits, and a picture of its margins.

Run ``python examples/generalization_bound.py picture.png``; the digits come with scikit-learn. With DAGMAR_DATA set to a
folder that holds Letter, that is told, too.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.datasets import load_digits

import dagmar

matplotlib.use("Agg")


def digits(C: float) -> dagmar.GeneralizationBound:
    """The bound on 1797 digits."""
    X, y = load_digits(return_X_y=True)
    return dagmar.SVC(C=C, gamma=0.5).fit(X / 16, y).generalization_bound(X / 16, y)


def letter() -> dagmar.GeneralizationBound | None:
    """The bound on Letter, with the parameters of Platt et al., if the data is there."""
    path = Path(os.environ.get("DAGMAR_DATA", "")) / "letter.npz"
    if "DAGMAR_DATA" not in os.environ or not path.exists():
        return None
    data = np.load(path)
    X, y = data["X_train"] / 7.5 - 1.0, np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))[data["y_train"].astype(int)]
    return dagmar.SVC(C=10, gamma=2.5024).fit(X, y).generalization_bound(X, y)


def main() -> None:
    """Print the bounds; draw the one of soft margins if a file is named."""
    soft = digits(C=0.1)
    print(f"Digits, C = 10\n{digits(C=10)}\n\nDigits, C = 0.1\n{soft}")
    found = letter()
    if found is not None:
        print(f"\nLetter, C = 10\n{found}")
    if len(sys.argv) > 1:
        soft.plot().figure.savefig(sys.argv[1], dpi=110)


if __name__ == "__main__":
    main()
