// The page: reads the data, makes the parts, and connects them.

function makeContext(data) {
  const { features } = data;
  const steps = new Steps(data.steps);
  const nFeatures = features ? features.low.length : 0;
  const context = {
    ...data,
    machinesWords: data.machines,
    kept: new Map(),
    machines: data.model ? new Machines(data.model, data.vectors, steps) : null,
    beforehand: data.beforehand ? new Beforehand(data.beforehand) : null,
    labelName: (c) => (c < data.classes.length ? data.classes[c] : data.others[c - data.classes.length]),
    featureName: (k) => {
      if (features.names) return features.names[k];
      const { image } = context;
      return image ? `pixel ${Math.floor(k / image[1])}, ${k % image[1]}` : `feature ${k}`;
    },
    original: (k) =>
      features ? Float64Array.from(row(features.numbers, k), (v, f) => v + features.offset[f]) : new Float64Array(0),
    vectorFeatures: (v) => {
      const { vectors, centre, scale } = data.vectors;
      if (!vectors) return null;
      return steps.backward(
        Float64Array.from(row(vectors, v), (value, k) => value / scale + centre[k]),
        nFeatures,
      );
    },
  };
  if (data.image) Object.assign(context, { darkest: Math.max(...features.high), lightest: Math.min(...features.low) });
  const margins = Array.from(data.traffic.margins)
    .filter((v) => v > 0)
    .sort((a, b) => a - b);
  // Values of kernel machines are measured in margins; those of others by what is usual.
  context.marginUnit = data.kernelMachines ? 1 : margins[Math.floor(margins.length / 2)] || 1;
  return context;
}

function connect(context) {
  const structure = new Structure(context);
  const panel = new DecisionPanel(context, structure);
  const whatIf = new WhatIf(context, panel);
  const narrow = window.matchMedia("(max-width: 1000px)");
  const table = new SamplesTable(context, (k, byPointer) => {
    whatIf.start(k);
    if (byPointer && narrow.matches) byId("decision-title").scrollIntoView({ block: "start" });
    byId("answer-live").textContent = byId("decision-title").textContent + ". " + byId("verdict").textContent;
  });
  showOverview(context, (truth, answer) => {
    table.showCell([truth, answer]);
    table.chooseFirst();
  });
  imagesChoice(context, () => {
    table.redraw();
    whatIf.redraw();
  });
  byId("whatif").hidden = !context.machines;
  byId("no-whatif").hidden = Boolean(context.machines);
  byId("after").hidden = !(context.features && context.features.after);
  if (context.features && context.features.after)
    byId("after").textContent = `These are the features after ${context.features.after}.`;
  byId("decision-picture").addEventListener("click", (event) => {
    const canvas = event.target.closest("canvas");
    if (!canvas || !context.machines) return;
    const box = canvas.getBoundingClientRect(),
      [height, width] = context.image;
    const across = Math.floor(((event.clientX - box.left) / box.width) * width),
      down = Math.floor(((event.clientY - box.top) / box.height) * height);
    whatIf.reach(down * width + across);
  });
  table.chooseFirst();
  return { context, structure, panel, whatIf, table };
}

// Rows as images or as bars. The size of the images may be a guess, so it can be switched off.
function imagesChoice(context, redraw) {
  const { image, imageGuessed } = context;
  byId("images-choice").hidden = !image;
  if (!image) return;
  byId("images-choice").lastElementChild.textContent =
    `${image[0]} × ${image[1]} images${imageGuessed ? " (a guess)" : ""}`;
  byId("images").addEventListener("change", (event) => {
    context.image = event.target.checked ? image : null;
    redraw();
  });
}

// Arrow keys go through the steps, except where they have another meaning.
function stepKeys(panel) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest("input, select, textarea, [role=grid], svg.structure, .scrolls")) return;
    const inSteps = Boolean(event.target.closest("#steps"));
    const to =
      { ArrowRight: panel.at + 1, ArrowLeft: panel.at - 1 }[event.key] ??
      (inSteps ? { ArrowDown: panel.at + 1, ArrowUp: panel.at - 1, Home: 0, End: Infinity }[event.key] : undefined);
    if (to === undefined) return;
    event.preventDefault();
    panel.goTo(to);
  });
}

function themeButton() {
  const button = byId("theme"),
    dark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
  const say = () => (button.textContent = isDark() ? "Light theme" : "Dark theme"); // what a press does
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    say();
  });
  dark.addEventListener("change", say);
  say();
}

async function start() {
  themeButton();
  const data = await unpackAll(JSON.parse(byId("data").textContent));
  byId("data").remove();
  const parts = connect(makeContext(data));
  stepKeys(parts.panel);
  byId("waiting").hidden = true;
  byId("content").hidden = false;
  parts.structure.resize();
  parts.panel.goTo(parts.panel.at);
  window.explorer = parts; // for the console, and for tests
}

start().catch((error) => {
  byId("waiting").textContent = `This page could not be opened: ${error.message}. It needs a browser of 2024 or later.`;
  throw error;
});
