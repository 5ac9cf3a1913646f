"""The first example of the README runs as it stands."""

import re
from pathlib import Path

import numpy as np
import sklearn.svm

README = Path(__file__).parents[1] / "README.md"


def test_first_example_runs(capsys):
    """It prints a path and a cost, and its comments are true."""
    code = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[1]
    names = {}
    exec(compile(code, str(README), "exec"), names)
    clf, X_test = names["clf"], names["X_test"]
    printed = capsys.readouterr().out
    assert f"Answer: {clf.predict(X_test)[0]}" in printed
    assert "machines, " in printed
    theirs = sklearn.svm.SVC(C=clf.C, gamma=clf.gamma).fit(names["X"], names["y"])
    np.testing.assert_array_equal(clf.predict(X_test), theirs.predict(X_test))
