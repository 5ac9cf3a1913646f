"""The first example of the README runs as it stands."""

import doctest
import re
from pathlib import Path

import numpy as np
import sklearn.svm

import dagmar

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


def test_search_finds_what_it_says():
    """The search, run on the digits of the first example, gives the parameters and the accuracy in its comments."""
    text = README.read_text(encoding="utf-8")
    data = re.findall(r"^>>> (from sklearn.*|X, .*)$", text, re.MULTILINE)
    snippet = re.search(r"## Choosing C and gamma\n\n```python\n(.*?)```", text, re.DOTALL)[1]
    names = {"dagmar": dagmar}
    exec("\n".join([*data, snippet]), names)
    said = re.findall(r"^(search\.(?:best_params_|score\(.*?\)))  # (.*)$", snippet, re.MULTILINE)
    assert len(said) == 2
    for expression, value in said:
        found = eval(expression, names)
        assert (f"{found:.3g}" if isinstance(found, float) else repr(found)) == value
