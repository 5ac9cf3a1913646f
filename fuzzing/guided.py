"""Coverage-guided fuzzing of the readers of files: `python -m fuzzing.guided --minutes 10`. It needs atheris.

libFuzzer changes the bytes of LIBSVM models, of a checkpoint's manifest and of its lots (whose names, their checksums, are
made right), and keeps what reaches new branches of the readers. An input that is neither refused nor answered as its
arrays say ends the run, and is written to fuzzing/found. Inputs worth keeping stay in build/guided.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "guided"
# The first byte of an input says what the others are.
MODEL, MANIFEST, LOT = b"L", b"M", b"N"


def run_input(data: bytes) -> None:
    """Read one input; raise RuntimeError if what comes of it is a failure."""
    from . import files

    kind, content = data[:1], data[1:]
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        folder = Path(name)
        if kind in (MANIFEST, LOT):
            outcome = files.run_changed_checkpoint(folder, **{"manifest" if kind == MANIFEST else "lot": content})
        else:
            outcome = files.run_libsvm(content, folder)
    if outcome.failed:
        raise RuntimeError(f"{outcome.kind}: {outcome.detail}")


def write_seeds(folder: Path) -> None:
    """Write valid files of each kind to begin with."""
    from . import files

    rng = np.random.default_rng(0)
    inputs = [MODEL + files.libsvm_file(rng) for _ in range(40)]
    for name, content in files.checkpoint(0)[0].items():
        inputs.append((MANIFEST if name.endswith(".json") else LOT) + content)
    for number, data in enumerate(inputs):
        (folder / f"seed-{number}").write_bytes(data)


def main() -> None:
    """Fuzz, or with `--replay` read the kept inputs once."""
    parser = argparse.ArgumentParser(prog="python -m fuzzing.guided", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--replay", type=Path, nargs="*", help="read these inputs, by default those kept, and end")
    options = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    if options.replay is not None:
        for path in options.replay or sorted(KEPT.iterdir()):
            run_input(path.read_bytes())
        return
    import atheris

    with atheris.instrument_imports(include=["dagmar.interop", "dagmar.machines.checkpoint"]):
        import dagmar.interop.libsvm
        import dagmar.machines.checkpoint  # noqa: F401
    write_seeds(KEPT)
    found = ROOT / "fuzzing" / "found"
    found.mkdir(exist_ok=True)
    limits = [f"-max_total_time={60 * options.minutes:.0f}", "-timeout=10", "-rss_limit_mb=4096", "-max_len=20000"]
    atheris.Setup(
        [sys.argv[0], *limits, f"-seed={options.seed}", f"-artifact_prefix={found}/guided-", str(KEPT)], run_input
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
