"""What the compiler made of masks: where no register is free, GCC 12 stores 8 or 16 bits of one, and loads 32.

The bits above are whatever was in memory, so a search for a value finds lanes that do not have it. `equal_lanes` in
cpp/core/simd/generic/ prevents it.
"""

import platform
import re
import shutil
import subprocess
from bisect import bisect_right
from collections import defaultdict

import pytest

from dagmar import _core

FRAME = re.compile(r" FDE .*pc=([0-9a-f]+)\.\.")
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t(\S+) +(\S+)", re.MULTILINE)
PLACE = re.compile(r"-?0x[0-9a-f]+\(%r[sb]p\)")
WIDE = re.compile(r"%(e|r)[a-z]+|%r\d+d?")  # registers of 32 and 64 bits


def half_stored(listing, begin):
    """Addresses of loads of 32 bits or more from places that their function stores only from masks of fewer.

    Parameters
    ----------
    listing : str
        What `objdump -d --no-show-raw-insn` prints.
    begin : list of int
        Where functions begin, in ascending order.
    """
    masks, others, loads = set(), set(), defaultdict(list)
    for address, name, operands in INSTRUCTION.findall(listing):
        if not (found := PLACE.search(operands)):
            continue
        where = bisect_right(begin, int(address, 16)), found[0]
        if operands.endswith(found[0]):  # a store, or both
            (masks if re.match(r"kmov[bw] +%k", f"{name} {operands}") else others).add(where)
        elif name == "mov" and WIDE.fullmatch(operands[found.end() + 1 :]):
            loads[where].append(int(address, 16))
    return sorted(address for where in masks - others for address in loads[where])


def test_half_stored_masks_are_found():
    """What GCC 12 made under sanitizers is found; a place that two values share, or two functions, is not."""
    listing = "\n".join(
        [
            "  be:\tkmovb  %k1,0x3c(%rsp)",
            " 149:\tmov    0x3c(%rsp),%r14d",
            " 150:\tkmovw  %k1,-0x20(%rbp)",
            " 151:\tkmovw  -0x20(%rbp),%k1",
            " 152:\tmovzwl -0x20(%rbp),%eax",
            " 153:\tmov    -0x20(%rbp),%eax",
            " 160:\tkmovb  %k1,0x40(%rsp)",
            " 161:\tmov    %rax,0x40(%rsp)",
            " 162:\tmov    0x40(%rsp),%rax",
            " 170:\tkmovd  %k1,0x48(%rsp)",
            " 171:\tmov    0x48(%rsp),%eax",
            " 200:\tmov    0x3c(%rsp),%eax",
        ]
    )
    assert half_stored(listing, [0xB0, 0x200]) == [0x149, 0x153]


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="masks are registers of AVX-512")
@pytest.mark.skipif(shutil.which("objdump") is None, reason="needs objdump")
def test_masks_are_loaded_as_they_were_stored():
    """No function of the built module loads more of a mask than it stored."""

    def objdump(*options):
        command = ["objdump", *options, _core.__file__]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    begin = sorted(int(pc, 16) for pc in FRAME.findall(objdump("--dwarf=frames")))
    listing = objdump("-d", "--no-show-raw-insn")
    assert begin
    assert "kmov" in listing  # objdump knows these instructions
    assert half_stored(listing, begin) == []
