// The drawing of the structure, and the path of a sample in it.

const WIDEST_EDGE = 9;
const LARGEST_ZOOM = 1.35;
const SMALLEST_ZOOM = 1; // labels have 11 px; smaller ones cannot be read
const SCROLL_BAR = 20; // px that are kept free at the side of the drawing

class Structure {
  constructor(context) {
    this.context = context;
    this.box = byId("structure-box");
    this.caption = byId("structure-caption");
    this.zoom = null; // null: what fits
    byId("zoom-in").addEventListener("click", () => this._zoomBy(1.25));
    byId("zoom-out").addEventListener("click", () => this._zoomBy(0.8));
    byId("zoom-fit").addEventListener("click", () => this._zoomTo(null));
    this.lit = [null, 0, []];
    this._render(null);
    new ResizeObserver(() => this.resize()).observe(this.box);
  }

  // Draws again for another width of the page; the height of the drawing follows.
  resize() {
    if (this.room === this._room()) return this._zoomTo(this.zoom);
    this._render(this.lit[0]);
    this.light(...this.lit);
  }

  // The width of the box, whether it has a scroll bar or not.
  _room() {
    return Math.max(200, this.box.offsetWidth - SCROLL_BAR);
  }

  _scene(decision) {
    const { plan, classes } = this.context;
    if (plan.kind === "poll") return pollScene(this.context, this.room);
    if (plan.kind === "graph") {
      if (plan.triangle && plan.machine.length <= MOST_NODES) return triangleScene(this.context);
      const onPath = decision ? decision.steps.filter((s) => s.node !== undefined).map((s) => s.node) : [];
      return treeScene(this.context, onPath);
    }
    if (plan.rule === "bracket" && classes.length <= MOST_NODES) return bracketScene(this.context);
    return boardScene(this.context, decision, this.room);
  }

  _render(decision) {
    this.room = this._room();
    this.scene = this._scene(decision);
    const { width, height, nodes, edges } = this.scene;
    const most = Math.max(1, ...edges.map((edge) => (edge.key === "champion" ? 0 : edge.count)));
    this.parts = new Map();
    const lines = edges.map((edge) => this._edge(edge, most)),
      marks = nodes.map((node) => this._node(node));
    this.svg = draw(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        class: "structure",
        role: "group",
        "aria-label": `${this.context.structure}: arrow keys move between its parts`,
      },
      lines,
      marks,
    );
    this.svg.addEventListener("keydown", (event) => this._keys(event));
    const first = marks.find((mark) => mark.classList.contains("reached"));
    if (first) first.setAttribute("tabindex", "0");
    this.box.replaceChildren(this.svg);
    byId("structure-note").textContent = [
      this.scene.left > 0 ? `${many(this.scene.left, "node")} that few samples pass are not drawn.` : "",
      this.scene.note || "",
    ].join(" ");
    replaceIn("structure-key", this.scene.numbered && !this.scene.board ? keyOf(this.context.classes) : []);
    this._legend();
    const fitting = Math.max(SMALLEST_ZOOM, Math.min(LARGEST_ZOOM, this.room / width));
    this.box.style.setProperty("--natural", `${Math.round(fitting * height + 8)}px`);
    this._size();
  }

  // The marks that this drawing has.
  _legend() {
    const swatches = (...kinds) => kinds.map((kind) => make("span", { class: `swatch ${kind}` }));
    const line = (kind) => make("span", { class: `line ${kind}` });
    const values = [
      [swatches("level0"), " close"],
      [swatches("level1", "level2", "level3"), " clear values"],
    ];
    const sample = [
      [swatches("path"), " this sample"],
      this.context.samples.truth ? [swatches("fault"), " true class lost"] : null,
    ];
    const { poll, board } = this.scene;
    const items = poll
      ? [
          [swatches("path"), " for the class"],
          [swatches("level2"), " against it"],
        ]
      : board
        ? [
            [swatches("pale"), " few samples"],
            [swatches("level3"), " many"],
            ...values,
            ...sample,
            ["a : b machines won and lost"],
          ]
        : [[line("thick"), " many samples"], [line("thin"), " few"], ...values, ...sample];
    replaceIn(
      "legend",
      items.filter(Boolean).map((parts) => make("span", {}, parts.flat())),
    );
  }

  _level(margin) {
    const unit = this.context.marginUnit;
    return margin < 0.25 * unit ? 0 : margin < 0.5 * unit ? 1 : margin < unit ? 2 : 3;
  }

  _edge(edge, most) {
    const { from, to, count, margin, title } = edge;
    const path = edge.bent
      ? `M${from.x} ${from.y}H${(from.x + to.x) / 2}V${to.y}H${to.x}`
      : `M${from.x} ${from.y}L${to.x} ${to.y}`;
    const width = count ? 1 + (WIDEST_EDGE - 1) * Math.sqrt(Math.min(1, count / most)) : 0.75;
    const mark = draw(
      "path",
      { d: path, class: `edge level${this._level(margin)}${count ? "" : " empty"}`, "stroke-width": width.toFixed(2) },
      draw("title", {}, title),
    );
    this._remember(edge.key, mark, edge);
    return mark;
  }

  _node(node) {
    const { x, y, width, height, kind, text, title } = node;
    const box = draw("rect", {
      x: -width / 2,
      y: -height / 2,
      width,
      height,
      rx: kind === "cell" ? 2 : Math.min(10, height / 2),
    });
    const places = text.length === 2 ? [-width / 4, width / 4] : [0];
    const words = text.map((word, k) => draw("text", { x: places[k], y: 0 }, word));
    const split =
      text.length === 2
        ? draw("line", { x1: 0, x2: 0, y1: -height / 2 + 3, y2: height / 2 - 3, class: "split" })
        : null;
    const reached = kind !== "label" && kind !== "tally";
    const level = node.count ? ` level${this._level(node.margin)}` : kind === "cell" ? " empty" : "";
    const mark = draw(
      "g",
      {
        class: `${kind}${level}${reached ? " reached" : ""}`,
        transform: `translate(${x} ${y})`,
        role: reached ? "img" : null,
        "aria-label": reached ? title : null,
        tabindex: reached ? "-1" : null,
      },
      draw("title", {}, title),
      box,
      split,
      words,
    );
    if (node.count)
      box.style.setProperty("--share", (0.15 + 0.85 * Math.sqrt(node.count / this.scene.most)).toFixed(3));
    if (reached) {
      for (const event of ["focus", "pointerenter"])
        mark.addEventListener(event, () => (this.caption.textContent = title));
      mark.addEventListener("click", () => this._focus(mark));
    }
    this._remember(node.key, mark, node);
    return mark;
  }

  _remember(key, mark, part) {
    if (!this.parts.has(key)) this.parts.set(key, { mark, part });
  }

  // ------------------------------------------------------------------ keys

  _focus(mark) {
    moveFocus(this.svg.querySelector('[tabindex="0"]'), mark);
  }

  _keys(event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key],
      here = [...this.parts.values()].find(({ mark }) => mark === document.activeElement);
    if (!way || !here) return;
    event.preventDefault();
    event.stopPropagation();
    let best = null,
      nearest = Infinity;
    for (const { mark, part } of this.parts.values()) {
      if (!mark.classList.contains("reached") || mark === here.mark) continue;
      const dx = part.x - here.part.x,
        dy = part.y - here.part.y;
      const along = dx * way[0] + dy * way[1],
        aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
      if (along > 0.5 && along + 2 * aside < nearest) [best, nearest] = [mark, along + 2 * aside];
    }
    if (best) this._focus(best);
  }

  // ------------------------------------------------------------------ zoom

  _zoomBy(factor) {
    this._zoomTo(Math.min(3, Math.max(0.2, this._zoomNow() * factor)));
  }

  _zoomTo(zoom) {
    this.zoom = zoom;
    this._size();
    this._showCurrent();
  }

  // All of the scene if it can be read so.
  _zoomNow() {
    if (this.zoom !== null) return this.zoom;
    const { width, height } = this.scene;
    const whole = Math.min((this.box.clientWidth - 4) / width, (this.box.clientHeight - 4) / height);
    return Math.max(SMALLEST_ZOOM, Math.min(LARGEST_ZOOM, whole));
  }

  _size() {
    if (!this.scene) return;
    const zoom = this._zoomNow();
    this.svg.setAttribute("width", Math.round(this.scene.width * zoom));
    this.svg.setAttribute("height", Math.round(this.scene.height * zoom));
  }

  // ------------------------------------------------------------------ path

  // Lights up a decision to its step `at`; `lost` says at which steps the true class lost.
  light(decision, at, lost) {
    this.lit = [decision, at, lost];
    const changes = decision && (this.scene.left > 0 || this.scene.note);
    if (changes && decision.steps.some((step) => !this.parts.has(nodeKey(step)))) this._render(decision);
    for (const { mark } of this.parts.values()) mark.classList.remove("on", "later", "current", "wrong", "won");
    this.svg.querySelectorAll(".winner").forEach((text) => text.classList.remove("winner"));
    this.current = null;
    if (!decision) return;
    if (this.scene.board) this._clearBoard();
    decision.steps.forEach((step, k) => this._lightStep(step, k, at, lost[k], decision));
    if (this.scene.poll) this._drawPoll(decision);
    if (this.scene.board) this._tally(decision, at);
    if (at === decision.steps.length - 1 || this.scene.poll) this._lightAnswer(decision);
    this._showCurrent();
  }

  _lightStep(step, k, at, wrong, decision) {
    const found = this.parts.get(nodeKey(step)),
      edge = this.parts.get(edgeKey(step));
    const state = k <= at || this.scene.poll ? "on" : "later";
    for (const part of [found, edge]) {
      if (!part) continue;
      part.mark.classList.add(state);
      if (wrong && !this.scene.poll) part.mark.classList.add("wrong");
    }
    if (edge && state === "on") edge.mark.parentNode.insertBefore(edge.mark, this.svg.querySelector("g"));
    if (!found) return;
    const texts = found.mark.querySelectorAll("text"),
      { names } = this.scene;
    if (step.game !== undefined) {
      texts[0].textContent = k <= at ? names[step.first] : "";
      texts[1].textContent = k <= at ? names[step.second] : "";
    }
    const winner = wonAndLost(this.context.tasks, step).won;
    if (found.part.kind === "cell" && k <= at) texts[0].textContent = names[winner[0]];
    if (texts.length === 2 && k <= at) texts[this._winnerSide(step, found.part, winner[0])].classList.add("winner");
    if (k === at) {
      found.mark.classList.add("current");
      this.current = found;
    }
  }

  _winnerSide(step, node, winner) {
    if (step.game !== undefined) return winner === step.first ? 0 : 1;
    return node.left === undefined ? Number(step.positive) : Number(winner !== node.left);
  }

  _lightAnswer(decision) {
    const last = decision.steps[decision.steps.length - 1];
    const keys = [`leaf${decision.answer}`, `row${decision.answer}`, `class${decision.answer}`, "answer", "champion"];
    if (last && last.node !== undefined) keys.push(`end${last.node}:${Number(last.positive)}`);
    for (const key of keys) this.parts.get(key)?.mark.classList.add("won", "on");
    const answer = this.parts.get("answer");
    if (answer) answer.mark.querySelector("text").textContent = this.scene.names[decision.answer];
  }

  _clearBoard() {
    for (const { mark, part } of this.parts.values())
      if (part.kind === "cell") mark.querySelector("text").textContent = "";
    if (this.parts.get("answer")) this.parts.get("answer").mark.querySelector("text").textContent = "";
  }

  _tally(decision, at) {
    const wins = new Int32Array(this.context.classes.length),
      losses = wins.slice();
    decision.steps.slice(0, at + 1).forEach((step) => {
      const { won, lost } = wonAndLost(this.context.tasks, step);
      wins[won[0]]++;
      losses[lost[0]]++;
    });
    wins.forEach((count, c) => {
      const tally = this.parts.get(`tally${c}`);
      if (tally) tally.mark.querySelector("text").textContent = count + losses[c] ? `${count} : ${losses[c]}` : "";
    });
  }

  _drawPoll(decision) {
    const { x, width } = this.scene.poll,
      largest = Math.max(...decision.steps.map((s) => Math.abs(s.value)), 1e-12);
    for (const step of decision.steps) {
      const { mark, part } = this.parts.get(`machine${step.machine}`),
        reach = (width / 2) * (step.value / largest);
      mark.querySelectorAll(".value, .zero").forEach((old) => old.remove());
      mark.append(
        draw("rect", {
          class: `value ${step.value >= 0 ? "for" : "against"}`,
          x: Math.min(0, reach),
          y: -part.height / 2 + 2,
          width: Math.max(1, Math.abs(reach)),
          height: part.height - 4,
        }),
        draw("line", { class: "zero", x1: 0, x2: 0, y1: -part.height / 2, y2: part.height / 2 }),
      );
    }
    return x;
  }

  // Scrolls the drawing, not the page, so that the current node can be seen.
  _showCurrent() {
    if (!this.current) return;
    const zoom = this._zoomNow(),
      { x, y } = this.current.part,
      box = this.box;
    const see = (place, from, room) => (place < from + 40 || place > from + room - 40 ? place - room / 2 : from);
    box.scrollLeft = see(x * zoom, box.scrollLeft, box.clientWidth);
    box.scrollTop = see(y * zoom, box.scrollTop, box.clientHeight);
  }
}
