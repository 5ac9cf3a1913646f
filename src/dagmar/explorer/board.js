// Scenes without a fixed way through: the board of a vote (who met whom) and the list of a poll (one machine per class).

const MOST_ON_BOARD = 60; // classes; with more, those that the sample met

// A cell for each pair of classes, below the diagonal, which has the labels. A column at the right counts wins.
function boardScene(context, decision) {
  const { plan, classes, traffic } = context, n = classes.length;
  const longest = Math.max(...classes.map((label) => [...label].length));
  const cell = n <= 12 ? 40 : n <= 20 ? 28 : 22, letters = n <= 12 ? 5 : 2;
  const margin = Math.min(longest, 10) * 7 + 12;
  const shown = classesOnBoard(context, decision);
  const scene = { nodes: [], edges: [], width: margin + shown.length * cell + 70, height: shown.length * cell + 24, left: 0, board: true };
  scene.note = shown.length < n ? `Only the ${shown.length} classes that this sample met first are drawn.` : "";
  shown.forEach((a, down) => {
    const y = cell * (down + 0.5) + 2;
    const label = { kind: "label", title: classes[a], height: cell };
    scene.nodes.push({ ...label, key: `row${a}`, x: margin / 2, y, width: margin, text: [shorten(classes[a], 10)] });
    scene.nodes.push({ ...label, key: `class${a}`, x: margin + cell * (down + 0.5), y, width: cell, text: [shorten(classes[a], letters)] });
    scene.nodes.push({ key: `tally${a}`, x: margin + shown.length * cell + 36, y, width: 60, height: cell, kind: "tally", text: [""], title: `Wins of ${classes[a]}` });
    shown.slice(0, down).forEach((b, across) => {
      const machine = plan.machineOf[a * n + b], low = Math.min(a, b), high = Math.max(a, b);
      if (machine < 0) return;
      const ways = [passing(context, machine, 0), passing(context, machine, 1)];
      const count = ways[0].count + ways[1].count;
      const typical = count ? (ways[0].margin * ways[0].count + ways[1].margin * ways[1].count) / count : 0;
      const title = `${classes[low]} against ${classes[high]}. For ${classes[low]}: ${trafficWords(context, ways[0].count, ways[0].margin)}. For ${classes[high]}: ${trafficWords(context, ways[1].count, ways[1].margin)}.`;
      scene.nodes.push({ key: `machine${machine}`, x: margin + cell * (across + 0.5), y, width: cell - 2, height: cell - 2, kind: "cell", letters, text: [""], title, count, margin: typical });
    });
  });
  scene.most = traffic.counts.reduce((most, _, k) => (k % 2 ? Math.max(most, traffic.counts[k] + traffic.counts[k - 1]) : most), 1);
  return scene;
}

function classesOnBoard(context, decision) {
  const all = [...context.classes.keys()];
  if (all.length <= MOST_ON_BOARD) return all;
  const met = new Set(decision ? [decision.answer, ...decision.steps.flatMap(({ first, second }) => [first, second])] : all);
  return [...met].slice(0, MOST_ON_BOARD).sort((a, b) => a - b);
}

// A line for each class: its value for the sample as a bar from 0.
function pollScene(context) {
  const { classes } = context, line = 24;
  const longest = Math.min(14, Math.max(...classes.map((label) => [...label].length)));
  const margin = longest * 7 + 16, width = 280;
  const scene = { nodes: [], edges: [], width: margin + width + 190, height: classes.length * line + 8, left: 0, poll: { x: margin, width } };
  classes.forEach((label, c) => {
    const y = line * (c + 0.5) + 4, { count, margin: lead } = passing(context, c, 1);
    const words = count ? `${many(count, "sample")}, lead ${digits(lead)}` : "no sample";
    const title = `${label} against the rest. Largest for ${words}.`;
    scene.nodes.push({ key: `row${c}`, x: margin / 2, y, width: margin, height: line, kind: "label", text: [shorten(label, 14)], title: label });
    scene.nodes.push({ key: `machine${c}`, x: margin + width / 2, y, width, height: line - 6, kind: "line", text: [""], title });
    scene.nodes.push({ key: `note${c}`, x: margin + width + 95, y, width: 180, height: line, kind: "tally", text: [words], title });
  });
  return scene;
}
