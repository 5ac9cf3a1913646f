"""The record of a run: a JSON file that grows step by step, and from which a run is taken up again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..data import EDGE
from ..environment import describe_environment
from ..exceptions import OtherRunError
from ..provenance import describe_source, last_commit, libsvm_version
from ..records import read_json, write_json
from . import rule
from .study import Found, Settings, Step

NEEDED = ("paper", "settings", "threads", "environment")  # what a run must share with the record that it continues


def file_name(paper: str, seed: int) -> str:
    """The file of a record in its folder.

    Examples
    --------
    >>> from experiments.papers.record import file_name
    >>> file_name("platt1999", 0)
    'platt1999-seed0.json'
    """
    return f"{paper}-seed{seed}.json"


def read_all(paper: str, folder: Path) -> list[Record]:
    """The records of a paper in a folder, by seed.

    Raises
    ------
    OtherRunError
        If there are none.
    """
    records = [Record.read(file) for file in folder.glob(f"{paper}-seed*.json")]
    if not records:
        raise OtherRunError(f"{folder} has no record of {paper}; run `python -m experiments reproduce {paper}` first")
    return sorted(records, key=lambda record: int(record.content["settings"]["seed"]))


class Record(Mapping[str, Found]):
    """What the steps of a run have found, by their keys.

    Beside the results it has the seed, threads, versions, processor, instruction set, digests of the data, the digest and the
    commit of the rule, and how images are smoothed; and of each step the parameters, the seconds, the commit of the sources,
    whether they were changed, and the time.

    Parameters
    ----------
    file : Path
        Written after every step. If it is there already, its run is taken up.
    paper : str
    settings : Settings
    threads : int
    fresh : bool
        Begin anew, whatever is in the file.

    Raises
    ------
    OtherRunError
        If the file holds a run with another seed, of another length, or by other versions.
    """

    @classmethod
    def read(cls, file: Path) -> Record:
        """A record as it was written, by whatever version and where: to write its document again, not to continue its run.

        Parameters
        ----------
        file : Path

        Raises
        ------
        OtherRunError
            If the file is no record.
        """
        record = cls.__new__(cls)
        record.file, record.content = file, _content_of(file)
        return record

    def __init__(self, file: Path, paper: str, settings: Settings, threads: int, fresh: bool = False) -> None:
        self.file = file
        self.provenance = describe_source()
        # `search` only adds steps: those without it are the same.
        chosen = {key: value for key, value in asdict(settings).items() if key != "search"}
        self.content: dict[str, Any] = {
            "paper": paper,
            "settings": chosen,
            "threads": threads,
            "environment": {**describe_environment(), "libsvm": libsvm_version()},
            "smoothing_edge": EDGE,
            "rule": {"digest": rule.digest(), "commit": last_commit(Path(rule.__file__))},
            "data": {},
            "steps": {},
        }
        if file.is_file() and not fresh:
            self._take_up()

    def _take_up(self) -> None:
        old = _content_of(self.file)
        # Records of older versions lack the last of these; their images may have been smoothed otherwise.
        different = [
            f"{key} {_brief(old.get(key))} (now {_brief(self.content[key])})"
            for key in (*NEEDED, "smoothing_edge")
            if old.get(key) != self.content[key]
        ]
        self.content["data"], self.content["steps"] = dict(old["data"]), dict(old["steps"])
        self.content["rule"] = old.get("rule", {})  # that which stood when the run was begun
        if different:
            raise OtherRunError(
                f"{self.file} is of another run: {'; '.join(different)}. Give another --out, or --fresh to begin anew"
            )

    def __getitem__(self, key: str) -> Found:
        found: Found = self.content["steps"][key]["result"]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.content["steps"])

    def __len__(self) -> int:
        return len(self.content["steps"])

    @property
    def seconds(self) -> float:
        """All steps together."""
        return float(sum(step["seconds"] for step in self.content["steps"].values()))

    def has(self, step: Step) -> bool:
        """Whether the step was run, with the same parameters."""
        kept = self.content["steps"].get(step.key)
        return kept is not None and kept["parameters"] == json.loads(json.dumps(step.parameters))

    def keep(self, step: Step, result: Found, seconds: float, data: Mapping[str, str]) -> None:
        """Write down what a step found, and the digests of the data sets read so far.

        Raises
        ------
        OtherRunError
            If a data set is not what it was for earlier steps.
        """
        changed = [name for name, digest in data.items() if self.content["data"].get(name, digest) != digest]
        if changed:
            raise OtherRunError(
                f"{', '.join(changed)} changed since {self.file} was begun. Give another --out, or --fresh to begin anew"
            )
        made = {"parameters": step.parameters, "seconds": seconds, "provenance": self.provenance, "result": result}
        # As it will be read again: so a run in one go and a resumed one see the same values.
        entry = json.loads(json.dumps(made))
        self.content["steps"][step.key] = entry
        self.content["data"] = {**self.content["data"], **data}
        write_json(self.content, self.file)

    def drop_others(self, steps: list[Step]) -> None:
        """Forget results of steps that no longer exist."""
        known = {step.key for step in steps}
        self.content["steps"] = {key: entry for key, entry in self.content["steps"].items() if key in known}


def _content_of(file: Path) -> dict[str, Any]:
    """The content of a record, which has at least what the oldest records have."""
    try:
        content: dict[str, Any] = read_json(file)
        for key in NEEDED:
            _ = content[key]
        dict(content["data"]), dict(content["steps"])
    except (ValueError, TypeError, KeyError) as error:
        raise OtherRunError(f"{file} is not a record of `python -m experiments reproduce` ({error!r})") from error
    return content


def _brief(value: Any) -> str:
    return json.dumps(value["versions"] if isinstance(value, dict) and "versions" in value else value)
