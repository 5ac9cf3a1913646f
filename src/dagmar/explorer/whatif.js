// "What if": sliders move the features of the sample, and the decision is computed again.

const MOST_SLIDERS = 24;

class WhatIf {
  constructor(context, panel) {
    this.context = context;
    this.panel = panel;
    this.asked = 0;
    panel.afterStep = () => this._followStep();
    byId("whatif-reset").addEventListener("click", () => this.start(this.sample, true));
    byId("whatif-search").addEventListener("input", () => this._sliders());
    byId("whatif-order").addEventListener("change", () => this._sliders());
    byId("whatif-more").addEventListener("click", () => {
      this.most += MOST_SLIDERS;
      this._sliders();
    });
  }

  // Begins with the sample's own features.
  start(k, again = false) {
    this.sample = k;
    this.x = Float64Array.from(this.context.original(k));
    this.most = MOST_SLIDERS;
    this.panel.show(k, this.x, false);
    if (!this.context.machines) return;
    this._words();
    if (again) byId("whatif-live").textContent = "The sample has its own features again.";
  }

  redraw() {
    this.panel.show(this.sample, this.x, this._moved().length > 0);
  }

  // Another step, another machine: other features matter. Not while a slider moves.
  _followStep() {
    if (this.context.machines && !document.activeElement?.closest("#sliders")) this._sliders();
  }

  _moved() {
    const own = this.context.original(this.sample);
    return [...own.keys()].filter((k) => !(own[k] === this.x[k] || (Number.isNaN(own[k]) && Number.isNaN(this.x[k]))));
  }

  _order() {
    const { features, machines, featureName } = this.context,
      all = [...this.x.keys()];
    const searched = byId("whatif-search").value.toLowerCase();
    const found = all.filter(
      (k) => features.high[k] > features.low[k] && featureName(k).toLowerCase().includes(searched),
    );
    if (byId("whatif-order").value === "order") return found;
    const width = features.high.map((v, k) => v - features.low[k]),
      step = this.panel.decision.steps[this.panel.at];
    const slopes = machines.slopes(this.x, step.machine, width);
    const effect = (k) => Math.abs(slopes[k]) * width[k];
    return found.sort((a, b) => effect(b) - effect(a) || a - b);
  }

  _sliders() {
    const order = this._order(),
      some = order.slice(0, this.most);
    replaceIn(
      "sliders",
      some.map((k) => this._slider(k)),
    );
    byId("whatif-more").hidden = order.length <= some.length;
    byId("whatif-more").textContent = `${many(order.length - some.length, "more feature")}`;
  }

  _slider(k) {
    const { features, featureName } = this.context,
      own = this.context.original(this.sample)[k];
    const low = Math.min(features.low[k], Number.isNaN(own) ? Infinity : own),
      high = Math.max(features.high[k], Number.isNaN(own) ? -Infinity : own);
    const name = featureName(k),
      id = `slider${k}`,
      here = this.x[k];
    const output = make("output", { for: id }, digits(here));
    const input = make("input", {
      id,
      type: "range",
      min: low,
      max: high,
      step: features.whole[k] && high - low >= 2 ? 1 : "any",
      value: Number.isNaN(here) ? low : here,
      "data-feature": k,
      "aria-valuetext": digits(here),
      oninput: () => {
        this.x[k] = Number(input.value);
        output.textContent = digits(this.x[k]);
        input.setAttribute("aria-valuetext", output.textContent);
        input.parentNode.classList.toggle("moved", this.x[k] !== own);
        this._ask();
      },
    });
    // A slider of real numbers moves by a hundredth of its range with each key.
    input.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
      if (by === undefined || input.step !== "any") return;
      event.preventDefault();
      input.value = String(Number(input.value) + (by * (high - low)) / 100);
      input.dispatchEvent(new Event("input"));
    });
    return make(
      "div",
      { class: `slider${here === own || Number.isNaN(here) ? "" : " moved"}` },
      make("label", { for: id, title: name }, name),
      input,
      output,
    );
  }

  // Computes at most once per frame.
  _ask() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.panel.show(this.sample, this.x, this._moved().length > 0);
      this._words();
    });
  }

  _words() {
    const { samples, labelName } = this.context,
      { decision, runner } = this.panel,
      moved = this._moved();
    const was = labelName(samples.answer[this.sample]),
      is = labelName(decision.answer);
    byId("whatif-reset").disabled = !moved.length;
    byId("whatif-answer").textContent = is;
    // The colours of the badge above: whether the answer is right, if that is known; else whether it is new.
    const truth = samples.truth ? samples.truth[this.sample] : null,
      changed = moved.length > 0 && is !== was;
    byId("whatif-answer").className =
      truth === null ? (changed ? "changed" : "") : truth === decision.answer ? "right" : "wrong";
    byId("whatif-live").textContent = !moved.length
      ? "Move a feature to see the answer change."
      : `${many(moved.length, "feature")} moved. The answer is ${is}${is === was ? ", as before" : `; it was ${was}`}.` +
        (runner ? ` Runner-up: ${labelName(runner.class)}, ${digits(runner.gap)} away.` : "");
  }

  // Brings the slider of a pixel into view.
  reach(k) {
    if (!byId(`slider${k}`)) {
      byId("whatif-search").value = this.context.featureName(k);
      this._sliders();
    }
    byId(`slider${k}`)?.focus();
  }
}
