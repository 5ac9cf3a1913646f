"""docs/scikit-learn.md: its tables have every parameter and every fitted attribute."""

import inspect
import re
from pathlib import Path

import pytest
import sklearn.svm

import dagmar

PAGE = (Path(__file__).parents[1] / "docs" / "scikit-learn.md").read_text(encoding="utf-8")


def names(heading):
    """What the tables below a heading have in code style, without values and brackets."""
    part = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return {re.split(r"[=(]", code)[0] for code in re.findall(r"`([^`]+)`", part)}


@pytest.mark.parametrize("svc", [sklearn.svm.SVC, dagmar.SVC])
def test_every_parameter_has_a_line(svc):
    assert set(inspect.signature(svc).parameters) <= names("Every parameter")


@pytest.mark.filterwarnings("ignore:Attribute:FutureWarning")  # probA_ and probB_
def test_every_attribute_and_method_has_its_place(three_blobs):
    """Those of scikit-learn, and ours."""
    X, y = three_blobs[:2]
    of_other_estimators = {"epsilon", "nu", "unused_param"}  # scikit-learn's SVC has them, too
    listed = names("Every attribute and method") | of_other_estimators
    for svc in (sklearn.svm.SVC(kernel="linear"), dagmar.SVC(kernel="linear")):
        fitted = svc.fit(X, y)
        public = {name for name in dir(fitted) if not name.startswith(("_", "set_")) and hasattr(fitted, name)}
        assert {name for name in public - set(svc.get_params()) if name not in listed} == set()
