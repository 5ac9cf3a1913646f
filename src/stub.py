"""Writes src/dagmar/__init__.pyi, what type checkers see, from the table of public names: ``python src/stub.py``."""

from __future__ import annotations

from pathlib import Path

import dagmar

STUB = Path(__file__).parent / "dagmar" / "__init__.pyi"


def generate() -> str:
    """Return the stub of the package: an import per public name, in the form that re-exports it."""
    homes = {name: home or "" for name, home in dagmar._HOMES.items()}
    # In the order of ruff: names in capitals first.
    names = sorted(homes, key=lambda name: (homes[name], not name.isupper(), name))
    imports = (f"from .{homes[name]} import {name} as {name}" for name in names)
    return "\n".join([*imports, "", "__version__: str", ""])


if __name__ == "__main__":
    STUB.write_text(generate())
