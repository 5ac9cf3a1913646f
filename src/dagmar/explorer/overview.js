// The overview: accuracy, cost and size; feature weights; the confusion matrix, whose cells choose samples.

const LARGEST_MATRIX = 40; // classes; of more, the most frequent confusions
const MOST_CONFUSIONS = 40;
const LARGEST_IN_A_COLUMN = 20; // classes; a larger matrix has the width of the page

function showOverview(context, choose) {
  const { overview, samples, total } = context;
  const tile = (name, value, note) =>
    make(
      "div",
      { class: "tile" },
      make("dt", {}, name),
      make("dd", {}, make("strong", {}, value), make("span", {}, note)),
    );
  const shown = samples.answer.length;
  const tiles = [];
  if (overview.accuracy !== null) {
    tiles.push(tile("Accuracy", percent(overview.accuracy), `${many(total, "sample")}`));
    tiles.push(tile("Errors", overview.errors.toLocaleString("en"), `of ${many(total, "sample")}`));
  } else tiles.push(tile("Samples", total.toLocaleString("en"), "without labels"));
  tiles.push(
    tile(
      "Machines",
      digits(overview.machines),
      `consulted per decision, of ${overview.nMachines.toLocaleString("en")}`,
    ),
  );
  if (overview.evaluations !== null)
    tiles.push(
      tile(
        "Kernel evaluations",
        digits(overview.evaluations, 4),
        `per decision, ${many(overview.nVectors, "vector")} in all`,
      ),
    );
  if (overview.size !== null) tiles.push(tile("Size", overview.size.toLocaleString("en"), "stored numbers"));
  replaceIn("tiles", tiles);
  byId("subtitle").textContent =
    `${context.structure} · ${context.machinesWords} · ${many(context.classes.length, "class", "classes")}`;
  byId("choice").textContent =
    shown < total
      ? `This page has ${many(shown, "sample")} of ${total.toLocaleString("en")}: errors (up to half of the page), and of ` +
        "the others the same share of each class, chosen at random. Accuracy, confusion and cost are those of all samples; " +
        "traffic is that of the samples in the page."
      : "";
  byId("choice").hidden = shown === total;
  showWeights(context.weights);
  if (overview.confusion === null) {
    byId("confusion-section").hidden = true;
    return;
  }
  const names = [...context.classes, ...context.others];
  if (names.length <= LARGEST_MATRIX) showMatrix(context, names, choose);
  else showConfusions(context, names, choose);
}

// The largest feature weights as bars, if the model has any.
function showWeights(weights) {
  byId("weights-section").hidden = !weights;
  if (!weights) return;
  const { total, names, numbers } = weights;
  byId("weights-words").textContent =
    (names.length < total ? `The ${names.length} largest of ${many(total, "weight")}. ` : "") +
    "A feature with a larger weight changes the decisions more; the mean is 1.";
  const lines = names.map((name, k) => {
    const bar = make("span", { class: "bar-track", "aria-hidden": "true" }, make("span", { class: "bar-fill" }));
    bar.firstChild.style.width = `${(100 * numbers[k]) / numbers[0]}%`;
    return make("li", {}, make("span", { class: "weight-name", title: name }, name), bar, digits(numbers[k]));
  });
  replaceIn("weights", lines);
}

const LONGEST_HEADING = 16; // letters

function showMatrix(context, names, choose) {
  const { confusion } = context.overview,
    n = names.length,
    counts = new Map();
  for (let k = 0; k < confusion.shape[0]; k++)
    counts.set(`${confusion[3 * k]},${confusion[3 * k + 1]}`, confusion[3 * k + 2]);
  const most = { true: 1, false: 1 };
  for (const [key, count] of counts) {
    const right = key.split(",")[0] === key.split(",")[1];
    most[right] = Math.max(most[right], count);
  }
  const letters = n > 14 ? 3 : n > 5 ? 6 : 12;
  const rest = withoutSharedBeginning(names),
    whole = longestOf(names) <= letters,
    turned = !whole && longestOf(rest) > letters; // names that are too long for the columns are written upwards
  const headNames = whole ? names : rest.map((name) => shorten(name, turned ? LONGEST_HEADING : letters)),
    lineNames = longestOf(names) <= LONGEST_HEADING ? names : rest.map((name) => shorten(name, LONGEST_HEADING));
  const heads = context.classes.map((label, c) => make("th", { scope: "col", title: label }, headNames[c]));
  const lines = names.map((label, t) =>
    make(
      "tr",
      {},
      make("th", { scope: "row", title: label }, lineNames[t]),
      context.classes.map((predicted, p) => {
        const count = counts.get(`${t},${p}`) || 0;
        const words = `true ${label}, predicted ${predicted}: ${count ? many(count, "sample") : "none"}`;
        const cell = make(
          "td",
          {
            role: "gridcell",
            tabindex: "-1",
            "aria-label": words,
            title: words,
            "data-truth": t,
            "data-answer": p,
            class: !count ? "none" : t === p ? "right" : "wrong",
          },
          count ? String(count) : "",
        );
        if (count) cell.style.setProperty("--share", Math.sqrt(count / most[t === p]).toFixed(3));
        return cell;
      }),
    ),
  );
  const table = make(
    "table",
    {
      class: `confusion${n > 14 ? " dense" : ""}${turned ? " turned" : ""}`,
      role: "grid",
      "aria-label":
        "Confusion matrix: rows are true classes, columns predicted ones. Enter shows the samples of a cell.",
    },
    make("thead", {}, make("tr", {}, make("td", { class: "corner" }, "true \\ predicted"), heads)),
    make("tbody", {}, lines),
  );
  table.style.setProperty("--classes", n);
  const cells = [...table.querySelectorAll("tbody td")],
    wide = context.classes.length;
  const start = cells.find((cell) => cell.classList.contains("wrong")) || cells[0];
  start.setAttribute("tabindex", "0");
  const pick = (cell) => {
    moveFocus(table.querySelector('[tabindex="0"]'), cell);
    if (!cell.classList.contains("none")) choose(Number(cell.dataset.truth), Number(cell.dataset.answer));
  };
  table.addEventListener(
    "click",
    (event) => event.target.closest("tbody td") && pick(event.target.closest("tbody td")),
  );
  table.addEventListener("keydown", (event) => {
    const at = cells.indexOf(document.activeElement);
    const to = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at - wide,
      ArrowDown: at + wide,
      Home: at - (at % wide),
      End: at - (at % wide) + wide - 1,
    }[event.key];
    if (at < 0) return;
    if (event.key === "Enter" || event.key === " ") pick(cells[at]);
    else if (to !== undefined) moveFocus(cells[at], cells[to]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  byId("confusion-words").textContent =
    "Rows are true classes, columns predicted ones. Choose a cell to see its samples.";
  replaceIn("confusion", table);
  if (n > LARGEST_IN_A_COLUMN) byId("overview-section").after(byId("confusion-section"));
  const box = byId("confusion");
  new ResizeObserver(() => (byId("confusion-more").hidden = box.scrollWidth <= box.clientWidth)).observe(box);
}

// With very many classes: the most frequent confusions, as buttons.
function showConfusions(context, names, choose) {
  const { confusion } = context.overview,
    found = [];
  for (let k = 0; k < confusion.shape[0]; k++)
    if (confusion[3 * k] !== confusion[3 * k + 1]) found.push(Array.from(row(confusion, k)));
  found.sort((a, b) => b[2] - a[2]);
  const items = found
    .slice(0, MOST_CONFUSIONS)
    .map(([t, p, count]) =>
      make(
        "li",
        {},
        make("button", { type: "button", onclick: () => choose(t, p) }, `${names[t]} taken for ${names[p]}: ${count}`),
      ),
    );
  byId("confusion-title").textContent = "Confusions";
  const words =
    found.length > items.length
      ? `The ${items.length} most frequent of ${many(found.length, "confusion")}.`
      : `${many(found.length, "confusion")}${found.length > 1 ? ", the most frequent first" : ""}.`;
  byId("confusion-words").textContent = found.length
    ? `${words} Choose one to see its samples.`
    : "No sample is misclassified.";
  replaceIn("confusion", found.length ? make("ol", { class: "confusions", "aria-label": words }, items) : []);
}

// Marks the cell whose samples are shown.
function markCell(truth, answer) {
  for (const cell of document.querySelectorAll(".confusion tbody td"))
    cell.setAttribute(
      "aria-selected",
      String(Number(cell.dataset.truth) === truth && Number(cell.dataset.answer) === answer),
    );
}
