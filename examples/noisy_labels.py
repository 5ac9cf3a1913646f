"""Soft labels when a part of the training labels is wrong.

Changes 0 to 30 % of the training labels to another class and compares ordinary machines with posterior-probability machines
(``soft_labels=k``) on test samples whose labels are right. Uses Pendigits if the environment variable DAGMAR_DATA names a
folder that has it, otherwise the digits that come with scikit-learn.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import dagmar

NEIGHBOURS = (None, 3, 11)
COSTS = (1, 10, 100)


def load() -> tuple[str, float, list[Any]]:
    """Return the name of the data set, gamma, and [X_train, X_test, y_train, y_test]."""
    folders = filter(None, os.environ.get("DAGMAR_DATA", "").split(os.pathsep))
    path = next((file for folder in folders if (file := Path(folder) / "pendigits.npz").exists()), None)
    if path is not None:
        data = np.load(path)
        scaled = [data[name] / 50.0 - 1.0 for name in ("X_train", "X_test")]
        return "Pendigits", 0.25, [*scaled, data["y_train"], data["y_test"]]
    X, y = load_digits(return_X_y=True)
    return "digits", 0.3, train_test_split(X / 16, y, test_size=0.4, random_state=0, stratify=y)


def flipped(y: np.ndarray, share: float, seed: int = 0) -> np.ndarray:
    """Return the labels with about this share changed to another class, drawn uniformly."""
    rng = np.random.default_rng(seed)
    wrong = rng.random(len(y)) < share
    noisy = y.copy()
    noisy[wrong] = (y[wrong] + rng.integers(1, y.max() + 1, wrong.sum())) % (y.max() + 1)
    return noisy


def main() -> None:
    """Print a Markdown table of accuracies."""
    name, gamma, (X_train, X_test, y_train, y_test) = load()
    columns = [f"{'plain' if k is None else f'k = {k}'}, C {C}" for C in COSTS for k in NEIGHBOURS]
    print(f"{name}, gamma {gamma}, max wins: accuracy in percent on clean test labels\n")
    print("| labels flipped | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for share in (0.0, 0.1, 0.2, 0.3):
        noisy = flipped(y_train, share)
        cells = []
        for C in COSTS:
            for k in NEIGHBOURS:
                clf = dagmar.SVC(C=C, gamma=gamma, soft_labels=k, structure="max_wins", n_jobs=-1).fit(X_train, noisy)
                cells.append(f"{100 * clf.score(X_test, y_test):.2f}")
        print(f"| {share:.0%} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
