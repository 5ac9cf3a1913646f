"""What a paper's experiments are made of: steps, run in a lab."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from zlib import crc32

import numpy as np

from ..data import DataSets

if TYPE_CHECKING:
    from .report import Report

Found = dict[str, Any]  # what a step finds: numbers, strings, lists and dicts, as they go into JSON


@dataclass(frozen=True)
class Settings:
    """What is chosen for a whole run.

    Attributes
    ----------
    seed : int
        Of every random choice.
    quick : bool
        Fewer rows, trials and grid points, so that a paper takes less than two minutes; its numbers are no reproduction.
    search : bool
        Choose kernels and parameters anew where the paper prints its own.
    """

    seed: int = 0
    quick: bool = False
    search: bool = False


@dataclass(frozen=True)
class Step:
    """A piece of work whose result is kept.

    Attributes
    ----------
    key : str
        Its name in the record, such as "table1/letter/DAGSVM".
    run : callable
        Called as ``run(lab, **parameters)``; returns a dict that JSON can hold.
    parameters : dict
        Written beside the result. A kept result counts only while they are the same.
    weight : float
        About how many seconds a full run of it takes, for the bar.
    """

    key: str
    run: Callable[..., Found]
    parameters: dict[str, Any] = field(default_factory=dict)
    weight: float = 1.0


class Lab:
    """What a step may use: the data, the settings, threads, and what earlier steps found.

    Parameters
    ----------
    data : DataSets
    settings : Settings
    n_jobs : int
        Threads, for everything that takes them.
    found : mapping of str to dict
        Results of earlier steps, by their keys.
    """

    def __init__(self, data: DataSets, settings: Settings, n_jobs: int, found: Mapping[str, Found]) -> None:
        self.data = data
        self.settings = settings
        self.n_jobs = n_jobs
        self.found = found

    @property
    def quick(self) -> bool:
        """Whether this is the short form of the run."""
        return self.settings.quick

    def rng(self, *words: object) -> np.random.Generator:
        """Random numbers that hang on the seed and on what they are for, and on nothing that ran before.

        Parameters
        ----------
        *words : object
            What they are for, such as a data set and the number of a trial.
        """
        return np.random.default_rng([self.settings.seed, crc32(repr(words).encode())])


class Study(ABC):
    """One paper.

    Attributes
    ----------
    name : str
        On the command line, and of the files.
    title, reference : str
        Of the paper.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    reference: ClassVar[str]

    @abstractmethod
    def steps(self, settings: Settings) -> list[Step]:
        """The protocol: all steps, each after those whose results it uses."""

    @abstractmethod
    def report(self, settings: Settings, found: Mapping[str, Found]) -> Report:
        """What was found, beside what was published.

        Every number in it comes from `found` or from the paper; nothing is computed from data here.
        """
