"""The rooms of the core: each includes only those before it, and tests stand in folders of the same names."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "cpp" / "core"
TESTS = Path(__file__).parent

# In the order of the path from samples to decisions.
ROOMS = ["base", "simd", "samples", "integers", "gram", "rows", "solver", "train", "model", "decide", "probabilities"]

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def wrong_includes(source, room):
    """What a file of a room includes that is neither of its room nor of one before it."""
    allowed = ROOMS[: ROOMS.index(room) + 1]
    return [name for name in INCLUDE.findall(source) if name.split("/")[0] not in allowed or "/" not in name]


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_include_only_what_comes_before_them(room):
    """A file names what it includes by room, and that room is its own or an earlier one."""
    paths = sorted((CORE / room).rglob("*.?pp"))
    assert paths, f"there is no room {room}"
    wrong = {path.name: wrong_includes(path.read_text(), room) for path in paths}
    assert {name: includes for name, includes in wrong.items() if includes} == {}


def test_wrong_includes_are_found():
    """The check fails for a later room and for a name without a room, and passes what may be included."""
    source = '#include <vector>\n#include "base/memory.hpp"\n  #include "decide/tile.hpp"\n#include "memory.hpp"\n'
    assert wrong_includes(source, "gram") == ["decide/tile.hpp", "memory.hpp"]
    assert wrong_includes('#include "gram/gram.hpp"', "gram") == []


def test_every_folder_is_a_room():
    """A new folder of the core, or of its tests, must be given its place in the order."""
    assert {path.name for path in CORE.iterdir()} == set(ROOMS)
    assert {path.parent.relative_to(TESTS).parts[0] for path in TESTS.glob("*/test_*.py")} <= set(ROOMS)
