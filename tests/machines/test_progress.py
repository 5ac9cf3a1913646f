"""Progress: what is done, how fast, and the time left, for people and for scikit-learn's callbacks."""

import re
import subprocess
import sys
import textwrap
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import problem_of
from terminals import Terminal

import dagmar
from dagmar.machines import progress as module
from dagmar.machines.progress import Progress, Tally, clock, in_notebook, work_of
from dagmar.problem.tasks import all_pairs, each_against_rest, groups

# ------------------------------------------------------------------ numbers


def test_work_is_the_samples_squared(three_blobs):
    """A machine costs the square of its samples."""
    X, y = three_blobs[0][5:], three_blobs[1][5:]
    sizes = np.bincount(y)
    problem = problem_of(X, y)
    pairs = [(sizes[i] + sizes[j]) ** 2 for i, j in ((0, 1), (0, 2), (1, 2))]
    np.testing.assert_array_equal(work_of(problem, all_pairs(3)), pairs)
    np.testing.assert_array_equal(work_of(problem, each_against_rest(3)), [len(y) ** 2] * 3)
    assert len(work_of(problem, groups([]))) == 0


def test_time_left_is_by_work():
    """One large machine left of many small ones is most of the time."""
    tally = Tally()
    tally.begin(np.array([1.0, 1.0, 1.0, 97.0]), 0)
    assert tally.left(1.0) is None
    assert tally.tell(1.0) == "0 of 4 machines, 0 per second, ? left"
    tally.advance(np.array([0, 2, 1]))
    assert tally.left(3.0) == pytest.approx(97.0)
    assert tally.rate(3.0) == 1.0
    assert tally.tell(3.0) == "3 of 4 machines, 1 per second, 0:01:37 left"
    tally.advance(np.array([3]))
    assert tally.left(100.0) == 0.0


def test_machines_from_a_checkpoint_are_done_but_say_nothing_of_the_speed():
    """They count as done, and neither as rate nor as work."""
    tally = Tally()
    tally.begin(np.array([2.0, 2.0]), 8)
    tally.advance(np.array([0]))
    assert (tally.done, tally.total, tally.trained) == (9, 10, 1)
    assert tally.rate(4.0) == 0.25
    assert tally.left(4.0) == 4.0


def test_lots_add_up():
    """Several lots are counted together, and reported."""
    tally = Tally()
    for lot in (2, 3):
        tally.begin(np.ones(lot), 0)
        tally.advance(np.arange(lot - 1))
    assert tally.tell(3.0) == "lot 2: 3 of 5 machines, 1 per second, 0:00:02 left"
    assert "3 of 5 machines, 30000 per second" in tally.tell(1e-4)


def test_clock():
    """Hours are not days."""
    assert [clock(s) for s in (0.2, 59.7, 3599, 90061)] == ["0:00:00", "0:01:00", "0:59:59", "25:01:01"]


# -------------------------------------------------------------------- lines


def test_lines_come_at_growing_intervals(clock_at, capsys):
    """Nothing in the first second, then after twice the time, at most a minute; nothing after the last machine."""
    told = []
    with Progress() as progress:
        progress.begin(np.ones(2000), 0)
        for m in range(2000):
            clock_at[0] += 0.25
            progress.advance(np.array([m]))
            if capsys.readouterr().err:
                told.append(clock_at[0] - 100.0)
        progress.end()
    assert told[:7] == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
    assert np.all(np.diff(told[6:]) == 60.0)
    assert told[-1] < 500.0


def test_line_says_what_there_is_to_say(clock_at, capsys):
    """Machines, rate and time left, on standard error."""
    with Progress() as progress:
        progress.begin(np.array([1.0, 1.0, 2.0]), 4)
        clock_at[0] += 2.0
        progress.advance(np.array([0, 1]))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "[dagmar] 4 of 7 machines are in the checkpoint",
        "[dagmar] 6 of 7 machines, 1 per second, 0:00:02 left",
    ]


def test_time_between_lots_does_not_count(clock_at):
    """Only training is measured: what a structure does in between says nothing of the speed."""
    progress = Progress()
    progress.begin(np.ones(1), 0)
    clock_at[0] += 2.0
    progress.advance(np.array([0]))
    progress.end()
    clock_at[0] += 1000.0
    assert progress.seconds == 2.0
    progress.begin(np.ones(1), 0)
    clock_at[0] += 1.0
    assert progress.seconds == 3.0


# ---------------------------------------------------------------------- bar


def test_terminal_has_a_bar(clock_at, monkeypatch):
    """On a terminal the same words stand beside a bar, which is gone in the end."""
    pytest.importorskip("rich")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with Progress() as progress:
        progress.begin(np.array([1.0, 3.0]), 0)
        clock_at[0] += 0.5
        progress.advance(np.array([], dtype=np.int64))
        assert terminal.getvalue() == ""
        clock_at[0] += 0.5
        progress.advance(np.array([0]))
        bar = progress._bar
        assert bar.tasks[0].percentage == 25.0
        assert bar.tasks[0].fields["words"] == "1 of 2 machines, 1 per second, 0:00:03 left"
        progress.end()
        progress.begin(np.array([4.0]), 0)
        progress.advance(np.array([], dtype=np.int64))
        assert bar.tasks[0].total == 8.0
        assert bar.live.is_started
        bar.refresh()
    assert not bar.live.is_started
    assert "lot 2: 1 of 3 machines" in terminal.getvalue()


def test_notebook_has_a_bar_that_stays(clock_at, monkeypatch, capsys):
    """In a kernel the bar is one output of the cell, which is updated; nothing goes to standard error."""
    shown = []

    def display(bundle, *, raw, display_id):
        assert raw
        assert display_id is True
        shown.append(bundle)
        return SimpleNamespace(update=lambda bundle, raw: shown.append(bundle))

    shell = SimpleNamespace(kernel="a kernel")
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    with Progress() as progress:
        progress.begin(np.array([1.0, 3.0]), 0)
        clock_at[0] += 0.5
        progress.advance(np.array([], dtype=np.int64))
        assert not shown
        clock_at[0] += 0.5
        progress.advance(np.array([0]))
        progress.advance(np.array([1]))
    assert [bundle["text/plain"][:40] for bundle in shown] == [
        "[dagmar] .................... 0 % ",
        "[dagmar] #####............... 25 % 1 of ",
        "[dagmar] #################### 100 % 2 of",
    ]
    assert "<progress value='0.2500' max='1'>" in shown[1]["text/html"]
    assert shown[1]["text/html"].endswith("1 of 2 machines, 1 per second, 0:00:03 left")
    assert capsys.readouterr().err == ""


def test_interactive_python_is_no_notebook(monkeypatch):
    """IPython on a terminal has no kernel, and a plain process has no IPython."""
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace()))
    assert not in_notebook()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert not in_notebook()
    monkeypatch.delitem(sys.modules, "IPython")
    assert not in_notebook()


def test_bar_is_gone_when_training_is_stopped(clock_at, monkeypatch):
    """Whatever ends the training leaves the terminal in order."""
    pytest.importorskip("rich")
    monkeypatch.setattr(sys, "stderr", Terminal())
    progress = Progress()

    def stopped():
        with progress:
            progress.begin(np.ones(3), 0)
            clock_at[0] += 2.0
            progress.advance(np.array([0]))
            stopped.bar = progress._bar
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert not stopped.bar.live.is_started


def test_without_rich_a_terminal_has_lines(clock_at, monkeypatch):
    """The bar is an extra; without it there are words."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    for name in ("rich", "rich.console", "rich.progress"):
        monkeypatch.setitem(sys.modules, name, None)
    with Progress() as progress:
        progress.begin(np.ones(2), 0)
        clock_at[0] += 2.0
        progress.advance(np.array([0]))
    assert terminal.getvalue() == "[dagmar] 1 of 2 machines, 0.5 per second, 0:00:02 left\n"


# ---------------------------------------------------------------- estimator


@pytest.mark.parametrize("structure", ["ddag", "fisher_tree"])
def test_verbose_fit_tells_its_progress(letters, structure, monkeypatch, capsys):
    """Lines on standard error while it lasts, and what it cost on standard output in the end."""
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    monkeypatch.setattr(module, "LONGEST_SILENCE", 0.0)
    dagmar.SVC(C=100, tol=1e-9, structure=structure, verbose=1).fit(*letters)
    out, err = capsys.readouterr()
    assert out.startswith("[dagmar] ")
    assert len(out.splitlines()) == 1
    line = r"\[dagmar\] (lot \d+: )?\d+ of \d+ machines, \S+ per second, \d+:\d\d:\d\d left"
    assert all(re.fullmatch(line, told) for told in err.splitlines())


def test_verbose_fit_names_what_the_checkpoint_held(letters, tmp_path, capsys):
    """The user sees that machines were taken up."""
    dagmar.SVC(checkpoint=tmp_path, verbose=True).fit(*letters)
    assert capsys.readouterr().err == ""
    dagmar.SVC(checkpoint=tmp_path, verbose=True).fit(*letters)
    assert capsys.readouterr().err == "[dagmar] 28 of 28 machines are in the checkpoint\n"


def test_quiet_fit_shows_nothing_and_needs_no_rich(letters):
    """verbose=0 makes no bar, nor does a fit need what bars are made of."""
    script = """
        import sys
        sys.modules["rich"] = None
        import numpy as np
        from dagmar import SVC
        from dagmar.machines import progress
        progress.Progress = progress.rich_bar = None
        SVC().fit(np.arange(30.0)[:, None], np.arange(30) % 3)
        assert sys.modules["rich"] is None
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
