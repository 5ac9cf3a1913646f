"""Importing dagmar is quick, and its lists of names are true."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import dagmar

PACKAGE = Path(dagmar.__file__).parent


def in_fresh_interpreter(code):
    """Run code and return the JSON it prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


def test_import_loads_neither_scikit_learn_nor_pictures():
    """`import dagmar` alone loads nothing heavy."""
    loaded = in_fresh_interpreter("import json, sys, dagmar; print(json.dumps(sorted(sys.modules)))")
    heavy = {
        "sklearn",
        "scipy",
        "matplotlib",
        "plotly",
        "rich",
        "pandas",
        "joblib",
        "numpy",
        "onnx",
        "safetensors",
        "polars",
        "click",
        "dask",
        "distributed",
    }
    assert not heavy & set(loaded)


def test_fitting_loads_no_pictures():
    """Training and predicting load no plotting library."""
    code = """
import json, sys, dagmar
clf = dagmar.SVC().fit([[0.0], [1.0], [2.0]], [0, 1, 2])
clf.predict([[0.5]]), clf.explain([0.5])
print(json.dumps(sorted(sys.modules)))
"""
    assert not {"matplotlib", "plotly"} & set(in_fresh_interpreter(code))


def test_pictures_load_matplotlib_only_when_drawn():
    """`dagmar.pictures`, and the text and DOT of a structure, need no plotting library."""
    code = """
import json, sys, dagmar
clf = dagmar.SVC(structure="ddag").fit([[0.0], [1.0], [2.0]], [0, 1, 2])
dagmar.pictures.StructureDisplay.from_estimator(clf, [0.5])
dagmar.export_text(clf), dagmar.export_graphviz(clf)
print(json.dumps(sorted(sys.modules)))
"""
    assert not {"matplotlib", "plotly"} & set(in_fresh_interpreter(code))


def test_a_cluster_needs_its_extra():
    """Without the packages of Dask, `dagmar.dask` is an error that names the extra."""
    code = """
import importlib.util, json
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "distributed" else found(name, *rest)
import dagmar
try:
    dagmar.dask
except ImportError as error:
    print(json.dumps(str(error)))
"""
    assert in_fresh_interpreter(code) == 'dagmar.dask needs distributed: pip install "dagmar[dask]"'


def test_import_is_quick():
    """Importing takes a fraction of a second."""
    code = "import time; t = time.perf_counter(); import dagmar; print(time.perf_counter() - t)"
    assert min(in_fresh_interpreter(code) for _ in range(3)) < 0.1


def test_all_is_true():
    """Every public name is there, the table of names is sorted, and dir tells the same."""
    for name in dagmar.__all__:
        assert getattr(dagmar, name) is not None
    assert list(dagmar._HOMES) == sorted(dagmar._HOMES)
    assert sorted(dagmar.__all__) == dir(dagmar) == sorted([*dagmar._HOMES, "__version__"])


def test_public_names_know_their_home():
    """Each public class says that it comes from dagmar, so that pickles and messages can be read."""
    for name in set(dagmar.__all__) - {"__version__"}:
        public = getattr(dagmar, name)
        home = public.__name__ if isinstance(public, ModuleType) else public.__module__
        assert home.startswith("dagmar.")


def test_unknown_name_is_an_attribute_error():
    """A name that does not exist raises Python's own error."""
    with pytest.raises(AttributeError, match="module 'dagmar' has no attribute 'SVM'"):
        _ = dagmar.SVM


def test_package_is_typed():
    """The marker for type checkers is shipped."""
    assert (PACKAGE / "py.typed").exists()
