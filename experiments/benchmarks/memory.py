"""How much memory this process has and had at most."""

from __future__ import annotations

import ctypes
import gc
import sys
from contextlib import suppress
from pathlib import Path

STATUS = Path("/proc/self/status")


def forget_peak() -> float:
    """Begin anew to watch for the peak; what is in use now, in MiB.

    Where the system cannot forget, the peak so far is the beginning, and what grows below it is not seen.
    """
    gc.collect()
    with suppress(OSError, AttributeError):  # only the GNU library has it
        ctypes.CDLL(None).malloc_trim(0)  # or what was freed before is used again, and growth into it not seen
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak() -> float:
    """The most that was in use since `forget_peak`, in MiB."""
    with suppress(OSError):
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    import resource

    # What getrusage tells begins, on Linux, at the size of the process that started this one; hence the file above.
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1024**2 if sys.platform == "darwin" else most / 1024
