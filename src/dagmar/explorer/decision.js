// One decision: what was decided, step by step, and which support vectors pulled where.

const MOST_PULLS = 6;

class DecisionPanel {
  constructor(context, structure) {
    this.context = context;
    this.structure = structure;
    this.sample = -1;
    this.afterStep = () => {}; // what else follows a step
    byId("step-first").addEventListener("click", () => this.goTo(0));
    byId("step-before").addEventListener("click", () => this.goTo(this.at - 1));
    byId("step-next").addEventListener("click", () => this.goTo(this.at + 1));
    byId("step-last").addEventListener("click", () => this.goTo(Infinity));
    byId("step-wrong").addEventListener("click", () => this.goTo(this.fatal));
    byId("step-runner").addEventListener("click", () => this.goTo(this.runner ? this.runner.step : 0));
  }

  // Shows sample k with these features; `moved` says that they are not its own ("what if").
  show(k, x, moved) {
    const { context } = this,
      { samples, plan, classes } = context;
    const fresh = k !== this.sample;
    this.sample = k;
    this.x = x;
    this.moved = moved;
    this.source = context.machines ? computedSample(context.machines, x) : context.beforehand.sample(k);
    this.decision = this.source ? follow(plan, classes.length, this.source.valueOf) : null;
    const truth = samples.truth ? samples.truth[k] : null;
    this.answer = this.decision && moved ? this.decision.answer : samples.answer[k];
    this.lost = this.decision ? lossesOf(truth, this.decision, context) : [];
    this.fatal = this.decision ? fatalStep(truth, this.decision, context) : -1;
    this.runner = this.decision ? runnerUp(this.decision, context, this.source.valueOf) : null;
    this._heading(k, truth);
    this._verdict(k, truth);
    this._stepList();
    const start = this.fatal >= 0 ? this.fatal : this.decision ? this.decision.steps.length - 1 : 0;
    this.goTo(fresh ? start : Math.min(this.at, this.decision ? this.decision.steps.length - 1 : 0));
  }

  _heading(k, truth) {
    const { samples, labelName } = this.context,
      place = samples.place[k];
    const right = truth === null || truth === this.answer;
    byId("decision-title").textContent = `Row ${place}`;
    const badges = [
      make(
        "span",
        { class: `badge ${truth === null ? "" : right ? "right" : "wrong"}` },
        `${this.moved ? "what if: " : ""}predicted ${labelName(this.answer)}`,
      ),
    ];
    if (truth !== null) badges.push(" ", make("span", { class: "badge" }, `true ${labelName(truth)}`));
    if (this.moved) badges.push(" ", make("span", { class: "badge moved" }, "features moved"));
    replaceIn("decision-badges", badges);
    const own = this.context.features
      ? picture(this.x, this.context, { size: 96, label: `Row ${place}${this.moved ? ", moved" : ""}` })
      : make("span", { class: "hint" }, "no picture");
    replaceIn("decision-picture", own);
  }

  // The answers to: which machine was wrong, by how much, what was the runner-up.
  _verdict(k, truth) {
    const { labelName, plan, classes, samples } = this.context,
      lines = [];
    if (!this.decision) {
      const known = many(this.context.beforehand.placeOf.size, "sample");
      lines.push(
        `The steps of this sample are not in the page: it has those of ${known}, errors and close calls first.`,
      );
    } else {
      const name = (c) => labelName(c),
        { steps, answer } = this.decision;
      if (!this.moved && answer !== samples.answer[k])
        lines.push(
          `Computed here in float32, the answer is ${name(answer)}: a value is within rounding of 0.`,
          `predict says ${name(samples.answer[k])}.`,
        );
      if (truth !== null && truth >= classes.length) lines.push(`The model does not know the label ${name(truth)}.`);
      else if (this.fatal >= 0) lines.push(this._wrongWords(truth));
      else
        lines.push(
          `${truth === null ? "The answer is" : "Right:"} ${name(answer)}, after ${many(steps.length, "machine")}.`,
        );
      if (this.runner) lines.push(this._runnerWords());
    }
    replaceIn(
      "verdict",
      lines.map((line) => make("p", {}, line)),
    );
  }

  _wrongWords(truth) {
    const { labelName, plan } = this.context,
      { steps, answer } = this.decision,
      step = steps[this.fatal];
    if (plan.kind === "poll") {
      const own = steps[truth].value;
      const [said, less] = [`the machine of ${labelName(answer)} says ${signed(step.value)}`, digits(step.value - own)];
      return `Wrong: ${said}, that of ${labelName(truth)} says ${signed(own)}, ${less} less.`;
    }
    const by = `${this._winnerWords(step)} by ${digits(Math.abs(step.value))}${this._inside(step)}`;
    return isVote(plan)
      ? `Step ${this.fatal + 1} went against the true class ${labelName(truth)}: ${by}.`
      : `Step ${this.fatal + 1} decided wrongly: ${by}. It ruled out the true class ${labelName(truth)}.`;
  }

  _runnerWords() {
    const { labelName, plan } = this.context,
      { class: c, gap, votes, step } = this.runner;
    const name = labelName(c),
      answer = labelName(this.decision.answer);
    if (plan.kind === "poll") return `Runner-up: ${name}, ${digits(gap)} behind ${answer}.`;
    if (votes) {
      const wins = `${name} with ${many(votes[1], "win")}; ${answer} has ${votes[0]}`;
      const tie = votes[0] === votes[1] ? " Ties go to the earlier class." : "";
      return `Runner-up: ${wins}. Their machine says ${digits(gap)}.${tie}`;
    }
    return `Runner-up: ${name}. It would be the answer if step ${step + 1} (${digits(gap)}) had gone the other way.`;
  }

  _winnerWords(step) {
    const { won, lost } = wonAndLost(this.context.tasks, step),
      words = (side) => shorten(side.map((c) => this.context.classes[c]).join(" or "), 40);
    return `${words(won)} beats ${words(lost)}`;
  }

  _inside(step) {
    return this.context.kernelMachines && Math.abs(step.value) < 1 ? ", inside the margin" : "";
  }

  _stepList() {
    const { plan, classes } = this.context;
    if (!this.decision) return replaceIn("steps");
    const largest = Math.max(...this.decision.steps.map((step) => Math.abs(step.value)), 1e-12);
    const items = this.decision.steps.map((step, k) => {
      const words = plan.kind === "poll" ? `${classes[step.machine]} against the rest` : this._winnerWords(step);
      const flags = [
        this.lost[k] ? (plan.kind === "poll" ? (k === this.fatal ? "wrong" : "") : "true class lost") : "",
        this.runner && this.runner.step === k ? "runner-up" : "",
      ].filter(Boolean);
      const bar = make("span", { class: "bar-track", "aria-hidden": "true" }, make("span", { class: "bar-fill" }));
      bar.firstChild.style.width = `${(100 * Math.abs(step.value)) / largest}%`;
      const button = make(
        "button",
        {
          type: "button",
          tabindex: "-1",
          class: this.lost[k] && (plan.kind !== "poll" || k === this.fatal) ? "wrong" : "",
          onclick: () => this.goTo(k),
        },
        make("span", { class: "step-number" }, String(k + 1)),
        make("span", { class: "step-words", title: words }, words),
        bar,
        make("span", { class: "step-value" }, plan.kind === "poll" ? signed(step.value) : digits(Math.abs(step.value))),
        make("span", { class: "step-flag" }, flags.join(", ")),
      );
      return make("li", {}, button);
    });
    replaceIn("steps", items);
  }

  goTo(k) {
    const last = this.decision ? this.decision.steps.length - 1 : 0;
    this.at = Math.max(0, Math.min(last, k));
    const buttons = [...byId("steps").querySelectorAll("button")];
    const hadFocus = buttons.includes(document.activeElement);
    buttons.forEach((button, p) => {
      button.setAttribute("aria-current", p === this.at ? "step" : "false");
      button.setAttribute("tabindex", p === this.at ? "0" : "-1");
    });
    if (buttons[this.at]) {
      if (hadFocus) buttons[this.at].focus({ preventScroll: true });
      const box = byId("steps"),
        place = buttons[this.at].parentNode.offsetTop;
      if (place < box.scrollTop || place > box.scrollTop + box.clientHeight - 40)
        box.scrollTop = place - box.clientHeight / 2;
    }
    for (const [id, off] of [
      ["step-first", this.at === 0],
      ["step-before", this.at === 0],
      ["step-next", this.at === last],
      ["step-last", this.at === last],
      ["step-wrong", this.fatal < 0],
      ["step-runner", !this.runner || this.runner.step < 0],
    ])
      byId(id).disabled = off || !this.decision;
    this.structure.light(this.decision, this.at, this.lost);
    this._machine();
    this.afterStep();
  }

  // ------------------------------------------------------- one machine

  _machine() {
    const { plan, classes } = this.context;
    if (!this.decision) {
      byId("step-words").textContent = "No steps";
      byId("machine-title").textContent = "Machine";
      return (replaceIn("machine"), replaceIn("pulls"));
    }
    const step = this.decision.steps[this.at],
      { negative, positive } = sidesWords(this.context, step.machine, 30);
    byId("step-words").textContent = `Step ${this.at + 1} of ${this.decision.steps.length}`;
    byId("machine-title").textContent =
      plan.kind === "poll" ? `${classes[step.machine]} against the rest` : `${negative} against ${positive}`;
    const names = plan.kind === "poll" ? ["the rest", classes[step.machine]] : [negative, positive];
    replaceIn("machine", this._scale(step, names), this._facts(step, names));
    replaceIn("pulls", this._pulls(step, names));
  }

  // A line from the negative to the positive side, with the margin and the value.
  _scale(step, names) {
    const reach = Math.max(1.6 * this.context.marginUnit, Math.abs(step.value) * 1.1),
      place = (v) => 150 + (140 * v) / reach;
    const unit = this.context.kernelMachines ? 1 : 0;
    const at = place(step.value);
    return draw(
      "svg",
      {
        class: "scale",
        viewBox: "0 0 300 44",
        role: "img",
        "aria-label": `Value ${digits(step.value)}: for ${names[step.positive ? 1 : 0]}`,
      },
      unit
        ? draw(
            "rect",
            { class: "margin", x: place(-1), y: 16, width: place(1) - place(-1), height: 12 },
            draw("title", {}, "Inside the margin: |value| below 1"),
          )
        : null,
      draw("line", { class: "axis", x1: 6, x2: 294, y1: 22, y2: 22 }),
      draw("line", { class: "axis", x1: 150, x2: 150, y1: 14, y2: 30 }),
      draw("circle", {
        class: this.lost[this.at] && this.context.plan.kind !== "poll" ? "dot wrong" : "dot",
        cx: at,
        cy: 22,
        r: 6,
      }),
      draw("text", { x: Math.max(24, Math.min(276, at)), y: 10, class: "dot-value" }, signed(step.value)),
      draw("text", { x: 6, y: 42, class: "end-left" }, shorten(`← ${names[0]}`, 20)),
      draw("text", { x: 294, y: 42, class: "end-right" }, shorten(`${names[1]} →`, 20)),
    );
  }

  _facts(step, names) {
    const winner = names[step.positive ? 1 : 0];
    const found = this.source.pullsOf(this.at, step.machine);
    const words = [`Value ${signed(step.value)}, for ${winner}${this._inside(step)}.`];
    if (found && found.bias !== null) {
      const sum = (sign) => found.pulls.reduce((total, { term }) => total + Math.max(0, sign * term), 0);
      const [later, earlier] = [`${digits(sum(1))} towards ${names[1]}`, `${digits(sum(-1))} towards ${names[0]}`];
      words.push(`${many(found.pulls.length, "support vector")}: ${later}, ${earlier}, bias ${signed(found.bias)}.`);
    }
    return make("p", { class: "facts" }, words.join(" "));
  }

  _pulls(step, names) {
    const found = this.source.pullsOf(this.at, step.machine);
    if (!found)
      return [
        make(
          "p",
          { class: "hint" },
          `These machines are ${this.context.machinesWords}: they have no support vectors to show.`,
        ),
      ];
    const chosen = this.context.image || !this.context.features ? null : featuresToDraw(this.x, this.context);
    const group = (sign, name) => {
      const some = found.pulls
        .filter(({ term }) => sign * term > 0)
        .sort((a, b) => sign * (b.term - a.term))
        .slice(0, MOST_PULLS);
      const items = some.map((pull) => this._pull(pull, found.total, chosen));
      return make(
        "section",
        { class: `pull-group ${sign > 0 === step.positive ? "winning" : ""}`, "aria-label": `Pulled towards ${name}` },
        make("h4", {}, "Pulled towards ", make("b", {}, name), sign > 0 === step.positive ? " (won)" : ""),
        make(
          "ul",
          { class: this.context.image ? "images" : "" },
          items.length ? items : make("li", { class: "hint" }, "none"),
        ),
      );
    };
    const groups = [group(1, names[1]), group(-1, names[0])];
    return step.positive ? groups : groups.reverse();
  }

  _pull({ vector, term }, total, chosen) {
    const { vectors, labelName, features } = this.context,
      place = vectors.places[vector];
    const where = place < 0 ? "training row unknown" : `training row ${place}`;
    const size = `${signed(term)}, ${percent(Math.abs(term) / total)} of all pulls`;
    const words = `${where}, ${labelName(vectors.classes[vector])}: ${size}`;
    const numbers = features ? this.context.vectorFeatures(vector) : null;
    const mark = numbers ? picture(numbers, this.context, { size: 60, label: words, reference: this.x, chosen }) : null;
    return make(
      "li",
      { title: words },
      mark,
      make(
        "span",
        { class: "pull-words" },
        make("b", {}, labelName(vectors.classes[vector])),
        make("span", {}, place < 0 ? "row unknown" : `row ${place}`),
        make("span", { class: "number" }, `${signed(term)} · ${percent(Math.abs(term) / total, 2)}`),
      ),
    );
  }
}
