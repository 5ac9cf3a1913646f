"""The results of a comparison: a JSON file that grows step by step, and from which a run is continued."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..environment import describe_environment
from ..exceptions import OtherRunError
from ..provenance import describe_source
from ..records import read_json, write_json
from .protocol import Found, Settings
from .scheme import Scheme

FILE = "results.json"
SAVED_EVERY = 10.0  # seconds; a run that is killed loses the steps of at most this time


def key_of(name: str, number: int, scheme: str) -> str:
    """The key of a step.

    Examples
    --------
    >>> from experiments.compare.results import key_of
    >>> key_of("iris", 0, "ddag")
    'iris/0/ddag'
    """
    return f"{name}/{number}/{scheme}"


class Results(Mapping[str, Found]):
    """What the steps have found, by their keys.

    The file also has the settings; of each set its shape and digest; of each scheme its kind and recipe; and of each run the
    commit of the sources, the time, versions and processor. A step names its run by number.

    Parameters
    ----------
    folder : Path
        Where the file is kept. If it is there already, it is continued.
    settings : Settings
    fresh : bool
        Begin anew, whatever is in the file.

    Raises
    ------
    OtherRunError
        If the file has other settings.
    """

    def __init__(self, folder: Path, settings: Settings, fresh: bool = False) -> None:
        self.file = folder / FILE
        self._saved = time.monotonic()
        self._run: int | None = None
        self.content: dict[str, Any] = {
            "settings": asdict(settings),
            "runs": [],
            "sets": {},
            "schemes": {},
            "steps": {},
        }
        if self.file.is_file() and not fresh:
            self.content = _content_of(self.file)
            if self.content["settings"] != asdict(settings):
                raise OtherRunError(
                    f"{self.file} has the settings {json.dumps(self.content['settings'])}, now they are "
                    f"{json.dumps(asdict(settings))}. Give another --out, or --fresh to begin anew"
                )

    @classmethod
    def read(cls, folder: Path) -> Results:
        """The results in a folder, with the settings that they have.

        Parameters
        ----------
        folder : Path

        Raises
        ------
        OtherRunError
            If there is no file of results.
        """
        if not (folder / FILE).is_file():
            raise OtherRunError(f"there is no {FILE} in {folder}")
        return cls(folder, Settings(**_content_of(folder / FILE)["settings"]))

    def __getitem__(self, key: str) -> Found:
        found: Found = self.content["steps"][key]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.content["steps"])

    def __len__(self) -> int:
        return len(self.content["steps"])

    @property
    def settings(self) -> Settings:
        """What was chosen for all steps."""
        return Settings(**self.content["settings"])

    def has(self, key: str) -> bool:
        """Whether a step was run without an error."""
        return "accuracy" in self.content["steps"].get(key, {})

    def admit_scheme(self, scheme: Scheme) -> None:
        """Write down a scheme. If it is tuned otherwise than it was, its old steps are forgotten."""
        told = {"kind": scheme.kind.name, "words": scheme.words, "recipe": scheme.recipe}
        old = self.content["schemes"].get(scheme.name)
        if old is not None and old["recipe"] != told["recipe"]:
            steps = self.content["steps"]
            self.content["steps"] = {key: found for key, found in steps.items() if _scheme_of(key) != scheme.name}
        self.content["schemes"][scheme.name] = told

    def admit_set(self, told: Mapping[str, Any], name: str) -> None:
        """Write down a set.

        Parameters
        ----------
        told : mapping
            From `Prepared.describe`.
        name : str

        Raises
        ------
        OtherRunError
            If it is not what it was for earlier steps.
        """
        old = self.content["sets"].setdefault(name, dict(told))
        if old["digest"] != told["digest"]:
            raise OtherRunError(
                f"{name} changed since {self.file} was begun. Give another --out, or --fresh to begin anew"
            )

    def keep(self, key: str, found: Found) -> None:
        """Write down what a step found. The file is written from time to time, and by `save`."""
        if self._run is None:
            self.content["runs"].append({**describe_source(), "environment": describe_environment()})
            self._run = len(self.content["runs"]) - 1
        # As it will be read again: so a run in one go and a continued one see the same values.
        self.content["steps"][key] = json.loads(json.dumps({**found, "run": self._run}))
        if time.monotonic() - self._saved > SAVED_EVERY:
            self.save()

    def save(self) -> None:
        """Write the file."""
        write_json(self.content, self.file, one_line_each="steps")
        self._saved = time.monotonic()


def _scheme_of(key: str) -> str:
    return key.rpartition("/")[2]


def _content_of(file: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = read_json(file)
        for key in ("settings", "runs", "sets", "schemes", "steps"):
            _ = content[key]
    except (ValueError, TypeError, KeyError) as error:
        raise OtherRunError(f"{file} is not a file of `python -m experiments compare` ({error!r})") from error
    return content
