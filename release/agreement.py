"""Whether two systems give the same labels, and read each other's model files.

``python release/agreement.py FOLDER NAME`` fits every structure with every kernel on sets of scikit-learn, and keeps labels,
decision values and model files in ``FOLDER/NAME``. With a third argument, the name of another system whose results are in the
folder, it compares: all labels must be equal, those of the other's model files too. Decision values may differ in their last
bits; the number that do is printed, by kernel.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import MinMaxScaler

import dagmar

SETS = {"iris": load_iris, "wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}
KERNELS = ("linear", "poly", "rbf", "sigmoid", "laplacian", "tanimoto", "chi2")
STRUCTURES = (
    *("max_wins", "and_gate", "one_vs_rest", "ddag", "adaptive_ddag", "bracket", "divide_and_conquer"),
    *("fisher_tree", "centered_tree"),
)
ROWS = 600


def main(folder: Path, name: str, other: str | None) -> None:
    """Keep what this system finds, and compare it with another's."""
    here = folder / name
    here.mkdir(parents=True, exist_ok=True)
    fits, apart, largest = 0, Counter[str](), 0.0
    for key, kernel, model, X in every_fit():
        labels, values = model.predict(X), model.decision_function(X)
        np.savez(here / f"{key}.npz", labels=labels, values=values)
        dagmar.save(model, here / f"{key}.dagmar")
        fits += 1
        if other is None:
            continue
        with np.load(folder / other / f"{key}.npz") as theirs:
            np.testing.assert_array_equal(labels, theirs["labels"], err_msg=key)
            if not np.array_equal(values, theirs["values"]):
                apart[kernel] += 1
                largest = max(largest, float(np.max(np.abs(values - theirs["values"]))))
            read = dagmar.load(folder / other / f"{key}.dagmar")
            np.testing.assert_array_equal(read.predict(X), theirs["labels"], err_msg=f"model file of {key}")
    print(f"{fits} fits")
    if other is not None:
        print(f"labels are equal, those of the other's model files too; decision values differ in {apart.total()} fits")
        print(f"by kernel: {dict(apart)}, at most by {largest:.2g}")


def every_fit() -> Iterator[tuple[str, str, Any, Any]]:
    """Yield a name, the kernel, a fitted model and samples, for every set, kernel and structure."""
    for name, load in SETS.items():
        X, y = load(return_X_y=True)
        X, y = MinMaxScaler().fit_transform(X[:ROWS]), y[:ROWS]
        for kernel in KERNELS:
            for structure in STRUCTURES:
                model = dagmar.SVC(C=10, kernel=kernel, gamma=0.5, structure=structure).fit(X, y)
                yield f"{name}-{kernel}-{structure}", kernel, model, X


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
