// Scenes without a fixed way through: the board of a vote (who met whom) and the list of a poll (one machine per class).

const MOST_ON_BOARD = 60; // classes; with more, those that the sample met

const LETTER = 7.7; // width of a bold letter of 11 px
const SCORES = 66; // width of the column of scores
const MOST_LETTERS = 12; // of a label at the left

// A cell for each pair of classes, below the diagonal, which has the labels. A column at the left counts wins and losses. Cells
// are narrower if there is not room for all, but wide enough for their labels.
function boardScene(context, decision, room) {
  const { plan, classes, traffic } = context,
    n = classes.length;
  const shown = classesOnBoard(context, decision);
  const { names, numbered, lines, margin, needed } = boardNames(classes, shown.length, room);
  const wanted = n <= 12 ? 40 : n <= 20 ? 28 : 18,
    fair = (room - margin - SCORES - 4) / shown.length;
  const across = Math.max(needed, Math.min(Math.max(wanted, needed + 8), fair)),
    down = Math.min(wanted, Math.max(across, 18)),
    top = 24; // for the heading
  const scene = {
    names,
    numbered,
    nodes: [],
    edges: [],
    width: margin + SCORES + shown.length * across + 4,
    height: top + shown.length * down + 6,
    board: true,
  };
  scene.nodes.push({
    key: "scores",
    x: margin + SCORES / 2,
    y: top / 2,
    width: SCORES,
    height: top,
    kind: "tally",
    text: ["won : lost"],
    title: "How many machines were for the class, and how many against it, up to this step",
  });
  scene.note = shown.length < n ? `Only the ${shown.length} classes that this sample met first are drawn.` : "";
  shown.forEach((a, line) => {
    const y = top + down * (line + 0.5) + 2,
      x = (place) => margin + SCORES + across * (place + 0.5);
    const label = { kind: "label", title: classes[a], height: down - 4 };
    scene.nodes.push({
      ...label,
      key: `row${a}`,
      x: margin / 2,
      y,
      width: margin - 4,
      text: [shorten(lines[a], MOST_LETTERS)],
    });
    scene.nodes.push({
      ...label,
      key: `class${a}`,
      x: x(line),
      y,
      width: across - 4,
      text: [names[a]],
    });
    scene.nodes.push({
      key: `tally${a}`,
      x: margin + SCORES / 2,
      y,
      width: SCORES,
      height: down,
      kind: "tally",
      text: [""],
      title: `Wins and losses of ${classes[a]}`,
    });
    shown.slice(0, line).forEach((b, place) => {
      const machine = plan.machineOf[a * n + b],
        low = Math.min(a, b),
        high = Math.max(a, b);
      if (machine < 0) return;
      const ways = [passing(context, machine, 0), passing(context, machine, 1)];
      const count = ways[0].count + ways[1].count;
      const typical = count ? (ways[0].margin * ways[0].count + ways[1].margin * ways[1].count) / count : 0;
      const title = pairTitle(classes[low], classes[high], ways);
      scene.nodes.push({
        key: `machine${machine}`,
        x: x(place),
        y,
        width: across - 2,
        height: down - 2,
        kind: "cell",
        text: [""],
        title,
        count,
        margin: typical,
      });
    });
  });
  scene.most = traffic.counts.reduce(
    (most, _, k) => (k % 2 ? Math.max(most, traffic.counts[k] + traffic.counts[k - 1]) : most),
    1,
  );
  return scene;
}

// The names in the cells and at the left, and the room that they need: names that fit, if there are any; numbers are shorter.
function boardNames(classes, nShown, room) {
  const n = classes.length;
  const ways = [n <= 4 ? 12 : n <= 12 ? 5 : 3, 1].map((letters) => {
    const { names, numbered } = shortNames(classes, letters);
    const lines = classes.map((label, c) => (numbered ? `${c + 1} ${label}` : label));
    const margin = Math.ceil(Math.min(longestOf(lines), MOST_LETTERS) * LETTER) + 12;
    return { names, numbered, lines, margin, needed: Math.ceil(longestOf(names) * LETTER) + 4 };
  });
  return ways.find(({ margin, needed }) => margin + SCORES + nShown * needed <= room - 4) || ways[0];
}

function classesOnBoard(context, decision) {
  const all = [...context.classes.keys()];
  if (all.length <= MOST_ON_BOARD) return all;
  const met = new Set(
    decision ? [decision.answer, ...decision.steps.flatMap(({ first, second }) => [first, second])] : all,
  );
  return [...met].slice(0, MOST_ON_BOARD).sort((a, b) => a - b);
}

// A line for each class: its value for the sample as a bar from 0.
function pollScene(context, room) {
  const { classes } = context,
    line = 24,
    notes = 156;
  const longest = Math.min(14, longestOf(classes));
  const margin = longest * LETTER + 16,
    width = Math.max(80, Math.min(220, room - margin - notes));
  const scene = {
    names: classes,
    nodes: [],
    edges: [],
    width: margin + width + notes,
    height: classes.length * line + 8,
    poll: { x: margin, width },
  };
  classes.forEach((label, c) => {
    const y = line * (c + 0.5) + 4,
      { count, margin: lead } = passing(context, c, 1);
    const words = count ? `${many(count, "sample")}, lead ${digits(lead)}` : "no sample";
    const title = `${label} against the rest. Largest for ${words}.`;
    scene.nodes.push({
      key: `row${c}`,
      x: margin / 2,
      y,
      width: margin,
      height: line,
      kind: "label",
      text: [shorten(label, 14)],
      title: label,
    });
    scene.nodes.push({
      key: `machine${c}`,
      x: margin + width / 2,
      y,
      width,
      height: line - 6,
      kind: "line",
      text: [""],
      title,
    });
    scene.nodes.push({
      key: `note${c}`,
      x: margin + width + 80,
      y,
      width: 150,
      height: line,
      kind: "tally",
      text: [words],
      title,
    });
  });
  return scene;
}
