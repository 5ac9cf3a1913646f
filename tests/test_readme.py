"""The first example of the README runs as it stands."""

import doctest
import re
from pathlib import Path

import numpy as np
import sklearn.svm

README = Path(__file__).parents[1] / "README.md"


def test_first_example_prints_what_it_shows():
    """Every line gives the output below it, and the labels are those of scikit-learn."""
    session = re.search(r"```pycon\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[1]
    example = doctest.DocTestParser().get_doctest(session, {}, "README", str(README), 0)
    assert len(example.examples) == 9
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(example, clear_globs=False)
    assert runner.failures == 0
    names = example.globs
    clf, X_test = names["clf"], names["X_test"]
    theirs = sklearn.svm.SVC(C=clf.C, gamma=clf.gamma).fit(names["X"], names["y"])
    np.testing.assert_array_equal(clf.predict(X_test), theirs.predict(X_test))
