// Scenes without a fixed way through: the board of a vote (who met whom) and the list of a poll (one machine per class).

const MOST_ON_BOARD = 60; // classes; with more, those that the sample met

// A cell for each pair of classes, below the diagonal, which has the labels. A column at the right counts wins.
function boardScene(context, decision) {
  const { plan, classes, traffic } = context,
    n = classes.length;
  const longest = Math.max(...classes.map((label) => [...label].length));
  const letters = n <= 4 ? 12 : n <= 12 ? 5 : 2,
    down = n <= 12 ? 40 : n <= 20 ? 28 : 22;
  const across = Math.max(down, 8 * Math.min(longest, letters) + 8);
  const margin = Math.min(longest, 10) * 7 + 12;
  const shown = classesOnBoard(context, decision);
  const scene = {
    nodes: [],
    edges: [],
    width: margin + shown.length * across + 70,
    height: shown.length * down + 6,
    board: true,
  };
  scene.note = shown.length < n ? `Only the ${shown.length} classes that this sample met first are drawn.` : "";
  shown.forEach((a, line) => {
    const y = down * (line + 0.5) + 2,
      x = (place) => margin + across * (place + 0.5);
    const label = { kind: "label", title: classes[a], height: down - 4 };
    scene.nodes.push({
      ...label,
      key: `row${a}`,
      x: margin / 2,
      y,
      width: margin - 4,
      text: [shorten(classes[a], 10)],
    });
    scene.nodes.push({
      ...label,
      key: `class${a}`,
      x: x(line),
      y,
      width: across - 4,
      text: [shorten(classes[a], letters)],
    });
    scene.nodes.push({
      key: `tally${a}`,
      x: x(shown.length) + 16,
      y,
      width: 60,
      height: down,
      kind: "tally",
      text: [""],
      title: `Wins of ${classes[a]}`,
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
        letters,
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

function classesOnBoard(context, decision) {
  const all = [...context.classes.keys()];
  if (all.length <= MOST_ON_BOARD) return all;
  const met = new Set(
    decision ? [decision.answer, ...decision.steps.flatMap(({ first, second }) => [first, second])] : all,
  );
  return [...met].slice(0, MOST_ON_BOARD).sort((a, b) => a - b);
}

// A line for each class: its value for the sample as a bar from 0.
function pollScene(context) {
  const { classes } = context,
    line = 24;
  const longest = Math.min(14, Math.max(...classes.map((label) => [...label].length)));
  const margin = longest * 7 + 16,
    width = 220;
  const scene = {
    nodes: [],
    edges: [],
    width: margin + width + 156,
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
