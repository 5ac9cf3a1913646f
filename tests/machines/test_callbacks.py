"""Scikit-learn's callbacks: what they receive, and when."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar.machines import callbacks

needs_callbacks = pytest.mark.skipif(
    not hasattr(dagmar.SVC, "set_callbacks"), reason="this scikit-learn has no callbacks (1.9 and later have)"
)


class Recorder:
    """A callback that records its calls."""

    def __init__(self, stop_at=None):
        self.told = []
        self.stop_at = stop_at

    def setup(self, estimator, context):
        """Before all."""
        self.told.append(("setup", context.task_name, context.task_id))

    def teardown(self, estimator, context):
        """After all."""
        self.told.append(("teardown", context.task_name, context.task_id))

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None):
        """A task begins."""
        self.told.append(("begin", context.task_name, context.task_id))
        self.max_subtasks = {**getattr(self, "max_subtasks", {}), context.task_name: context.max_subtasks}
        assert (X is not None and y is not None) or not isinstance(estimator, dagmar.SVC)

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        """A task ends."""
        self.told.append(("end", context.task_name, context.task_id))
        # No estimator is kept: scikit-learn remembers callbacks until the process ends.
        self.metadata = metadata
        self.answers = fitted_estimator.predict(X) if isinstance(fitted_estimator, dagmar.SVC) else None
        if context.task_name == self.stop_at:
            raise InterruptedError("enough")
        return True  # asks to stop, in vain


class Everywhere(Recorder):
    """One that meta-estimators hand on."""

    max_propagation_depth = None


def assert_balanced(told):
    """Tasks end in the opposite order in which they began."""
    open_tasks = []
    for event, name, number in told:
        if event == "begin":
            open_tasks.append((name, number))
        elif event == "end":
            assert open_tasks.pop() == (name, number)
    assert not open_tasks


@needs_callbacks
@pytest.mark.parametrize("structure", ["ddag", "one_vs_rest", "fisher_tree", "adaptive_ddag"])
def test_callbacks_are_told_of_lots_and_their_parts(letters, structure):
    """A fit is set up, begins, has its lots in parts, ends and is torn down."""
    recorder = Recorder()
    clf = dagmar.SVC(structure=structure).set_callbacks(recorder).fit(*letters)
    told = recorder.told
    assert told[:2] == [("setup", "fit", 0), ("begin", "fit", 0)]
    assert told[-2:] == [("end", "fit", 0), ("teardown", "fit", 0)]
    assert_balanced(told)
    lots = [number for event, name, number in told if (event, name) == ("begin", "train")]
    assert lots == list(range(len(lots)))
    assert (len(lots) == 1) == (structure != "fisher_tree")
    parts = [number for event, name, number in told if (event, name) == ("end", "machines")]
    if structure != "fisher_tree":
        assert parts == list(range(clf.bank_.n_machines))
        assert recorder.max_subtasks["train"] == len(parts)
    assert not {"_callback_fit_ctx", "_skl_callbacks_to_teardown"} & set(clf.__dict__)


@needs_callbacks
def test_callbacks_see_many_machines_as_a_hundred_parts(rng):
    """Contexts are not one per machine, of which there may be very many."""
    recorder = Recorder()
    y = np.arange(90) % 30
    dagmar.SVC().set_callbacks(recorder).fit(rng.normal(size=(90, 3)) + y[:, None], y)
    assert sum(name == "machines" for event, name, _ in recorder.told if event == "end") == callbacks.PARTS


@needs_callbacks
def test_callbacks_get_the_fitted_estimator_in_the_end(letters):
    """With weights as metadata; it predicts, and the machines reported before are no classifier yet."""
    recorder = Recorder()
    X, y = letters
    clf = dagmar.SVC().set_callbacks(recorder).fit(X, y, np.ones(len(y)))
    np.testing.assert_array_equal(recorder.answers, clf.predict(X))
    np.testing.assert_array_equal(recorder.metadata["sample_weight"], np.ones(len(y)))


@needs_callbacks
@pytest.mark.parametrize("stop_at", ["machines", "train", "fit"])
def test_error_of_a_callback_ends_the_fit_in_order(letters, stop_at):
    """Callbacks are torn down, and the estimator is as it was."""
    recorder = Recorder(stop_at)
    clf = dagmar.SVC().set_callbacks(recorder)
    before = dict(clf.__dict__)
    with pytest.raises(InterruptedError, match="enough"):
        clf.fit(*letters)
    assert recorder.told[-1] == ("teardown", "fit", 0)
    assert clf.__dict__ == before


@needs_callbacks
def test_bad_input_tears_callbacks_down(letters):
    """What was set up is torn down also where training never began."""
    recorder = Recorder()
    with pytest.raises(ValueError, match="NaN"):
        dagmar.SVC().set_callbacks(recorder).fit(letters[0] * np.nan, letters[1])
    assert [event for event, _, _ in recorder.told] == ["setup", "begin", "teardown"]


@needs_callbacks
def test_meta_estimators_hand_callbacks_on(letters):
    """In a pipeline and a search, the tasks of the fit are part of the whole."""
    recorder = Everywhere()
    make_pipeline(StandardScaler(), dagmar.SVC()).set_callbacks(recorder).fit(*letters)
    assert sum(event == "setup" for event, _, _ in recorder.told) == 1
    assert ("end", "machines", 27) in recorder.told
    recorder = Everywhere()
    GridSearchCV(dagmar.SVC(), {"C": [1, 2]}, cv=2).set_callbacks(recorder).fit(*letters)
    assert sum(told == ("end", "machines", 27) for told in recorder.told) == 5


@needs_callbacks
def test_scikit_learns_own_callbacks_work(letters, capsys):
    """Its progress bar and its monitor of scores serve this estimator."""
    pytest.importorskip("rich")
    from sklearn.callback import ProgressBar, ScoringMonitor

    monitor = ScoringMonitor(scoring="accuracy")
    clf = dagmar.SVC(structure="fisher_tree").set_callbacks(ProgressBar(), monitor).fit(*letters)
    assert "SVC - fit" in capsys.readouterr().out
    (row,) = monitor.get_logs().data
    assert row["accuracy"] == clf.score(*letters)


def test_callbacks_are_not_needed():
    """Where scikit-learn has none, fits are as before, and there is nothing to set."""
    script = """
        import sys
        import numpy as np
        import sklearn.neighbors  # which may need them itself
        sys.modules["sklearn.callback"] = None
        from dagmar import SVC
        assert not hasattr(SVC, "set_callbacks")
        X, y = np.arange(30.0)[:, None], np.arange(30) // 10
        print(SVC().fit(X, y).score(X, y))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1.0\n", "")
