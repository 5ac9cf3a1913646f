"""What the tests of the explorer share: one browser for all tests of a process, and pages that say what they did."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from pages import data_of

import dagmar

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass
class Opened:
    """A page in the browser, everything that it wrote to the console, and every address that it asked for."""

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def evaluate(self, code, argument=None):
        """The value of a JavaScript expression, or of a function of the argument."""
        return self.page.evaluate(code, argument)

    def text(self, selector):
        """The text of an element, without the space around it."""
        return self.page.inner_text(selector).strip()


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium, driven by Playwright; nothing is downloaded. Without one, the tests are skipped and say so."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium is installed (on Debian: apt-get install chromium), so no page can be opened")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def show(browser, tmp_path):
    """A function that opens a page of `dagmar.explore` from a file and waits until it is ready."""
    contexts = []

    def show(made, width=1400, height=900, **options):
        file = tmp_path / f"page{len(contexts)}.html"
        made.save(file)
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        opened = Opened(context.new_page())
        opened.page.on("console", lambda message: opened.said.append(f"{message.type}: {message.text}"))
        opened.page.on("pageerror", lambda error: opened.said.append(f"error: {error}"))
        opened.page.on("request", lambda request: opened.asked.append(request.url))
        opened.page.set_default_timeout(10_000)
        opened.page.goto(file.as_uri())
        opened.page.wait_for_selector("#content")
        assert opened.asked == [file.as_uri()]
        return opened

    yield show
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def compute(browser, tmp_path_factory):
    """A function that runs JavaScript on the data of a page without drawing it, in a page that stays open.

    The code is a function of the context, in which the functions of the page can be called.
    """
    file = tmp_path_factory.mktemp("explorer") / "page.html"
    dagmar.explore(dagmar.SVC().fit(np.eye(2), [0, 1]), np.eye(2), path=file)
    page = browser.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector("#content")

    def compute(made, code):
        return page.evaluate(f"async (data) => ({code})(makeContext(await unpackAll(data)))", data_of(made))

    yield compute
    page.close()
