"""Checkpoints: a fit that was stopped, by whatever, is taken up and ends with the same bits."""

import contextlib
import io
import json
import os
import random
import subprocess
import sys
import textwrap
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from children import SIGNALS
from helpers import letter_like, problem_of
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score

import dagmar
from dagmar.base.exceptions import CheckpointError, InvalidParameterError
from dagmar.machines import checkpoint as module
from dagmar.machines.checkpoint import Checkpoint, explain_differences, flatten, identify, rebuild
from dagmar.machines.training import TrainedMachines, TrainSettings
from dagmar.machines.training import train as train_machines
from dagmar.problem.tasks import Tasks, all_pairs, each_against_rest

ARRAYS = ["begin", "index", "coef", "bias", "support", "class_start"]
REPORT = ["iterations", "gap", "objective", "norm2", "converged", "refined"]


class Stopped(Exception):
    """Something that ends a fit half-way."""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "deep" / "folder"


@pytest.fixture
def stop(monkeypatch):
    """A function that has the next fit stop after a number of machines; what was finished until then is kept."""
    whole = Checkpoint.add

    def after(n):
        def add(self, machines):
            some = machines.select(np.arange(min(n, len(machines.tasks))))
            whole(self, some)
            raise Stopped

        monkeypatch.setattr(Checkpoint, "add", add)

    after.never = lambda: monkeypatch.setattr(Checkpoint, "add", whole)
    return after


@pytest.fixture
def trained(monkeypatch):
    """The number of machines that were trained, and not taken from a folder."""
    counts = []
    whole = Checkpoint.add

    def add(self, machines):
        counts.append(len(machines.tasks))
        whole(self, machines)

    monkeypatch.setattr(Checkpoint, "add", add)
    return counts


def assert_same(a, b):
    """Two fitted models are equal to the bit, in machines, report and plan."""
    for name in ARRAYS:
        here, there = getattr(a.bank_, name), getattr(b.bank_, name)
        assert here.dtype == there.dtype
        assert here.tobytes() == there.tobytes(), name
    for name in REPORT:
        np.testing.assert_array_equal(getattr(a.report_, name), getattr(b.report_, name), err_msg=name)
    np.testing.assert_array_equal(a.bank_.tasks.classes, b.bank_.tasks.classes)
    assert a.bank_.precision == b.bank_.precision


def lots(folder):
    return sorted(folder.glob("dagmar-*.npz"))


# --------------------------------------------------------------------- taking up

WAYS = {
    "pairs": {},
    "rest": {"structure": "one_vs_rest"},
    "tree": {"structure": "fisher_tree"},
    "groups": {"structure": dagmar.FisherTree(machines="groups")},
    "lots of pairs": {"structure": "divide_and_conquer"},
    "single": {"precision": "single", "tol": 1e-6},
    "soft": {"soft_labels": 5, "structure": "one_vs_rest"},
    "balanced": {"class_weight": "balanced"},
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "coef0": 1.0, "degree": 2},
    "laplacian": {"kernel": "laplacian"},
}


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_stopped_fit_is_taken_up(letters, folder, stop, way, n_jobs):
    """Stopped after some machines, again and again, a fit ends as if nothing had been."""
    given = {"C": 5, "gamma": 0.5, "n_jobs": n_jobs, **WAYS[way]}
    for n in (3, 1, 2):
        stop(n)
        with pytest.raises(Stopped):
            dagmar.SVC(**given, checkpoint=folder).fit(*letters)
    stop.never()
    assert_same(dagmar.SVC(**given, checkpoint=folder).fit(*letters), dagmar.SVC(**given).fit(*letters))


@pytest.mark.parametrize("kind", ["sparse", "float32", "precomputed", "callable", "weights"])
def test_every_kind_of_input_is_taken_up(letters, folder, stop, kind):
    """Sparse samples, kernel matrices, kernel functions and weights, too."""
    X, y = letters
    weight = np.where(np.arange(len(y)) % 5 == 0, 2.0, 1.0) if kind == "weights" else None
    kernel = {"precomputed": "precomputed", "callable": lambda A, B: rbf_kernel(A, B, gamma=0.5)}.get(kind, "rbf")
    X = {"sparse": sp.csr_matrix, "float32": np.float32, "precomputed": rbf_kernel}.get(kind, np.asarray)(X)
    stop(4)
    with pytest.raises(Stopped):
        dagmar.SVC(kernel=kernel, checkpoint=str(folder)).fit(X, y, weight)
    stop.never()
    resumed = dagmar.SVC(kernel=kernel, checkpoint=str(folder)).fit(X, y, weight)
    assert_same(resumed, dagmar.SVC(kernel=kernel).fit(X, y, weight))


def test_second_fit_trains_nothing(letters, folder, trained):
    """The folder stays: the same fit again finds all its machines there, and writes nothing."""
    first = dagmar.SVC(checkpoint=folder).fit(*letters)
    assert sum(trained) == 28
    trained.clear()
    before = {p: p.stat().st_mtime_ns for p in folder.iterdir()}
    assert_same(dagmar.SVC(checkpoint=folder).fit(*letters), first)
    assert sum(trained) == 0
    assert {p: p.stat().st_mtime_ns for p in folder.iterdir()} == before


def test_what_changes_no_machine_may_change(letters, folder, trained):
    """Structure, threads, memory and what is shown do not matter, nor how a number was given."""
    X, y = letters
    gamma = 1.0 / (X.shape[1] * X.var())
    dagmar.SVC(checkpoint=folder).fit(X, y)
    trained.clear()
    others = [
        {"structure": "max_wins"},
        {"n_jobs": 2, "cache_size": 1.0},
        {"gamma": gamma},
        {"coef0": 3.0, "degree": 7, "shrinking": False, "random_state": 1, "decision_function_shape": "ovo"},
        {"precision": "single"},  # what "auto" chooses for this data
        {"class_weight": {0: 1.0}},
    ]
    for given in others:
        clf = dagmar.SVC(**given, checkpoint=folder).fit(X, y)
        assert_same(clf, dagmar.SVC(**given).fit(X, y))
    dagmar.SVC(checkpoint=folder).fit(X.tolist(), [str(label) for label in y], np.ones(len(y)))
    assert sum(trained) == 0


def test_structures_share_a_folder(letters, folder, trained):
    """A tree takes the pairs that a DDAG left, and adds what else it needs."""
    dagmar.SVC(checkpoint=folder).fit(*letters)
    trained.clear()
    for structure in ("fisher_tree", "adaptive_ddag", dagmar.FisherTree(machines="groups"), "one_vs_rest"):
        clf = dagmar.SVC(structure=structure, checkpoint=folder).fit(*letters)
        assert_same(clf, dagmar.SVC(structure=structure).fit(*letters))
    tree = dagmar.SVC(structure=dagmar.FisherTree(machines="groups")).fit(*letters)
    n_groups = sum(np.diff(tree.bank_.tasks.begin) > 2)
    assert sum(trained) == n_groups + 8  # and every class against the rest


def test_restructure_uses_the_folder(letters, folder, trained):
    """Machines that restructure trains are kept, too, and those kept are not trained."""
    tree = dagmar.SVC(structure="fisher_tree", checkpoint=folder).fit(*letters)
    pairs = tree.restructure("max_wins", *letters)
    assert sum(trained) == 28
    tree.restructure("ddag", *letters)
    assert sum(trained) == 28
    assert_same(pairs.restructure("ddag"), dagmar.SVC().fit(*letters).restructure("ddag"))


def test_interrupted_fit_leaves_the_estimator_and_keeps_the_machines(letters, folder, stop):
    """The estimator is as it was, and what was finished is on disk."""
    clf = dagmar.SVC(checkpoint=folder)
    before = dict(clf.__dict__)
    stop(5)
    with pytest.raises(Stopped):
        clf.fit(*letters)
    assert clf.__dict__ == before
    with np.load(lots(folder)[0], allow_pickle=False) as arrays:
        assert len(arrays["bias"]) == 5


# -------------------------------------------------------------------- refusals


def refused(folder, X, y, weight=None, **given):
    before = {p: p.read_bytes() for p in folder.iterdir()}
    with pytest.raises(CheckpointError, match="is of another fit") as caught:
        dagmar.SVC(**given, checkpoint=folder).fit(X, y, weight)
    assert {p: p.read_bytes() for p in folder.iterdir()} == before
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "there", "here", "told"),
    [
        ("C", 1.0, 2.0, "C (1.0, now 2.0)"),
        ("C", 1.0, np.inf, "C (1.0, now inf)"),
        ("gamma", 0.5, 0.25, "gamma (0.5, now 0.25)"),
        ("kernel", "rbf", "linear", "kernel (rbf, now linear)"),
        ("kernel", "rbf", rbf_kernel, "kernel (rbf, now precomputed)"),
        ("coef0", 0.0, 1.0, "coef0 (0.0, now 1.0)"),
        ("degree", 3, 4, "degree (3, now 4)"),
        ("tol", 1e-3, 1e-4, "tol (0.001, now 0.0001)"),
        ("max_iter", -1, 1000000, "max_iter (-1, now 1000000)"),
        ("class_weight", None, "balanced", "class_weight"),
        ("precision", "double", "single", "precision (double, now single)"),
        ("soft_labels", None, 3, "soft_labels (None, now 3)"),
    ],
)
def test_other_parameters_are_refused_by_name(three_blobs, folder, name, there, here, told):
    """A parameter that changes the machines is noticed, and named with both values."""
    X, y = three_blobs[0][1:], three_blobs[1][1:]  # classes of unequal size
    given = {"kernel": "poly"} if name in ("coef0", "degree") else {}
    dagmar.SVC(**{**given, name: there}, checkpoint=folder).fit(X, y)
    message = refused(folder, X, y, **{**given, name: here})
    assert told in message
    assert "Name another folder, or delete this one" in message
    if name != "kernel":
        assert f"What differs: {told}. " in message


def test_other_data_are_refused_by_name(three_blobs, folder):
    """X, y and weights are distinguished; one changed bit is enough."""
    X, y = three_blobs
    dagmar.SVC(gamma=1.0, checkpoint=folder).fit(X, y)
    nudged = X.copy()
    nudged[7, 1] = np.nextafter(nudged[7, 1], 9)
    assert "What differs: X (90 x 2 float64 " in refused(folder, nudged, y, gamma=1.0)
    assert "now 89 x 2" in refused(folder, X[1:], y[1:], gamma=1.0)
    assert "float32" in refused(folder, X.astype(np.float32), y, gamma=1.0)
    assert "sparse" in refused(folder, sp.csr_matrix(X), y, gamma=1.0)
    swapped = y.copy()
    swapped[[0, np.flatnonzero(y != y[0])[0]]] = swapped[[np.flatnonzero(y != y[0])[0], 0]]
    assert "What differs: y. " in refused(folder, X, swapped, gamma=1.0)
    weight = np.ones(len(y))
    weight[3] = 2.0
    assert "What differs: sample_weight. " in refused(folder, X, y, weight, gamma=1.0)
    assert "X (" in refused(folder, X[::-1], y[::-1], gamma=1.0)


def test_another_version_is_refused(three_blobs, folder, monkeypatch):
    """Another release may train to other bits: it says so."""
    dagmar.SVC(checkpoint=folder).fit(*three_blobs)
    here = module.version("dagmar")
    monkeypatch.setattr(module, "version", lambda name: "99.0")
    assert f"What differs: dagmar version ({here}, now 99.0). " in refused(folder, *three_blobs)


def test_other_arithmetic_is_told_where_nothing_else_differs(three_blobs, folder, monkeypatch):
    """Machines of another kind of processor are not mixed with those of this one."""
    dagmar.SVC(checkpoint=folder).fit(*three_blobs)
    monkeypatch.setattr(module.platform, "machine", lambda: "abacus")
    assert "What differs: arithmetic (" in refused(folder, *three_blobs)
    assert "What differs: C (1.0, now 2.0). " in refused(folder, *three_blobs, C=2.0)


@pytest.mark.parametrize("value", [3, "", b"folder", True, ["folder"]])
def test_checkpoint_must_be_a_path(three_blobs, value):
    """Anything but a path is refused at the door."""
    with pytest.raises(InvalidParameterError, match="The 'checkpoint' parameter of SVC must be None or a str or"):
        dagmar.SVC(checkpoint=value).fit(*three_blobs)


# ------------------------------------------------------------- folders and damage


def test_a_file_is_no_folder(three_blobs, tmp_path):
    """A file where the folder should be is left alone."""
    path = tmp_path / "notes"
    path.write_text("mine")
    with pytest.raises(CheckpointError, match="is a file; a folder is wanted"):
        dagmar.SVC(checkpoint=path).fit(*three_blobs)
    assert path.read_text() == "mine"


def test_other_things_in_the_folder_are_left_alone(three_blobs, tmp_path):
    """Whatever else is there, also under names that look alike, does not matter and stays."""
    others = ["notes.txt", "manifest.json", "model.npz", "dagmar-model.npz", "work.tmp", f"dagmar-{'0' * 31}.npz"]
    for name in others:
        (tmp_path / name).write_text("mine")
    (tmp_path / "dagmar-folder").mkdir()
    dagmar.SVC(checkpoint=tmp_path).fit(*three_blobs)
    dagmar.SVC(checkpoint=tmp_path).fit(*three_blobs)
    assert all((tmp_path / name).read_text() == "mine" for name in others)
    assert len(list(tmp_path.iterdir())) == len(others) + 3


@pytest.mark.skipif(module.fcntl is None, reason="this system has no file locks")
def test_leftover_temporaries_are_removed(three_blobs, folder):
    """What a killed process left half-written is neither read nor kept; what is being written is left alone."""
    folder.mkdir(parents=True)
    (folder / "dagmar-0123.tmp").write_bytes(b"half a fi")
    busy = folder / "dagmar-4567.tmp"
    with busy.open("wb") as file:
        module.fcntl.flock(file, module.fcntl.LOCK_EX)
        dagmar.SVC(checkpoint=folder).fit(*three_blobs)
        assert list(folder.glob("*.tmp")) == [busy]
    dagmar.SVC(checkpoint=folder).fit(*three_blobs)
    assert not list(folder.glob("*.tmp"))


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "swap"])
def test_damaged_lot_is_trained_again(three_blobs, folder, stop, damage):
    """A lot that is not what was written is reported, and its machines are trained again."""
    stop(1)
    with pytest.raises(Stopped):
        dagmar.SVC(checkpoint=folder).fit(*three_blobs)
    stop.never()
    dagmar.SVC(checkpoint=folder).fit(*three_blobs)
    one, other = lots(folder)
    content = bytearray(one.read_bytes())
    content[len(content) // 2] ^= 1
    one.write_bytes({"cut": content[:-9], "flip": content, "empty": b"", "swap": other.read_bytes()}[damage])
    with pytest.warns(UserWarning, match="is damaged: its machines are trained again"):
        clf = dagmar.SVC(checkpoint=folder).fit(*three_blobs)
    assert_same(clf, dagmar.SVC().fit(*three_blobs))
    assert_same(dagmar.SVC(checkpoint=folder).fit(*three_blobs), clf)


@pytest.mark.parametrize(
    ("words", "told"),
    [("", "cannot be read"), ("{", "cannot be read"), ("[]", "cannot be read"), ('{"format": 2}', "cannot be read"),
     ('{"format": 3, "problem": {}}', "has format 3, not 2"), ('{"format": 2, "problem": {}}', "is of another fit")],
)  # fmt: skip
def test_damaged_manifest_is_a_clear_error(three_blobs, folder, words, told):
    """Where it is not known what the folder serves, it serves nobody."""
    dagmar.SVC(checkpoint=folder).fit(*three_blobs)
    (folder / module.MANIFEST).write_text(words)
    with pytest.raises(CheckpointError, match=rf"{told}.*delete this one to begin anew"):
        dagmar.SVC(checkpoint=folder).fit(*three_blobs)


DEEP = "[" * 10**5 + "]" * 10**5
STRANGE = {
    "deep": '{"format": 2, "problem": ' + DEEP + "}",
    "deep format": '{"format": ' + "[" * 500 + "]" * 500 + ', "problem": {}}',
    "deep entry": '{"format": 2, "problem": {"C": ' + "[" * 500 + "]" * 500 + "}}",
    "list": "[1, 2]",
    "number": "1e400",
    "no problem": '{"format": 2}',
    "problem of numbers": '{"format": 2, "problem": [1, 2, 3]}',
    "entries of numbers": '{"format": 2, "problem": {"X": 3, "C": null}}',
    "format of another type": '{"format": "1", "problem": {}}',
    "not text": b"\xff\xfe\x00",
}


@pytest.mark.parametrize("kind", STRANGE)
def test_strange_manifests_are_refused(three_blobs, folder, kind):
    """Whatever JSON may hold, a manifest that is none is a CheckpointError."""
    folder.mkdir(parents=True)
    words = STRANGE[kind]
    (folder / module.MANIFEST).write_bytes(words if isinstance(words, bytes) else words.encode())
    with pytest.raises(CheckpointError, match="cannot be read"):
        dagmar.SVC(checkpoint=folder).fit(*three_blobs)


def _with(array, place, value):
    array = array.copy()
    array[place] = value
    return array


LOT_DAMAGE = {
    "sample outside": lambda lot: {"sample": _with(lot["sample"], -1, 10**6)},
    "sample below zero": lambda lot: {"sample": _with(lot["sample"], 0, -1)},
    "samples out of order": lambda lot: {"sample": _with(lot["sample"], 1, lot["sample"][0])},
    "samples of another type": lambda lot: {"sample": lot["sample"].astype(np.int64)},
    "samples in a table": lambda lot: {"sample": lot["sample"][None]},
    "begin beyond": lambda lot: {"begin": _with(lot["begin"], -1, 10**6)},
    "begin that goes back": lambda lot: {"begin": _with(lot["begin"], 1, 10**6)},
    "begin that is empty": lambda lot: {"begin": lot["begin"][:0]},
    "short coef": lambda lot: {"coef": lot["coef"][:-1]},
    "coef of texts": lambda lot: {"coef": lot["coef"].astype(str)},
    "coef of NaN": lambda lot: {"coef": _with(lot["coef"], 0, np.nan)},
    "short bias": lambda lot: {"bias": lot["bias"][:-1]},
    "no bias": lambda lot: {"bias": None},
    "no tasks": lambda lot: {"tasks.begin": None},
    "tasks beyond": lambda lot: {"tasks.begin": _with(lot["tasks.begin"], -1, 99)},
    "short sides": lambda lot: {"tasks.sides": lot["tasks.sides"][:-1]},
    "short report": lambda lot: {"report.gap": lot["report.gap"][:-1]},
    "report of another type": lambda lot: {"report.status": lot["report.status"].astype(float)},
    "gammas that are not wanted": lambda lot: {"gammas": np.ones(3)},
    "no machines": lambda lot: {name: None for name in lot if name != "problem"},
}


@pytest.mark.parametrize("damage", LOT_DAMAGE)
def test_lots_with_a_good_checksum_are_checked(three_blobs, folder, damage):
    """A lot that was written by somebody else, with the right name, is refused if its arrays are no machines."""
    dagmar.SVC(checkpoint=folder).fit(*three_blobs)
    (path,) = lots(folder)
    with np.load(path) as arrays:
        lot = dict(arrays)
    lot |= LOT_DAMAGE[damage](lot)
    path.unlink()
    _write_lot(folder, {name: array for name, array in lot.items() if array is not None})
    with pytest.raises(CheckpointError, match="does not hold machines"):
        dagmar.SVC(checkpoint=folder).fit(*three_blobs)


def _write_lot(folder, arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    content = buffer.getvalue()
    (folder / f"dagmar-{module._checksum(content)}.npz").write_bytes(content)


def test_lots_of_any_bytes_are_refused(three_blobs, folder):
    """Bytes that are no archive, or an archive of other things, with the right name."""
    dagmar.SVC(checkpoint=folder).fit(*three_blobs)
    whole = lots(folder)[0].read_bytes()
    lots(folder)[0].unlink()
    rng = random.Random(0)
    for _ in range(200):
        content = bytearray(whole)
        for _ in range(rng.randint(1, 40)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        path = folder / f"dagmar-{module._checksum(bytes(content))}.npz"
        path.write_bytes(content)
        with contextlib.suppress(CheckpointError), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of NumPy, about what it reads
            dagmar.SVC(checkpoint=folder).fit(*three_blobs)
        for lot in lots(folder):
            lot.unlink()


def test_lot_of_another_fit_is_refused(three_blobs, tmp_path):
    """A lot that was put into the folder of another problem is not taken for one of its own."""
    one, other = tmp_path / "one", tmp_path / "other"
    dagmar.SVC(checkpoint=one).fit(*three_blobs)
    dagmar.SVC(C=2, checkpoint=other).fit(*three_blobs)
    (path,) = lots(one)
    path.rename(other / path.name)
    with pytest.raises(CheckpointError, match="is of another fit"):
        dagmar.SVC(C=2, checkpoint=other).fit(*three_blobs)


def test_lost_manifest_loses_nothing(three_blobs, folder, trained):
    """Lots know whose they are, so the manifest can be written again."""
    dagmar.SVC(checkpoint=folder).fit(*three_blobs)
    (folder / module.MANIFEST).unlink()
    trained.clear()
    dagmar.SVC(checkpoint=folder).fit(*three_blobs)
    assert sum(trained) == 0
    assert (folder / module.MANIFEST).exists()


def test_full_disk_stops_nothing(three_blobs, folder, monkeypatch):
    """Where nothing can be written, the fit says so once and goes on."""

    def full(descriptor):
        raise OSError(28, "No space left on device")

    dagmar.SVC(checkpoint=folder).fit(*three_blobs)
    lots(folder)[0].unlink()
    monkeypatch.setattr(module.os, "fsync", full)
    with pytest.warns(UserWarning, match="cannot be kept in the checkpoint: .*No space left") as caught:
        clf = dagmar.SVC(checkpoint=folder).fit(*three_blobs)
    assert len(caught) == 1
    assert_same(clf, dagmar.SVC().fit(*three_blobs))
    assert not lots(folder)
    assert not list(folder.glob("*.tmp"))


def test_fits_at_the_same_time_do_not_disturb_each_other(letters, folder, monkeypatch):
    """Threads that fit the same problem into the same folder all end with the same model."""
    monkeypatch.setattr(module, "SECONDS", 0.0)
    with ThreadPoolExecutor(4) as pool:
        fitted = [pool.submit(dagmar.SVC(tol=1e-8, checkpoint=folder).fit, *letters) for _ in range(8)]
        models = [future.result() for future in fitted]
    for model in [*models, dagmar.SVC(tol=1e-8, checkpoint=folder).fit(*letters)]:
        assert_same(model, dagmar.SVC(tol=1e-8).fit(*letters))


def test_of_two_problems_at_the_same_time_one_is_refused(three_blobs, tmp_path):
    """However close the race for a new folder, it serves one problem in the end."""
    for race in range(50):
        folder, start = tmp_path / str(race), threading.Barrier(2)
        folder.mkdir()

        def claim(C, folder=folder, start=start):
            problem = {"C": str(C)}
            start.wait()
            try:
                Checkpoint(folder, problem)
            except CheckpointError:
                return 0
            return 1

        with ThreadPoolExecutor(2) as pool:
            assert sum(pool.map(claim, (1, 2))) == 1
        assert len(list(folder.iterdir())) == 1


@pytest.mark.skipif(module.fcntl is None, reason="this system has no file locks")
def test_file_cleaned_away_before_it_was_locked_is_made_again(folder, monkeypatch):
    """Another fit may come between the making of a file and its lock, and take it for that of a dead one."""
    lock, cleanings = module.fcntl.flock, []

    def late(file, how):
        if not how & module.fcntl.LOCK_NB and len(cleanings) < 3:
            cleanings.append(None)
            Checkpoint._clean(kept)
        lock(file, how)

    kept = Checkpoint(folder, {})
    (folder / module.MANIFEST).unlink()
    monkeypatch.setattr(module.fcntl, "flock", late)
    assert kept.folder == Checkpoint(folder, {}).folder
    assert len(cleanings) == 3
    assert [path.name for path in folder.iterdir()] == [module.MANIFEST]


# ------------------------------------------------------------------------- files


def test_files_are_few(folder):
    """Machines that come in a rush are written together, not one by one."""
    data = letter_like(seed=6, n_classes=60, per_class=5)
    dagmar.SVC(checkpoint=folder).fit(*data)
    assert len(lots(folder)) < 5


def test_lots_are_written_by_time_and_by_size(three_blobs, folder, monkeypatch):
    """After a second, more and more rarely as hours go by, or when much has come together."""
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    problem = problem_of(*three_blobs)
    machines = train_machines(problem, all_pairs(3), TrainSettings())
    kept = Checkpoint(folder, {})
    for t in (0.5, 0.9, 1.1, 1.5, 2.0, 2.05):
        now[0] = t
        kept.add(machines)
    assert len(lots(folder)) == 1
    now[0] = 3600.0
    kept.add(machines)
    assert len(lots(folder)) == 2
    for t in (3610.0, 3630.0):
        now[0] = t
        kept.add(machines)
    assert len(lots(folder)) == 2
    monkeypatch.setattr(module, "BYTES", 100)
    kept.add(machines)
    assert len(lots(folder)) == 2  # three again, as in the first lot: the same bytes, the same name
    with np.load(lots(folder)[0], allow_pickle=False) as arrays:
        assert set(arrays.files) == {"problem", *flatten(machines)}


def test_manifest_can_be_read_by_people(three_blobs, folder):
    """It is JSON that says what the folder is for."""
    dagmar.SVC(C=2, gamma=0.5, checkpoint=folder).fit(*three_blobs)
    manifest = json.loads((folder / module.MANIFEST).read_text())
    assert manifest["format"] == 2
    assert manifest["problem"]["C"] == "2.0"
    assert manifest["problem"]["gamma"] == "0.5"
    assert manifest["problem"]["X"].startswith("90 x 2 float64 ")


def test_machines_survive_as_arrays(three_blobs):
    """Flat arrays and back again: everything is there, types and all."""
    machines = train_machines(problem_of(*three_blobs), each_against_rest(3), TrainSettings())
    back = rebuild(TrainedMachines, flatten(machines))
    assert isinstance(back.tasks, Tasks)
    for name, array in flatten(machines).items():
        there = flatten(back)[name]
        assert there.dtype == array.dtype
        np.testing.assert_array_equal(there, array)


def test_questions_are_told_apart_by_their_order(three_blobs, folder):
    """The same classes and sides in another order train to other bits, so they are not the same question."""
    problem = problem_of(*three_blobs)
    tasks = each_against_rest(3)
    with Checkpoint(folder, {}) as kept:
        kept.add(train_machines(problem, tasks, TrainSettings()))
    there, (machines,) = Checkpoint(folder, {}).find(tasks.select(np.array([2, 0])))
    np.testing.assert_array_equal(there, [0, 1])
    np.testing.assert_array_equal(machines.tasks.sides, tasks.select(np.array([2, 0])).sides)
    turned = Tasks(tasks.begin, tasks.classes[::-1].copy(), tasks.sides[::-1].copy())
    assert len(Checkpoint(folder, {}).find(turned)[0]) == 0
    assert len(Checkpoint(folder, {}).find(all_pairs(3))[0]) == 0


def test_identity_names_every_parameter_that_trains(three_blobs):
    """What the core is given and can change a bit is in the list."""
    problem = problem_of(*three_blobs, kernel="poly", coef0=1.0)
    names = identify(problem, 1.0, np.ones(3), TrainSettings(), None)
    assert {"X", "y", "C", "kernel", "gamma", "coef0", "degree", "tol", "max_iter", "precision"} <= set(names)
    assert all(isinstance(value, str) for value in names.values())


def test_identity_knows_which_features_have_levels(three_blobs):
    """Features that are multiplied as integers give kernel values with other last bits, so machines are not mixed."""
    problem = problem_of(*three_blobs)
    levelled = replace(problem, codes=np.zeros(3 * problem.X.shape[1]))
    there, here = (identify(p, 1.0, np.ones(3), TrainSettings(), None) for p in (problem, levelled))
    assert explain_differences(there, here).startswith("arithmetic (")


# -------------------------------------------------------------------------- kill

KILLED = """
    import numpy as np
    from dagmar import SVC
    from dagmar.machines import checkpoint

    checkpoint.SECONDS = checkpoint.SHARE = 0.0  # write whenever there is something
    with np.load({data!r}) as stored:
        X, y = stored["X"], stored["y"]
    print("ready", flush=True)
    clf = SVC(C=1000, gamma=1.0, precision="double", checkpoint={folder!r}, **{given!r}).fit(X, y)
    np.savez({out!r}, **{{name: getattr(clf.bank_, name) for name in {arrays!r}}})
"""


def run_and_kill(script, seconds):
    """Run a script and kill it so long after it said that it is ready, None for never; whether it came to its end."""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        try:
            return process.wait(timeout=seconds) == 0
        except subprocess.TimeoutExpired:
            process.kill()
            return False


def assert_killed_fit_is_taken_up(tmp_path, rounds, n, given):
    """Kill a fit at random moments; what it ends with has the very bytes of an undisturbed one."""
    out, folder = tmp_path / "bank.npz", tmp_path / "kept"
    X, y = np.random.default_rng(0).random((n, 4)), np.arange(n) % 30  # noise takes long
    whole = dagmar.SVC(C=1000, gamma=1.0, precision="double", **given).fit(X, y).bank_
    data = tmp_path / "data.npz"
    np.savez(data, X=X, y=y)
    script = textwrap.dedent(KILLED).format(
        data=str(data), folder=str(folder), given=given, out=str(out), arrays=ARRAYS
    )
    moments = random.Random(rounds)
    kept = [0]
    for _ in range(rounds):
        run_and_kill(script, moments.uniform(0.05, 0.4))
        kept.append(len(lots(folder)))
    assert kept == sorted(kept)
    assert kept[-1] > 0
    assert run_and_kill(script, None)
    with np.load(out) as here:
        for name in ARRAYS:
            assert here[name].tobytes() == getattr(whole, name).tobytes(), name
    assert not list(folder.glob("*.tmp"))


def test_killed_fit_is_taken_up(tmp_path):
    """Twice SIGKILL, and the same bytes in the end."""
    assert_killed_fit_is_taken_up(tmp_path, 2, 1200, {"n_jobs": 1})


@pytest.mark.slow
@pytest.mark.parametrize("given", [{"n_jobs": 1}, {"n_jobs": 2, "structure": "fisher_tree"}])
def test_fit_killed_many_times_is_taken_up(tmp_path, given):
    """Twenty times SIGKILL, and the same bytes in the end."""
    assert_killed_fit_is_taken_up(tmp_path, 20, 2400, given)


@SIGNALS
def test_ctrl_c_keeps_what_was_finished(tmp_path):
    """KeyboardInterrupt writes what has been finished before it is raised."""
    folder = tmp_path / "kept"
    script = f"""
        import os, signal, sys, threading
        import numpy as np
        from dagmar import SVC

        signal.signal(signal.SIGINT, signal.default_int_handler)
        X, y = np.random.default_rng(0).random((2400, 4)), np.arange(2400) % 30
        SVC().fit(X[:90], y[:90])  # so that nothing is loaded within the time
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            SVC(C=1000, gamma=1.0, precision="double", checkpoint={str(folder)!r}).fit(X, y)
        except KeyboardInterrupt:
            sys.exit(3)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], timeout=60, check=False)
    assert done.returncode == 3
    n_kept = 0
    for path in lots(folder):
        with np.load(path, allow_pickle=False) as arrays:
            n_kept += len(arrays["bias"])
    assert 0 < n_kept < 435
    assert not list(folder.glob("*.tmp"))


def test_folder_of_another_place_can_be_used(three_blobs, tmp_path, monkeypatch):
    """A relative path is one from where the process stands, and a path object is as good as a string."""
    monkeypatch.chdir(tmp_path)
    dagmar.SVC(checkpoint="here").fit(*three_blobs)
    dagmar.SVC(checkpoint=Path("here")).fit(*three_blobs)
    assert os.listdir(tmp_path) == ["here"]


def test_cross_validation_is_told_why_it_cannot_use_a_checkpoint(three_blobs, folder):
    """Clones that are fitted on parts of the data meet the folder of another part; the error says so."""
    X, y = three_blobs
    with pytest.raises(CheckpointError, match=r"serves the fits of one problem.*Cross-validation.*checkpoint=None"):
        cross_val_score(dagmar.SVC(checkpoint=folder), X, y, cv=3, error_score="raise")
