"""The workshop on a cluster: names of batches, and what it tells while machines finish."""

import numpy as np
from clusters import a_problem

from dagmar.dask.workshop import ClusterWorkshop, name_of
from dagmar.machines.training import TrainSettings
from dagmar.problem.tasks import all_pairs, each_against_rest, some_pairs


def test_watchers_are_told_every_machine_once(cluster, seven_blobs):
    """Batches are reported as they finish, by their places in the lot."""
    told = []

    class Watcher:
        def begin(self, work, n_kept):
            told.append((len(work), n_kept))

        def advance(self, machines):
            told.extend(machines.tolist())

        def end(self):
            told.append("end")

    workshop = ClusterWorkshop(cluster, np.arange(7), a_problem(*seven_blobs), TrainSettings(), watchers=[Watcher()])
    workshop.train(all_pairs(7))
    workshop.close()
    assert told[0] == (21, 0)
    assert told[-1] == "end"
    assert sorted(told[1:-1]) == list(range(21))


def test_names_are_those_of_the_labels():
    """A person can read them; texts are quoted, so that Dask sees one kind of task."""
    from dask.utils import key_split

    labels = np.array(["ant", "bee", "cat", "dog", "elk"])
    assert name_of(some_pairs([(1, 3)]), labels) == "pairs-'bee'-vs-'dog'"
    assert name_of(each_against_rest(5), labels) == "groups-'bee'+'cat'+'dog'+...-vs-'ant'-and-4-more"
    assert name_of(some_pairs([(0, 1)]), np.array([3, 7])) == "pairs-3-vs-7"
    assert name_of(some_pairs([(0, 1)]), np.array([0.5, "x"], dtype=object)) == "pairs-0.5-vs-'x'"
    assert key_split(name_of(some_pairs([(1, 3)]), labels)) == "pairs"
    for kind in (
        "facts-of-rows",
        "fetch-rows",
        "check-rows",
        "predict-blocks",
        "predict-proba-blocks",
        "decision-blocks",
    ):
        assert key_split(f"{kind}-0123456789abcdef") == kind
