"""Whether an installed dagmar works: fits, predicts and keeps models with every structure.

``python release/smoke.py`` needs nothing but the package. It prints the version and the place of the core.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import SVC as SklearnSVC

import dagmar
from dagmar import _core


def main() -> None:
    """Train on handwritten digits, compare with scikit-learn, save and load."""
    X, y = load_digits(return_X_y=True)
    X, y, X_test = X[:1000], y[:1000], X[1000:]
    expected = SklearnSVC(C=10, gamma=0.001).fit(X, y).predict(X_test)
    model = dagmar.SVC(C=10, gamma=0.001, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(model.predict(X_test), expected)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "digits.dagmar"
        for structure in ("max_wins", "ddag", "adaptive_ddag", "bracket", "divide_and_conquer"):
            restructured = model.restructure(structure, X, y)
            labels = restructured.predict(X_test)
            assert np.mean(labels == expected) > 0.97, structure
            dagmar.save(restructured, path)
            np.testing.assert_array_equal(dagmar.load(path).predict(X_test), labels)
    print(f"dagmar {dagmar.__version__} works: {_core.__file__}")


if __name__ == "__main__":
    main()
