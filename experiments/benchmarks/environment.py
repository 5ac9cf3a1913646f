"""Where a number was measured, with the versions of the peers."""

from __future__ import annotations

from typing import Any

from .. import environment

PEERS = ("scikit-learn-intelex", "libsvm-official")


def describe_environment() -> dict[str, Any]:
    """Versions, processor and instruction set."""
    return environment.describe_environment(PEERS)
