"""What the tests with other libraries share. `make clients` installs those libraries and runs them."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


@pytest.fixture(scope="session")
def digits():
    """Training and test samples of five digits: X, X_test, y, y_test."""
    X, y = load_digits(n_class=5, return_X_y=True)
    return train_test_split(np.ascontiguousarray(X), y, train_size=300, random_state=0)


def pytest_collection_modifyitems(items):
    """Mark them all, so that `make test` leaves them out."""
    for item in items:
        if "/clients/" in item.path.as_posix():
            item.add_marker(pytest.mark.clients)
