// The table of samples: sorted, searched, filtered, a page at a time.

const ROWS_PER_PAGE = 50;
const COLUMNS = [
  { key: "place", name: "row", of: (s, k) => s.place[k] },
  { key: "truth", name: "true", of: (s, k) => (s.truth ? s.truth[k] : 0) },
  { key: "answer", name: "predicted", of: (s, k) => s.answer[k] },
  { key: "closest", name: "closest call", of: (s, k) => s.closest[k] },
  { key: "machines", name: "machines", of: (s, k) => s.machines[k] },
];

class SamplesTable {
  constructor(context, select) {
    this.context = context;
    this.select = select;
    this.sort = { key: "errors", down: false };
    this.filter = "all";
    this.cell = null;
    this.words = [];
    this.page = 0;
    this.chosen = -1;
    const { samples } = context;
    this.columns = COLUMNS.filter(({ key }) => key !== "truth" || samples.truth);
    this.wrong = (k) => samples.truth !== null && samples.truth[k] !== samples.answer[k];
    byId("search").addEventListener("input", (event) => this._search(event.target.value));
    for (const input of document.querySelectorAll('input[name="filter"]'))
      input.addEventListener("change", () => this._filter(input.value));
    byId("errors-filter").hidden = !samples.truth;
    byId("page-before").addEventListener("click", () => this._turn(-1));
    byId("page-next").addEventListener("click", () => this._turn(1));
    byId("clear-cell").addEventListener("click", () => {
      this.showCell(null);
      byId("search").focus();
    });
    this.body = byId("samples-body");
    this.body.addEventListener("click", (event) => {
      const line = event.target.closest("tr");
      if (line) this._choose(Number(line.dataset.sample), true);
    });
    this.body.addEventListener("keydown", (event) => this._keys(event));
    this.redraw();
  }

  redraw() {
    this._head();
    this.update();
  }

  _head() {
    const cells = this.columns.map(({ key, name }) =>
      make(
        "th",
        { scope: "col", "aria-sort": "none", "data-key": key, class: key },
        make("button", { type: "button", onclick: () => this._sortBy(key) }, name),
      ),
    );
    const picture = this.context.image ? [make("th", { scope: "col" }, "image")] : [];
    byId("samples-head").replaceChildren(make("tr", {}, picture, cells));
  }

  _search(text) {
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.page = 0;
    this.update();
  }

  _filter(value) {
    this.filter = value;
    this.page = 0;
    this.update();
  }

  _sortBy(key) {
    this.sort = { key, down: this.sort.key === key ? !this.sort.down : false };
    this.page = 0;
    this.update();
  }

  _turn(by) {
    this.page += by;
    this.update();
    byId("samples-box").scrollTop = 0;
  }

  // Shows only the samples of a cell of the confusion matrix; null for all.
  showCell(cell) {
    this.cell = cell;
    this.page = 0;
    this.update();
    markCell(...(cell || [null, null]));
  }

  // A word finds a row by its number, or a label that has it.
  _matches(k) {
    const { samples, labelName } = this.context;
    const labels = [samples.answer[k], ...(samples.truth ? [samples.truth[k]] : [])].map((c) =>
      labelName(c).toLowerCase(),
    );
    return this.words.every(
      (word) => String(samples.place[k]) === word || labels.some((label) => label.includes(word)),
    );
  }

  _found() {
    const { samples } = this.context,
      found = [];
    for (let k = 0; k < samples.answer.length; k++) {
      if (this.cell && (samples.truth[k] !== this.cell[0] || samples.answer[k] !== this.cell[1])) continue;
      if (this.filter === "errors" && !this.wrong(k)) continue;
      if (this.filter === "close" && !(samples.closest[k] < this.context.marginUnit)) continue;
      if (this.words.length && !this._matches(k)) continue;
      found.push(k);
    }
    const closest = (a, b) => samples.closest[a] - samples.closest[b] || a - b;
    const column = this.columns.find(({ key }) => key === this.sort.key);
    if (!column) return found.sort((a, b) => this.wrong(b) - this.wrong(a) || closest(a, b));
    const sign = this.sort.down ? -1 : 1;
    return found.sort((a, b) => sign * (column.of(samples, a) - column.of(samples, b)) || closest(a, b));
  }

  update() {
    const { samples, labelName, classes } = this.context;
    this.found = this._found();
    const pages = Math.max(1, Math.ceil(this.found.length / ROWS_PER_PAGE));
    this.page = Math.max(0, Math.min(this.page, pages - 1));
    const here = this.found.slice(this.page * ROWS_PER_PAGE, (this.page + 1) * ROWS_PER_PAGE);
    const lines = here.map((k) => this._line(k));
    this.body.replaceChildren(
      ...(lines.length
        ? lines
        : [make("tr", { class: "nothing" }, make("td", { colspan: "6" }, "No sample matches."))]),
    );
    this._markChosen();
    for (const head of byId("samples-head").querySelectorAll("th[data-key]"))
      head.setAttribute(
        "aria-sort",
        head.dataset.key === this.sort.key ? (this.sort.down ? "descending" : "ascending") : "none",
      );
    byId("page-words").textContent = `Page ${this.page + 1} of ${pages}`;
    byId("page-before").disabled = this.page === 0;
    byId("page-next").disabled = this.page === pages - 1;
    byId("found").textContent =
      `${many(this.found.length, "sample")}` +
      (this.found.length < samples.answer.length ? ` of ${samples.answer.length.toLocaleString("en")}` : "");
    byId("clear-cell").hidden = !this.cell;
    if (this.cell)
      byId("clear-cell").textContent =
        `true ${shorten(labelName(this.cell[0]), 12)}, predicted ${shorten(classes[this.cell[1]], 12)} ✕`;
  }

  _line(k) {
    const { samples, labelName, image: isImage } = this.context,
      wrong = this.wrong(k);
    const label = (c) => make("td", { class: "label", title: labelName(c) }, labelName(c));
    const cells = {
      place: () => make("td", { class: "number" }, String(samples.place[k])),
      truth: () => label(samples.truth[k]),
      answer: () => label(samples.answer[k]),
      closest: () => make("td", { class: "number" }, digits(samples.closest[k], 2)),
      machines: () => make("td", { class: "number machines" }, String(samples.machines[k])),
    };
    const small = isImage
      ? [make("td", { class: "small" }, picture(this.context.original(k), this.context, { size: 26, label: "" }))]
      : [];
    const words =
      `row ${samples.place[k]}, ` +
      (samples.truth ? `true ${labelName(samples.truth[k])}, ` : "") +
      `predicted ${labelName(samples.answer[k])}${wrong ? ", wrong" : ""}, closest call ${digits(samples.closest[k])}`;
    return make(
      "tr",
      { "data-sample": k, tabindex: "-1", class: wrong ? "wrong" : "", "aria-label": words, "aria-selected": "false" },
      small,
      this.columns.map(({ key }) => cells[key]()),
    );
  }

  _markChosen() {
    let first = null;
    for (const line of this.body.children) {
      const is = Number(line.dataset.sample) === this.chosen;
      line.setAttribute("aria-selected", String(is));
      line.setAttribute("tabindex", is ? "0" : "-1");
      first = is ? line : first;
    }
    if (!first && this.body.firstElementChild && this.found.length)
      this.body.firstElementChild.setAttribute("tabindex", "0");
  }

  _choose(k, byPointer = false) {
    this.chosen = k;
    this._markChosen();
    this.select(k, byPointer);
  }

  // The first sample of the list, when the page opens.
  chooseFirst() {
    if (this.found.length) this._choose(this.found[0]);
  }

  _keys(event) {
    const line = event.target.closest("tr");
    if (!line || line.dataset.sample === undefined) return;
    const at = this.found.indexOf(Number(line.dataset.sample));
    const by = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: ROWS_PER_PAGE,
      PageUp: -ROWS_PER_PAGE,
      Home: -Infinity,
      End: Infinity,
    }[event.key];
    if (event.key === "Enter" || event.key === " ") this._choose(this.found[at], true);
    else if (by !== undefined) {
      const to = Math.max(0, Math.min(this.found.length - 1, at + by));
      if (Math.floor(to / ROWS_PER_PAGE) !== this.page) {
        this.page = Math.floor(to / ROWS_PER_PAGE);
        this.update();
      }
      this._choose(this.found[to]);
      this.body.querySelector(`[data-sample="${this.found[to]}"]`).focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
