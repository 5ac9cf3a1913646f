"""The page in a real browser: what a user clicks and types, and what the page must never do."""

import re

import numpy as np
import pandas as pd
import pytest
from helpers import letter_like
from pages import data_of
from sklearn.datasets import load_digits
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar.explorer.page import SCRIPTS, make_html

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    '"onload="alert(3)',
    "{{data}} &amp; \u2028",
]


@pytest.fixture(scope="module")
def digits():
    """Digits, of which some are misclassified: the classifier, the samples, and the page."""
    X, y = load_digits(return_X_y=True)
    clf = dagmar.SVC(gamma=0.002, C=10, structure="ddag").fit(X[:600], y[:600])
    return clf, X[600:], y[600:], dagmar.explore(clf, X[600:], y[600:], image=(8, 8))


def first_error(clf, X, y):
    """The misclassified sample with the closest call."""
    wrong = np.flatnonzero(clf.predict(X) != y)
    closest = [np.abs(values).min() for _, values in clf.decision_path(X[wrong])]
    return int(wrong[np.argmin(closest)])


def test_wrong_decision_is_explained(digits, show):
    """The page opens with the closest error, and says which machine was wrong, by how much, and the runner-up."""
    clf, X, y, made = digits
    k = first_error(clf, X, y)
    machines, values = clf.decision_path(X[k : k + 1])[0]
    predicted, truth = clf.predict(X[k : k + 1])[0], y[k]
    pairs = clf.bank_.pairs[machines]
    winners = np.where(values >= 0, pairs[:, 1], pairs[:, 0])
    step = int(np.flatnonzero((pairs == truth).any(axis=1) & (winners != truth))[0])
    opened = show(made)
    assert opened.text("#decision-title") == f"Row {k}"
    assert opened.text("#decision-badges").split() == ["predicted", str(predicted), "true", str(truth)]
    verdict = opened.text("#verdict")
    said = re.search(rf"Step {step + 1} decided wrongly: {winners[step]} beats {truth} by ([\d.]+)", verdict)
    assert float(said[1]) == pytest.approx(abs(values[step]), rel=0.01)
    assert "Runner-up: " in verdict
    assert opened.text("#step-words") == f"Step {step + 1} of 9"
    assert opened.page.locator(".structure g.current.wrong").count() == 1
    # The most influential vectors, with their rows of the training data: those with the largest terms.
    bank, m = clf.bank_, int(machines[step])
    here = slice(bank.begin[m], bank.begin[m + 1])
    kernel = np.exp(-0.002 * ((bank.vectors[bank.index[here]] - X[k]) ** 2).sum(axis=1))
    pulls = bank.coef[here] * kernel * np.sign(values[step])
    best = bank.support[bank.index[here][np.argsort(-pulls)[:6]]]
    shown = opened.text(".pull-group.winning")
    assert [int(found) for found in re.findall(r"row (\d+)", shown)] == best.tolist()
    assert opened.page.locator(".pull-group.winning canvas").count() == 6
    assert opened.said == []


def test_steps_by_buttons_and_keys(digits, show):
    """Buttons and arrow keys go from step to step; the path lights up to there, and the steps say the winners."""
    clf, X, y, made = digits
    opened = show(made)
    page = opened.page
    page.click("#step-first")
    assert opened.text("#step-words") == "Step 1 of 9"
    assert page.is_disabled("#step-before")
    assert page.locator(".structure g.machine.on").count() == 1
    page.click("#step-next")
    assert page.locator(".structure g.machine.on").count() == 2
    page.keyboard.press("ArrowRight")
    assert opened.text("#step-words") == "Step 3 of 9"
    page.keyboard.press("ArrowLeft")
    assert opened.text("#step-words") == "Step 2 of 9"
    page.click("#step-last")
    assert page.locator(".structure g.leaf.won").count() == 1
    page.focus('#steps button[aria-current="step"]')
    page.keyboard.press("ArrowUp")
    assert opened.text("#step-words") == "Step 8 of 9"
    page.keyboard.press("Home")
    page.click("#step-wrong")
    assert page.locator("#steps button.wrong[aria-current=step]").count() == 1
    k = first_error(clf, X, y)
    machines, values = clf.decision_path(X[k : k + 1])[0]
    for step, (pair, value) in enumerate(zip(clf.bank_.pairs[machines], values, strict=True)):
        winner, loser = pair[::-1] if value >= 0 else pair
        said = page.locator("#steps button").nth(step).inner_text()
        assert f"{winner} beats {loser}" in said
    assert opened.said == []


def test_confusion_cells_choose_samples(digits, show):
    """A click or Enter on a cell shows its samples; the chip shows all again."""
    clf, X, y, made = digits
    predicted = clf.predict(X)
    k = first_error(clf, X, y)
    opened = show(made)
    page = opened.page
    cell = f'.confusion td[data-truth="{y[k]}"][data-answer="{predicted[k]}"]'
    page.click(cell)
    expected = int(((y == y[k]) & (predicted == predicted[k])).sum())
    assert page.locator("#samples-body tr").count() == expected == int(opened.text(cell))
    assert opened.text("#found").startswith(f"{expected} sample")
    page.click("#clear-cell")
    assert opened.text("#found") == f"{len(X):,} samples"
    page.focus('.confusion td[tabindex="0"]')
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    at = page.evaluate("[+document.activeElement.dataset.truth, +document.activeElement.dataset.answer]")
    assert at == [y[k], 1]
    page.focus('.confusion td[tabindex="0"]')
    for _ in range(10):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert int(((y == 0) & (predicted == 0)).sum()) == int(opened.text("#found").split()[0])
    assert page.get_attribute('.confusion td[aria-selected="true"]', "data-truth") == "0"
    assert opened.said == []


def test_table_is_sorted_searched_and_paged(digits, show):
    """Errors first; a click on a column sorts; words find rows and labels; filters; pages; arrow keys choose."""
    clf, X, y, made = digits
    wrong = clf.predict(X) != y
    opened = show(made)
    page = opened.page

    def rows():
        return [
            int(line)
            for line in page.eval_on_selector_all("#samples-body tr", "lines => lines.map(l => l.dataset.sample)")
        ]

    assert wrong[rows()].tolist() == [True] * min(50, wrong.sum()) + [False] * max(0, 50 - wrong.sum())
    page.click('th[data-key="place"] button')
    assert rows() == list(range(50))
    assert page.get_attribute('th[data-key="place"]', "aria-sort") == "ascending"
    page.click('th[data-key="place"] button')
    assert rows()[0] == len(X) - 1
    page.click('th[data-key="answer"] button')
    assert (clf.predict(X)[rows()] == 0).all()
    page.click("#page-next")
    assert opened.text("#page-words") == f"Page 2 of {-(-len(X) // 50)}"
    page.fill("#search", "17")
    assert rows() == [17]
    page.fill("#search", "3")
    assert opened.text("#found").split()[0] == str(
        int(((y == 3) | (clf.predict(X) == 3) | (np.arange(len(X)) == 3)).sum())
    )
    page.fill("#search", "nothing at all")
    assert opened.text("#samples-body") == "No sample matches."
    page.fill("#search", "")
    page.check('input[name="filter"][value="errors"]', force=True)
    assert wrong[rows()].all()
    assert opened.text("#found").startswith(f"{wrong.sum()} samples of ")
    page.locator("#samples-body tr").nth(1).click()
    chosen = rows()[1]
    assert opened.text("#decision-title") == f"Row {chosen}"
    page.keyboard.press("ArrowDown")
    assert opened.text("#decision-title") == f"Row {rows()[2]}"
    page.keyboard.press("End")
    assert opened.text("#decision-title") == f"Row {rows()[-1]}"
    assert opened.text("#page-words") == f"Page {-(-wrong.sum() // 50)} of {-(-wrong.sum() // 50)}"
    assert opened.said == []


def test_what_if_answers_live(digits, show):
    """Moving a slider by keys changes the features, the values and the answer as Python computes them; reset restores."""
    clf, X, _, made = digits
    opened = show(made)
    page = opened.page
    k = int(opened.text("#decision-title").split()[1])
    sliders = page.locator("#sliders input")
    assert sliders.count() == 24
    feature = int(sliders.first.get_attribute("data-feature"))
    sliders.first.focus()
    page.keyboard.press("Home")
    page.locator("#whatif-live", has_text="1 feature moved").wait_for()
    x = X[k].copy()
    x[feature] = X[:, feature].min()
    expected = clf.predict(x[None])[0]
    assert opened.text("#whatif-answer") == str(expected)
    values = clf.decision_path(x[None])[0][1]
    assert opened.evaluate("() => window.explorer.panel.decision.steps.map(s => s.value)") == pytest.approx(
        values, abs=1e-5
    )
    assert "features moved" in opened.text("#decision-badges")
    page.click("#whatif-reset")
    assert opened.text("#whatif-answer") == str(clf.predict(X[k : k + 1])[0])
    assert page.is_disabled("#whatif-reset")
    page.fill("#whatif-search", "pixel 3, 4")
    assert page.locator("#sliders .slider").count() == 1
    page.fill("#whatif-search", "")
    page.select_option("#whatif-order", "order")
    moving = [f for f in range(64) if X[:, f].max() > X[:, f].min()]
    first = page.eval_on_selector_all("#sliders input", "inputs => inputs.map(i => +i.dataset.feature)")
    assert first == moving[:24]
    page.click("#decision-picture canvas", position={"x": 40, "y": 40})
    assert page.evaluate("document.activeElement.type") == "range"
    assert opened.said == []


def test_structure_by_keys(digits, show):
    """The drawing is one stop for Tab; arrow keys move between its parts, and the caption says their traffic."""
    clf, X, _, made = digits
    opened = show(made)
    page = opened.page
    page.focus('.structure [tabindex="0"]')
    for_0, for_9 = np.bincount(clf.decision_path(X).values[::9] >= 0)
    assert f"For 0: {for_0} sample" in opened.text("#structure-caption")
    assert f"For 9: {for_9:,} sample" in opened.text("#structure-caption")
    page.keyboard.press("ArrowDown")
    assert opened.text("#structure-caption").startswith(("0 against 8", "1 against 9"))
    assert page.locator('.structure [tabindex="0"]').count() == 1
    before = page.evaluate("document.querySelector('svg.structure').clientWidth")
    page.click("#zoom-in")
    inside = """() => {
      const box = document.querySelector('#structure-box').getBoundingClientRect();
      const node = document.querySelector('.structure g.current').getBoundingClientRect();
      return node.top >= box.top && node.bottom <= box.bottom && node.left >= box.left && node.right <= box.right;
    }"""
    assert page.evaluate(inside)  # the node of the step stays in view
    assert page.evaluate("document.querySelector('svg.structure').clientWidth") > before
    assert opened.said == []


@pytest.mark.parametrize(
    "structure",
    ["max_wins", "and_gate", "one_vs_rest", "adaptive_ddag", "bracket", "divide_and_conquer", "fisher_tree"],
)
def test_every_structure_is_drawn(structure, show, letters):
    """Each kind of structure has its drawing; every machine on the path is lit, and errors are marked."""
    X, y = letters
    clf = dagmar.SVC(C=10, gamma=2.5, structure=structure).fit(X[::2], y[::2])
    opened = show(dagmar.explore(clf, X[1::2], y[1::2]))
    assert opened.evaluate("() => explorer.panel.fatal >= 0")
    opened.page.focus('#steps button[tabindex="0"]')
    opened.page.keyboard.press("End")
    steps = opened.evaluate("() => explorer.panel.decision.steps.length")
    lit = opened.page.locator(".structure g.on.reached:not(.leaf)").count()
    assert lit == steps
    assert opened.page.locator(".structure .won").count() > 0
    assert opened.said == []


def test_hostile_texts_are_shown_as_text(show):
    """Labels, feature names, the title and unknown labels with markup do nothing, and are there to read."""
    X, y = letter_like(seed=5, n_classes=4, per_class=20)
    frame = pd.DataFrame(X[:, :4], columns=[f"<b>{text}</b>" for text in HOSTILE])
    labels = np.array(HOSTILE)[y]
    clf = dagmar.SVC(structure="bracket").fit(frame, labels)
    truth = labels.astype(object)
    truth[:3] = "<svg onload=alert(4)>"
    made = dagmar.explore(clf, frame, truth, title=HOSTILE[1])
    asked = []
    opened = show(made)
    opened.page.on("dialog", lambda dialog: asked.append(dialog.message))
    assert opened.page.title() == HOSTILE[1]
    assert opened.text("h1") == HOSTILE[1]
    assert opened.page.locator("main script, main img, main b > b, svg svg").count() == 0
    headings = opened.page.eval_on_selector_all(".confusion tbody th", "heads => heads.map(h => h.title)")
    assert headings == [*sorted(HOSTILE), "<svg onload=alert(4)>"]
    opened.page.fill("#search", "alert(4)")
    opened.page.locator("#samples-body tr").first.click()
    assert "The model does not know the label <svg onload=alert(4)>." in opened.text("#verdict")
    names = opened.page.eval_on_selector_all("#sliders label", "labels => labels.map(l => l.textContent)")
    assert sorted(names) == sorted(frame.columns)
    assert (asked, opened.said) == ([], [])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone_width_has_no_sideways_scroll(scheme, digits, show):
    """At 360 pixels everything fits; the theme follows the system until the button is pressed."""
    opened = show(digits[-1], width=360, height=700, color_scheme=scheme)
    assert opened.evaluate("document.documentElement.scrollWidth") <= 360
    paper = "getComputedStyle(document.body).backgroundColor"
    before = opened.evaluate(paper)
    names = {"light": "Dark theme", "dark": "Light theme"}  # the button says what it does
    assert opened.text("#theme") == names[scheme]
    opened.page.click("#theme")
    assert opened.evaluate(paper) != before
    assert opened.text("#theme") == names["dark" if scheme == "light" else "light"]
    opened.page.locator("#samples-body tr").nth(3).click()
    assert opened.evaluate("document.querySelector('#decision-title').getBoundingClientRect().top") < 300
    assert opened.said == []


def test_nothing_jumps(digits, show):
    """Choosing samples and steps shifts no other part of the page."""
    opened = show(digits[-1])
    opened.evaluate("""() => {
      window.shifts = 0;
      const count = (list) => list.getEntries().forEach((entry) => (window.shifts += entry.value));
      new PerformanceObserver(count).observe({ type: "layout-shift" });
    }""")
    opened.page.locator("#samples-body tr").nth(1).click()
    for _ in range(5):
        opened.page.keyboard.press("ArrowDown")
    opened.page.click("#step-first")
    for _ in range(5):
        opened.page.keyboard.press("ArrowRight")
    opened.page.wait_for_timeout(100)
    assert opened.evaluate("window.shifts") < 0.02


def test_pages_without_a_copy_of_the_model(show, three_blobs):
    """Machines of other kinds: values and paths, no sliders; samples that were not computed say so."""
    X, y = three_blobs
    clf = dagmar.PairwiseClassifier(LogisticRegression(), structure="ddag").fit(X, y)
    opened = show(dagmar.explore(clf, np.tile(X, (3, 1)), np.tile(y, 3)))
    assert opened.page.is_hidden("#whatif")
    assert opened.page.is_visible("#no-whatif")
    assert "LogisticRegression" in opened.text("#pulls")
    assert opened.text("#step-words").endswith("of 2")
    opened.page.click('th[data-key="closest"] button')
    opened.page.click('th[data-key="closest"] button')
    opened.page.locator("#samples-body tr").first.click()
    assert "not in the page" in opened.text("#verdict")
    assert opened.said == []


def test_missing_values_are_shown_as_missing(show, seven_blobs):
    """A pipeline that fills values in: the sample says that they are missing, and a slider gives one."""
    X, y = seven_blobs
    X = X.copy()
    X[:, 1] = np.where(np.arange(len(X)) % 3, X[:, 1], np.nan)
    model = make_pipeline(SimpleImputer(), StandardScaler(), dagmar.SVC(structure="ddag")).fit(X, y)
    opened = show(dagmar.explore(model, X, y))
    page = opened.page
    page.click('th[data-key="place"] button')
    page.click('#samples-body tr[data-sample="3"]')
    output = page.locator(".slider:has(#slider1) output")
    assert output.inner_text() == "missing"
    page.focus("#slider1")
    page.keyboard.press("ArrowRight")
    page.locator("#whatif-live", has_text="1 feature moved").wait_for()
    assert output.inner_text() != "missing"
    assert opened.said == []


def test_labels_are_not_needed(digits, show):
    """Without labels there is no matrix, and nothing is called right or wrong."""
    clf, X, _, _ = digits
    opened = show(dagmar.explore(clf, X))
    assert opened.page.is_hidden("#confusion-section")
    assert opened.page.is_hidden("#errors-filter")
    assert opened.page.locator('th[data-key="truth"]').count() == 0
    assert opened.text("#verdict").startswith("The answer is")
    assert opened.page.locator(".wrong").count() == 0
    assert opened.said == []


def test_very_many_classes(show, rng):
    """With 70 classes confusions are a list, and the board has the classes that the sample met."""
    y = np.repeat(np.arange(70), 4)
    X = rng.normal(0, 3, (70, 4))[y] + rng.normal(size=(280, 4))
    clf = dagmar.SVC().fit(X, y)
    opened = show(dagmar.explore(clf, X, y), width=360)
    assert 0 < opened.page.locator(".confusions button").count() <= 40
    opened.page.locator(".confusions button").first.click()
    assert opened.page.locator("#samples-body tr").count() >= 1
    assert opened.page.locator(".structure g.cell.on").count() > 0
    assert opened.evaluate("document.documentElement.scrollWidth") <= 360
    assert opened.said == []


def test_notebook_shows_the_page_inline(browser, digits, tmp_path):
    """A notebook gets a frame that may run its own script and nothing else."""
    made = digits[-1]
    file = tmp_path / "notebook.html"
    file.write_text(f"<!DOCTYPE html><meta charset=utf-8><title>n</title>{made._repr_html_()}", encoding="utf-8")
    page = browser.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(file.as_uri())
    title = page.frame_locator("iframe").locator("#decision-title")
    title.wait_for(timeout=10_000)
    assert title.inner_text().startswith("Row ")
    page.close()
    assert said == []


# ------------------------------------------------------------------- looks

# Elements with text of their own whose letters are smaller than this many pixels, as they are drawn.
SMALL_TEXT = """(least) => [...document.querySelectorAll("body *")]
  .filter((e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()))
  .map((e) => {
    const svg = e.ownerSVGElement, box = svg && svg.viewBox.baseVal.width;
    const zoom = box ? svg.getBoundingClientRect().width / box : 1;
    return [zoom * parseFloat(getComputedStyle(e).fontSize), e.tagName + "." + e.getAttribute("class")];
  })
  .filter(([size]) => size < least)"""

# Whether an element inside the drawing of the structure can be seen whole.
IN_VIEW = """(selector) => [...document.querySelectorAll(selector)].every((element) => {
  const box = document.querySelector("#structure-box").getBoundingClientRect(), it = element.getBoundingClientRect();
  return it.left >= box.left && it.right <= box.right + 0.5;
})"""


def with_labels(name, n_classes, structure, spread=3.0):
    """The page of a classifier of classes that are called ``name(k)``."""
    rng = np.random.default_rng(7)
    y = np.repeat(np.arange(n_classes), 8)
    X = rng.normal(0, spread, (n_classes, 6))[y] + rng.normal(size=(8 * n_classes, 6))
    labels = np.array([name(k) for k in range(n_classes)])[y]
    clf = dagmar.SVC(C=10, structure=structure).fit(X[::2], labels[::2])
    return dagmar.explore(clf, X[1::2], labels[1::2])


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("structure", ["max_wins", "ddag", "bracket", "one_vs_rest"])
def test_text_can_be_read_and_nothing_is_cut(structure, width, show):
    """Ten classes: letters of 11 pixels or more, the whole matrix and the whole structure in view, names for all buttons."""
    X, y = load_digits(return_X_y=True)
    clf = dagmar.SVC(gamma=0.002, C=10, structure=structure).fit(X[:400], y[:400])
    opened = show(dagmar.explore(clf, X[400:800], y[400:800]), width=width)
    assert opened.evaluate(SMALL_TEXT, 10.9) == []
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    for box in ("#confusion", "#structure-box"):
        assert opened.evaluate("(s) => (e => e.scrollWidth - e.clientWidth)(document.querySelector(s))", box) <= 0
    assert opened.page.is_hidden("#confusion-more")
    nameless = "[...document.querySelectorAll('button')].filter((b) => !(b.textContent.trim() || b.ariaLabel)).length"
    assert opened.evaluate(nameless) == 0
    blank = """() => document.querySelector("#structure-box").clientHeight /
      document.querySelector("svg.structure").getBoundingClientRect().height"""
    assert opened.evaluate(blank) < 1.15
    assert ", C 10 ·" in opened.text("#subtitle")
    assert opened.said == []


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("n_classes", [3, 9])
def test_scores_of_a_vote_have_a_heading_and_are_in_view(n_classes, width, show):
    """The scores stand beside the labels, also if these are long."""
    opened = show(with_labels(lambda k: f"{'abcdefghi'[k] * 12} class", n_classes, "max_wins"), width=width)
    opened.evaluate("() => explorer.panel.goTo(Infinity)")
    scores = opened.page.eval_on_selector_all(".structure .tally text", "all => all.map(t => t.textContent)")
    assert "won : lost" in scores
    assert sum(re.fullmatch(r"\d+ : \d+", score) is not None for score in scores) == n_classes
    assert opened.evaluate(IN_VIEW, ".structure .tally text")


def test_shared_beginnings_of_labels_are_left_out(show):
    """Fifty classes "item 00" to "item 49": cells and diagonal say 00 to 49; thirty: so do the columns of the matrix."""
    opened = show(with_labels(lambda k: f"item {k:02d}", 50, "max_wins"))
    said = opened.page.eval_on_selector_all(".structure .label text", "all => all.map(t => t.textContent)")
    assert {f"{k:02d}" for k in range(50)} | {f"item {k:02d}" for k in range(50)} == set(said)
    cells = opened.page.eval_on_selector_all(".structure .cell.on text", "all => all.map(t => t.textContent)")
    assert all(re.fullmatch(r"\d\d", cell) for cell in cells)
    opened = show(with_labels(lambda k: f"item {k:02d}", 30, "ddag"))
    heads = opened.page.eval_on_selector_all(".confusion thead th", "all => all.map(t => t.textContent)")
    assert heads == [f"{k:02d}" for k in range(30)]
    assert opened.page.is_hidden("#confusion-more")
    opened.page.set_viewport_size({"width": 390, "height": 800})
    opened.page.wait_for_selector("#confusion-more", state="visible")
    assert opened.evaluate(SMALL_TEXT, 10.9) == []


def test_long_labels_are_numbered_or_turned(show):
    """Labels without a shared beginning: numbers with a key in the structure, upright headings in the matrix."""
    made = with_labels(lambda k: f"{'abcdefghijklmnopqrst'[k] * 3} and more {k}", 18, "bracket")
    opened = show(made)
    leaves = opened.page.eval_on_selector_all(".structure .leaf text", "all => all.map(t => t.textContent)")
    assert {str(k + 1) for k in range(18)} <= set(leaves)
    opened.page.click("#structure-key summary")
    classes = data_of(made)["classes"]
    assert opened.page.eval_on_selector_all("#structure-key li", "all => all.map(t => t.textContent)") == classes
    assert opened.page.locator(".confusion.turned thead th").count() == 18
    assert opened.page.eval_on_selector(".confusion thead th", "h => h.offsetHeight > 2 * h.offsetWidth")


@pytest.mark.parametrize(
    ("labels", "letters", "expected"),
    [
        (["item 07", "item 41"], 2, ["07", "41"]),
        (["item07", "item41"], 2, ["07", "41"]),
        (["item 40", "item 41"], 2, ["40", "41"]),  # not inside a number
        (["100", "149"], 2, ["1", "2"]),  # numbered
        (["abandon", "abstain"], 5, ["aban…", "abst…"]),  # not inside a word
        (["a", "a b"], 1, ["1", "2"]),  # nothing would be left of the first
        (["yes", "no"], 3, ["yes", "no"]),
        (["x 1.25", "x 1.5"], 4, ["1.25", "1.5"]),
    ],
    ids=str,
)
def test_short_names(labels, letters, expected, compute, digits):
    """Names for small places: whole, without their shared beginning, cut, or numbered."""
    code = f"() => shortNames({labels!r}, {letters}).names"
    assert compute(digits[-1], code) == expected


@pytest.mark.parametrize(("n_classes", "title"), [(45, "Confusions"), (5, "Confusion matrix")])
def test_no_errors_are_said_in_words(n_classes, title, show):
    """Without errors there is no empty list of confusions."""
    opened = show(with_labels(str, n_classes, "ddag", spread=100.0))
    assert opened.text("#confusion-title") == title
    said = opened.text("#confusion-section")
    assert ("No sample is misclassified." in said) == (n_classes == 45)
    assert ("Choose a cell" in said) == (n_classes == 5)
    assert "0 most frequent" not in said


@pytest.mark.parametrize(
    ("structure", "lines", "words"),
    [("ddag", 2, "many samples"), ("max_wins", 0, "few samples"), ("one_vs_rest", 0, "for the class")],
)
def test_legend_is_that_of_the_drawing(structure, lines, words, show, three_blobs):
    """Line widths only where there are lines; without labels no true class."""
    X, y = three_blobs
    clf = dagmar.SVC(structure=structure).fit(X, y)
    opened = show(dagmar.explore(clf, X, y))
    assert opened.page.locator("#legend .line").count() == lines
    assert words in opened.text("#legend")
    assert ("true class lost" in opened.text("#legend")) == (structure != "one_vs_rest")
    assert "true class lost" not in show(dagmar.explore(clf, X)).text("#legend")


def test_new_answer_has_the_colour_of_its_badge(digits, show):
    """A feature that makes the answer right: both are green; without labels a new answer is marked as new."""
    clf, X, y, made = digits
    search = """(truth) => {
      const { whatIf, panel } = explorer;
      for (const input of document.querySelectorAll("#sliders input"))
        for (const value of [input.min, input.max]) {
          const k = +input.dataset.feature, old = whatIf.x[k];
          whatIf.x[k] = +value;
          panel.show(whatIf.sample, whatIf.x, true);
          whatIf._words();
          if (panel.answer === truth) return true;
          whatIf.x[k] = old;
        }
      return false;
    }"""
    colour = "(s) => getComputedStyle(document.querySelector(s)).color"
    opened = show(made)
    before = opened.evaluate(colour, "#whatif-answer")
    assert before == opened.evaluate(colour, "#decision-badges .badge")
    k = int(opened.text("#decision-title").split()[1])
    assert opened.evaluate(search, int(y[k]))
    opened.page.wait_for_timeout(200)
    after = opened.evaluate(colour, "#whatif-answer")
    assert before != after == opened.evaluate(colour, "#decision-badges .badge.right")
    opened = show(dagmar.explore(clf, X))  # the closest call is shown first
    assert opened.page.get_attribute("#whatif-answer", "class") == ""
    opened.evaluate("""() => {
      const { whatIf, panel, context } = explorer, { answer } = context.samples;
      whatIf.x = context.original(answer.findIndex((c) => c !== answer[whatIf.sample]));
      panel.show(whatIf.sample, whatIf.x, true);
      whatIf._words();
    }""")
    assert opened.page.get_attribute("#whatif-answer", "class") == "changed"


def test_images_can_be_switched_off(digits, show):
    """The box shows bars and names of features in place of images and pixels, and back; moved features stay moved."""
    clf, X, y, _ = digits
    opened = show(dagmar.explore(clf, X, y))
    page = opened.page
    assert opened.text("#images-choice") == "8 × 8 images (a guess)"
    page.locator("#sliders input").first.focus()
    page.keyboard.press("Home")
    page.locator("#whatif-live", has_text="1 feature moved").wait_for()
    page.uncheck("#images")
    assert page.locator("canvas").count() == 0
    assert page.locator("#decision-picture svg.bars").count() == 1
    assert opened.text("#sliders label >> nth=0").startswith("feature ")
    assert "features moved" in opened.text("#decision-badges")
    page.check("#images")
    assert page.locator("#samples-body canvas").count() == 50
    assert opened.text("#sliders label >> nth=0").startswith("pixel ")
    opened = show(dagmar.explore(clf, X, y, image=None))
    assert opened.page.is_hidden("#images-choice")
    assert opened.page.locator("canvas").count() == 0
    assert opened.said == []


# ---------------------------------------------------------- without a browser


def test_page_is_complete_in_itself(digits):
    """No address, no link to a file, and a policy that allows only this script and this style."""
    made = digits[-1]
    assert not re.findall(r"""(?:src|href)=["'](?!#)""", made.html)
    assert set(re.findall(r"https?://[^\s\"'`]+", made.html)) <= {"http://www.w3.org/2000/svg"}
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', made.html)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert repr(made).startswith("Page(rows=")


def test_marks_in_texts_stay(digits):
    """A title that looks like a mark of the template is not filled in."""
    made = make_html("{{data}}", {"labels": "{{script}}"})
    assert "<title>{{data}}</title>" in made
    assert '{"labels":"{{script}}"}' in made


def test_scripts_are_small_and_in_the_package():
    """Every script of the folder is in the page, and none has grown beyond 400 lines."""
    from importlib.resources import files

    folder = files("dagmar.explorer")
    found = {file.name for file in folder.iterdir() if file.name.endswith(".js")}
    assert found == set(SCRIPTS)
    assert max(len(folder.joinpath(name).read_text().splitlines()) for name in SCRIPTS) <= 400


def test_data_of_a_page_can_be_read(digits):
    """The data is JSON with the labels as texts."""
    assert data_of(digits[-1])["classes"] == [str(c) for c in range(10)]


def test_feature_weights_are_shown(show, seven_blobs):
    """As bars, the largest first. A support vector has no known value where the weight is 0, and sliders move all features."""
    X, y = seven_blobs
    weights = dagmar.tuning.FeatureWeights([1.0, 4.0, 0.0, 2.0, 3.0])
    model = make_pipeline(StandardScaler(), weights, dagmar.SVC(structure="ddag")).fit(X, y)
    opened = show(dagmar.explore(model, X, y))
    page = opened.page
    assert page.locator("#weights .weight-name").all_inner_texts() == ["x1", "x4", "x3", "x0", "x2"]
    widths = page.locator("#weights .bar-fill").evaluate_all("bars => bars.map((bar) => bar.style.width)")
    assert widths == ["100%", "75%", "50%", "25%", "0%"]
    shown = np.array(
        opened.evaluate("() => [...explorer.context.vectorFeatures(0)].map((v) => (isNaN(v) ? null : v))"), float
    )
    vector = X[model[-1].support_[0]]
    np.testing.assert_allclose(shown[[0, 1, 3, 4]], vector[[0, 1, 3, 4]], rtol=1e-5)
    assert np.isnan(shown[2])
    page.focus("#slider1")
    page.keyboard.press("ArrowRight")
    page.locator("#whatif-live", has_text="1 feature moved").wait_for()
    assert opened.said == []
    assert show(dagmar.explore(model[-1], model[:-1].transform(X), y)).page.is_hidden("#weights-section")
