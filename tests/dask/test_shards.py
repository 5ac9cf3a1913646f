"""The files of a model in shards: rows and machines by class blocks, checked when they are read."""

from dataclasses import replace

import numpy as np
import pytest
from clusters import equal

import dagmar
from dagmar.dask.blocks import ClassBlock
from dagmar.dask.shards import Description, Shards, open_shards, write_machines, write_rows
from dagmar.files import container
from dagmar.machines.checkpoint import identify
from dagmar.machines.training import TrainSettings, assemble, train
from dagmar.problem.making import ProblemParameters, make_problem
from dagmar.problem.tasks import all_pairs


@pytest.fixture
def fit(seven_blobs):
    """A problem, what is learned from it, and all its machines."""
    problem, learned = make_problem(ProblemParameters(), *seven_blobs)
    return problem, learned, train(problem, all_pairs(7), TrainSettings())


@pytest.fixture
def shards(fit, tmp_path):
    """A folder with a complete model in three blocks: the classes 0 to 2, 3 to 5, and 6."""
    problem, learned, machines = fit
    begin = np.array([0, 3, 6, 7])
    shards = Shards(tmp_path / "model")
    facts = {name: getattr(problem, name) for name in ("kernel", "centre", "precision", "kernel_error", "double_error")}
    parameters = {**dagmar.SVC().get_params(), "random_state": None}
    described = Description(learned, parameters, problem.class_start, begin, **facts, complete=False)
    identity = identify(problem, 1.0, learned.class_weight, TrainSettings(), None)
    shards.claim(described, identity)
    for a in range(3):
        write_rows(ClassBlock.of(problem, *begin[a : a + 2]), str(shards.folder), a)
    for some in (np.arange(0, 21, 2), np.arange(1, 21, 2)):
        write_machines(machines.select(some), str(shards.folder), begin)
    shards.complete(described, identity)
    return shards


def test_machines_come_back_by_blocks_in_the_order_of_pairs(shards, fit):
    """Those between two blocks, whichever files they are in; within a block of one class there are none."""
    machines = fit[2]
    found = shards.machines(0, 1)
    assert found.tasks.pairs.tolist() == [[i, j] for i in (0, 1, 2) for j in (3, 4, 5)]
    places = [machines.tasks.pairs.tolist().index(pair) for pair in found.tasks.pairs.tolist()]
    wanted = machines.select(np.array(places))
    for name in ("begin", "sample", "coef", "bias"):
        assert equal(getattr(found, name), getattr(wanted, name)), name
    assert shards.machines(2, 2) is None


def test_a_bank_of_all_blocks_is_that_of_a_fit(shards, fit):
    """Of some blocks, it has the values of these machines."""
    problem, _, machines = fit
    whole = assemble(problem, machines)
    blocks = [shards.rows(a) for a in range(3)]
    bank, classes = shards.bank(blocks, machines)
    assert classes.tolist() == list(range(7))
    for name in ("support", "index", "coef", "bias", "vectors", "class_start"):
        assert equal(getattr(bank, name), getattr(whole, name)), name
    part, classes = shards.bank(blocks[1:], shards.machines(1, 2))
    assert classes.tolist() == [3, 4, 5, 6]
    i, j = classes[part.pairs].T
    np.testing.assert_allclose(part.values(problem.X), whole.values(problem.X)[:, whole.machine_of[i, j]], atol=1e-12)


def test_machines_in_two_files_count_once(shards, fit):
    """A batch may have been written before its worker was lost."""
    write_machines(fit[2], str(shards.folder), shards.description.begin)
    assert len(shards.machines(0, 1).tasks) == 9
    pairs, not_converged = shards.kept(0, fit[1].classes)
    assert pairs.tolist() == list(range(15))
    assert not_converged == []


def test_damaged_and_lost_files_are_named(shards):
    """Nothing is read from them."""
    some = shards.files(0, 0)[0]
    content = some.read_bytes()
    some.write_bytes(content[:-8])
    with pytest.raises(dagmar.ModelFileError, match=r"machines-0-0-.* cannot be read"):
        shards.machines(0, 0)
    some.unlink()
    with pytest.raises(dagmar.ModelFileError, match=r"has \d of 3 machines between class blocks 0 and 0"):
        shards.machines(0, 0)
    shards.files(0, 1)[0].rename(shards.folder / "machines-0-2-0.dagmar")
    with pytest.raises(dagmar.ModelFileError, match="it has machines of other classes"):
        shards.machines(0, 2)
    (shards.folder / "rows-1.dagmar").rename(shards.folder / "rows-0.dagmar")
    with pytest.raises(dagmar.ModelFileError, match=r"rows-0.dagmar.* cannot be read: it has other classes"):
        shards.rows(0)


def test_folders_without_a_complete_model_are_refused(shards, tmp_path):
    """The message says what to do. A folder with a model of other data is not used for this one."""
    with pytest.raises(dagmar.ModelFileError, match="not the folder of a model in shards"):
        _ = Shards(tmp_path / "elsewhere").description
    described = shards.description
    with pytest.raises(dagmar.CheckpointError, match=r"What differs: C \(1.0, now 2.0\)"):
        shards.claim(described, {**_problem_of(shards), "C": "2.0"})
    (shards.folder / "model.dagmar").unlink()
    with pytest.raises(dagmar.CheckpointError, match=r"has machines, but no model\.dagmar"):
        shards.claim(described, {})
    for path in shards.folder.glob("machines-*"):
        path.unlink()
    shards.claim(replace(described, complete=True), {})
    with pytest.raises(dagmar.ModelFileError, match=r"not complete: dagmar\.dask\.train_sharded continues"):
        _ = Shards(shards.folder).description
    assert open_shards(str(shards.folder), 1) is open_shards(str(shards.folder), 1)


def _problem_of(shards):
    return container.read(shards.folder / "model.dagmar")[0]["problem"]
