"""JSON files that long runs write, and read again to continue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_json(content: Mapping[str, Any], file: Path) -> None:
    """Write a JSON file; if the process stops while writing, the old file remains.

    Parameters
    ----------
    content : mapping
    file : Path
        Its folder is made if needed.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    fresh.replace(file)


def read_json(file: Path) -> Any:
    """The content of a JSON file.

    Parameters
    ----------
    file : Path
    """
    return json.loads(file.read_text(encoding="utf-8"))
