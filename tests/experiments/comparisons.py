"""Results of comparisons that nobody ran, and a small set, for tests of the workbench."""

import numpy as np

from experiments.compare.cube import Cube
from experiments.compare.schemes import scheme_of
from experiments.compare.sets import Source

SCHEMES = ("max_wins", "ddag", "forest", "neighbours")
SETS = ("iris", "wine", "glass", "mnist", "mnist7x7", "banana")


def told(**changes):
    """The description of a set."""
    shape = {"rows": 100, "all_rows": 200, "features": 4, "classes": 3, "least_per_class": 20}
    return {**shape, "largest_class": 0.4, "two_valued": 0.0, "digest": "0", **changes}


def found(accuracy, **changes):
    """What a step finds."""
    numbers = {"accuracy": accuracy, "balanced_accuracy": accuracy, "tuning_accuracy": accuracy, "seconds": 1.0}
    costs = {"wall_seconds": 1.0, "predict_us": 2.0, "machines": 3.0, "kernel_evaluations": 50.0, "cells": 17}
    return {**numbers, **costs, "parameters": {"C": 4.0}, "warnings": {}, "run": 0, **changes}


def content(accuracy=None, sets=SETS, schemes=SCHEMES, splits=4):
    """The content of a file of results; `accuracy` takes set, split and scheme."""
    accuracy = accuracy or (lambda name, number, scheme: 90.0 - schemes.index(scheme) + 0.1 * number)
    steps = {
        f"{name}/{number}/{scheme}": found(accuracy(name, number, scheme), seconds=1.0 + schemes.index(scheme))
        for number in range(splits)
        for name in sets
        for scheme in schemes
    }
    environment = {
        "cpu": "a processor",
        "cores": 2,
        "instructions": "plain",
        "system": "Linux",
        "versions": {"python": "3"},
    }
    return {
        "settings": {"rows": 2000, "seed": 0, "threads": 1},
        "runs": [{"commit": "c" * 40, "clean": True, "date": "2026-01-01 00:00", "environment": environment}],
        "sets": {name: told() for name in sets},
        "schemes": {
            name: {"kind": scheme_of(name).kind.name, "words": scheme_of(name).words, "recipe": ""} for name in schemes
        },
        "steps": steps,
    }


def cube(*arguments, **keywords):
    """The cube of such content."""
    return Cube.of(content(*arguments, **keywords))


def rows(n=90):
    """X and y of three classes that overlap a little."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    return y[:, None] + 0.4 * rng.normal(size=(n, 2)), y


def small(name="small"):
    """A set that is read from memory."""
    return Source(name, rows)
