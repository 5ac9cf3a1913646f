"""The page: one HTML document with its style, its script and its data inside."""

from __future__ import annotations

import base64
import hashlib
import html
import os
import re
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from ..base.writing import write_whole
from .packing import as_json

# In the order in which the script needs them.
SCRIPTS = (
    "arrays.js",
    "model.js",
    "walk.js",
    "verdict.js",
    "dom.js",
    "labels.js",
    "marks.js",
    "layout.js",
    "board.js",
    "structure.js",
    "overview.js",
    "samples.js",
    "decision.js",
    "whatif.js",
    "page.js",
)
HEIGHT_IN_NOTEBOOKS = 900


@dataclass(frozen=True)
class Page:
    """A page for the browser, complete in itself: it opens from a file and asks no network for anything.

    A notebook shows it inline.

    Attributes
    ----------
    html : str
        The whole document.
    rows : int
        Number of samples that were given.
    shown : int
        Number of samples in the page.
    accuracy : float or None
        Of all samples; None without labels.
    what_if : bool
        Whether the page computes with the model itself, so that features can be moved.
    """

    html: str = field(repr=False)
    rows: int
    shown: int
    accuracy: float | None
    what_if: bool

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all."""
        write_whole(path, self.html.encode("utf-8"))

    def _repr_html_(self) -> str:
        # The frame may run its own script and nothing else: it has no access to the notebook.
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" title="Dagmar explorer" '
            f'width="100%" height="{HEIGHT_IN_NOTEBOOKS}" style="border: 0"></iframe>'
        )


def make_html(title: str, data: dict[str, Any]) -> str:
    """Return the document.

    Parameters
    ----------
    title : str
        Any text; it is escaped.
    data : dict
        What the script shows, as JSON can hold it.

    Returns
    -------
    str
    """
    style, script = _asset("page.css"), "\n".join(_asset(name) for name in SCRIPTS)
    # Nothing is loaded from anywhere, and only this script and this style are allowed.
    policy = (
        f"default-src 'none'; script-src {_fingerprint(script)}; style-src {_fingerprint(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": policy,
        "title": html.escape(title),
        "style": style,
        "data": as_json(data),
        "script": script,
    }
    # In one pass, so that a text of the user that looks like a mark stays what it is.
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: parts[mark[1]], _asset("page.html"))


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _fingerprint(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
