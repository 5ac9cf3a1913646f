"""JSON files that long runs write, and read again to continue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_json(content: Mapping[str, Any], file: Path, one_line_each: str | None = None) -> None:
    """Write a JSON file; if the process stops while writing, the old file remains.

    Parameters
    ----------
    content : mapping
    file : Path
        Its folder is made if needed.
    one_line_each : str, optional
        A key whose value is a mapping of many entries: each gets one line, at the end of the file.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.write_text(_text(content, one_line_each) + "\n", encoding="utf-8")
    fresh.replace(file)


def _text(content: Mapping[str, Any], one_line_each: str | None) -> str:
    if one_line_each is None:
        return json.dumps(content, indent=1)
    head = json.dumps({key: value for key, value in content.items() if key != one_line_each}, indent=1)
    lines = [f"  {json.dumps(key)}: {json.dumps(entry)}" for key, entry in content[one_line_each].items()]
    return head.removesuffix("\n}") + f",\n {json.dumps(one_line_each)}: {{\n" + ",\n".join(lines) + "\n }\n}"


def read_json(file: Path) -> Any:
    """The content of a JSON file.

    Parameters
    ----------
    file : Path
    """
    return json.loads(file.read_text(encoding="utf-8"))
