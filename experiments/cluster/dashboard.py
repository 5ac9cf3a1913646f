"""The dashboard of Dask during a fit, as a picture: ``python -m experiments.cluster.dashboard``.

It needs bokeh, playwright and Chromium. Tasks must have names that a person understands, and the progress must group them well;
this is how to look at it.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from pathlib import Path

import numpy as np
from distributed import Client, LocalCluster
from PIL import Image
from playwright.sync_api import sync_playwright

import dagmar.dask
from experiments.benchmarks.cases import load_case

from .pictures import FOLDER

PICTURE = FOLDER / "cluster-dashboard.png"
WIDTH, HEIGHT, ROWS = 1150, 760, 8000
# Where the mouse is, over the line of the second worker, for the name of a task.
POINTER = 560, 420


def main() -> None:
    """Fit Letter with its letters as labels, with probabilities, and take a picture in the midst of it."""
    case = load_case("letter").rows(ROWS)
    labels = np.array([chr(ord("A") + k) for k in case.y_train])
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"}
    with LocalCluster(n_workers=2, **options) as cluster, Client(cluster) as client, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(client.dashboard_link)
        page.wait_for_timeout(2000)
        svc = dagmar.dask.SVC(**case.parameters, probability=True, client=client)
        fit = threading.Thread(target=svc.fit, args=(case.X_train, labels))
        fit.start()
        while fit.is_alive() and not any("folds" in str(key) for keys in client.processing().values() for key in keys):
            page.wait_for_timeout(50)
        page.wait_for_timeout(1200)
        for k in range(20):  # a tooltip appears when the mouse moves
            page.mouse.move(POINTER[0] + k, POINTER[1])
        page.wait_for_timeout(300)
        with tempfile.TemporaryDirectory() as folder:
            whole = Path(folder) / "whole.png"
            page.screenshot(path=whole)
            Image.open(whole).convert("RGB").quantize(64).save(PICTURE, optimize=True)
        fit.join()
        browser.close()
    print(PICTURE.name, f"{PICTURE.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
