"""``python -m experiments.site``: make the site of the documentation in build/docs."""

import sys

from .build import ROOT, build

if __name__ == "__main__":
    code = build(ROOT / "build" / "docs")
    if code == 0:
        print("build/docs/html/index.html")
    sys.exit(code)
