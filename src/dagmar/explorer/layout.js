// Where the parts of a structure are drawn. A scene has nodes {key, x, y, width, height, text, title, kind} and edges {key,
// from, to, count, margin, title}; from and to are points. Steps of a decision find their node and edge by these keys.

const MOST_NODES = 400; // of a graph; with more, the busiest are drawn, and those on the path of the sample

const nodeKey = (step) =>
  step.node !== undefined
    ? `node${step.node}`
    : step.list !== undefined
      ? `list${step.list}`
      : step.game !== undefined
        ? `game${step.game}`
        : `machine${step.machine}`;
const edgeKey = (step) => {
  if (step.node !== undefined) return `edge${step.node}:${Number(step.positive)}`;
  if (step.game !== undefined) return `edge${step.game}:${Number(step.positive === step.first < step.second)}`;
  return null;
};

// The names of the classes in nodes; there is less room for each if there are many.
const nodeNames = ({ classes }) => shortNames(classes, classes.length <= 4 ? 14 : classes.length <= 12 ? 7 : 3);

// How large a node must be for two of these names.
function nodeSize({ names }) {
  const letters = longestOf(names);
  return { letters, width: 2 * 7 * letters + 10, height: 20 };
}

function passing(context, part, side) {
  const { counts, margins } = context.traffic;
  return { count: counts[2 * part + side], margin: margins[2 * part + side] };
}

function trafficWords({ count, margin }) {
  return count ? `${many(count, "sample")}, typical value ${digits(margin)}` : "no sample";
}

function sidesWords(context, machine, letters = 40, names = context.classes) {
  const { negative, positive } = sidesOf(context.tasks, machine);
  const words = (side) => shorten(side.map((c) => names[c]).join(", "), letters);
  return { negative: words(negative), positive: words(positive) };
}

function pairTitle(a, b, ways) {
  return `${a} against ${b}. For ${a}: ${trafficWords(ways[0])}. For ${b}: ${trafficWords(ways[1])}.`;
}

function graphNodeTitle(context, node) {
  const { negative, positive } = sidesWords(context, context.plan.machine[node]);
  const ways = [passing(context, node, 0), passing(context, node, 1)];
  return pairTitle(negative, positive, ways);
}

// ------------------------------------------------------------------ triangle

function triangleScene(context) {
  const { plan, classes } = context,
    n = classes.length,
    short = nodeNames(context),
    size = nodeSize(short);
  const dx = size.width + 4,
    dy = n > 12 ? 34 : 46;
  const at = (layer, place) => ({ x: ((n - 1) * dx) / 2 + (place - layer / 2) * dx + dx / 2, y: 16 + layer * dy });
  const first = (layer) => (layer * (layer + 1)) / 2;
  const order = triangleOrder(plan, n);
  const scene = { ...short, nodes: [], edges: [], width: n * dx, height: 32 + (n - 1) * dy };
  for (let layer = 0; layer < n - 1; layer++)
    for (let place = 0; place <= layer; place++) {
      const node = first(layer) + place,
        here = at(layer, place);
      const left = order[place],
        right = order[n - 1 - layer + place];
      // The left way is taken when the left class wins, which is the negative side unless it is the later class.
      [left, right].forEach((winner, side) => {
        const positive = Number(winner > (side ? left : right));
        const { count, margin } = passing(context, node, positive);
        const title = `${classes[winner]} beats ${classes[side ? left : right]}: ${trafficWords({ count, margin })}`;
        scene.edges.push({
          key: `edge${node}:${positive}`,
          from: here,
          to: at(layer + 1, place + side),
          count,
          margin,
          title,
        });
      });
      scene.nodes.push({
        key: `node${node}`,
        ...here,
        ...size,
        left,
        kind: "machine",
        title: graphNodeTitle(context, node),
        text: [short.names[left], short.names[right]],
      });
    }
  order.forEach((c, place) => scene.nodes.push(leafNode(context, c, `leaf${c}`, at(n - 1, place), short)));
  return scene;
}

// The list of classes that a triangle starts with, from left to right.
function triangleOrder(plan, n) {
  const last = ((n - 2) * (n - 1)) / 2;
  const ends = Array.from({ length: n - 1 }, (_, p) => [
    leafClass(plan.onNegative[last + p]),
    leafClass(plan.onPositive[last + p]),
  ]);
  if (n === 2) return ends[0];
  const shared = ends.slice(1).map((pair, p) => pair.find((c) => ends[p].includes(c)));
  return [ends[0].find((c) => c !== shared[0]), ...shared, ends[n - 2].find((c) => c !== shared[n - 3])];
}

function leafNode(context, c, key, point, { names }) {
  return {
    key,
    ...point,
    width: 7 * longestOf(names) + 12,
    height: 20,
    kind: "leaf",
    leaf: c,
    text: [names[c]],
    title: `Answer ${context.classes[c]}`,
  };
}

// --------------------------------------------------------------------- trees

// A graph from its root downwards. A node with several parents stands below the first of them; each leaf stands below its node.
function treeScene(context, onPath) {
  const { plan, classes } = context,
    n = classes.length,
    short = nodeNames(context),
    size = nodeSize(short);
  const kept = nodesToDraw(context, onPath);
  const scene = { ...short, nodes: [], edges: [], width: 0, height: 0, left: plan.machine.length - kept.size };
  const depth = new Map(),
    x = new Map(),
    slot = size.width + 8,
    dy = 58;
  let next = 0,
    deepest = 0;
  const deepen = (node, d) => {
    if (depth.get(node) >= d) return;
    depth.set(node, d);
    for (const end of [plan.onNegative[node], plan.onPositive[node]])
      if (isNode(end) && kept.has(end)) deepen(end, d + 1);
  };
  if (isNode(plan.root)) deepen(plan.root, 0);
  const ends = [];
  const place = (node) => {
    const middle = [];
    [plan.onNegative[node], plan.onPositive[node]].forEach((end, side) => {
      if (isNode(end) && kept.has(end)) {
        if (!x.has(end)) {
          x.set(end, 0); // placed below, but not twice
          place(end);
          middle.push(x.get(end));
        }
        ends.push({ node, side, end, key: `node${end}` });
      } else {
        const here = next++ * slot + slot / 2;
        middle.push(here);
        ends.push({ node, side, end, at: here, key: `end${node}:${side}` });
      }
    });
    x.set(node, middle.length ? (middle[0] + middle[middle.length - 1]) / 2 : next++ * slot + slot / 2);
  };
  if (isNode(plan.root)) place(plan.root);
  const point = (node) => ({ x: x.get(node), y: 18 + depth.get(node) * dy });
  for (const { node, side, end, at, key } of ends) {
    const to = at === undefined ? point(end) : { x: at, y: 18 + (depth.get(node) + 1) * dy };
    deepest = Math.max(deepest, to.y);
    const { count, margin } = passing(context, node, side);
    const winner = sidesWords(context, plan.machine[node])[side ? "positive" : "negative"];
    scene.edges.push({
      key: `edge${node}:${side}`,
      from: point(node),
      to,
      count,
      margin,
      title: `${winner} wins: ${trafficWords({ count, margin })}`,
    });
    if (at === undefined) continue;
    if (isNode(end))
      scene.nodes.push({
        key,
        ...to,
        width: 22,
        height: 18,
        kind: "more",
        text: ["…"],
        title: "Nodes that few samples pass are not drawn",
      });
    else if (leafClass(end) < n) scene.nodes.push(leafNode(context, leafClass(end), key, to, short));
    else {
      const list = leafClass(end) - n,
        length = plan.listBegin[list + 1] - plan.listBegin[list];
      scene.nodes.push({
        key: `list${list}`,
        ...to,
        width: 44,
        height: 20,
        kind: "leaf",
        text: [`${length} left`],
        title: `A list of ${length} classes, decided as in a DDAG`,
      });
    }
  }
  for (const node of x.keys()) {
    const { negative, positive } = sidesWords(context, plan.machine[node], size.letters, short.names);
    scene.nodes.push({
      key: `node${node}`,
      ...point(node),
      ...size,
      kind: "machine",
      text: [negative, positive],
      title: graphNodeTitle(context, node),
    });
  }
  return { ...scene, width: next * slot, height: deepest + 20 };
}

function nodesToDraw(context, onPath) {
  const { plan, traffic } = context,
    n = plan.machine.length;
  if (n <= MOST_NODES) return new Set(Array(n).keys());
  const busy = (node) => traffic.counts[2 * node] + traffic.counts[2 * node + 1];
  const busiest = [...Array(n).keys()].filter((node) => busy(node) > 0).sort((a, b) => busy(b) - busy(a) || a - b);
  return new Set([...busiest.slice(0, MOST_NODES), ...onPath]);
}

// ------------------------------------------------------------------- bracket

// Rounds from left to right. `games` has, for each game, the two slots that meet: a class at the start, or an earlier game.
function bracketScene(context) {
  const { plan } = context,
    short = nodeNames(context),
    size = nodeSize(short);
  const games = [];
  let list = Array.from(plan.order, (c) => ({ leaf: c, round: 0 }));
  while (list.length > 1) {
    const half = Math.floor(list.length / 2),
      winners = [];
    for (let g = 0; g < half; g++) {
      const slots = [list[g], list[list.length - 1 - g]];
      games.push({ slots, round: 1 + Math.max(...slots.map((s) => s.round)) });
      winners.push({ game: games.length - 1, round: games[games.length - 1].round });
    }
    list = winners.concat(list.slice(half, list.length - half));
  }
  const dx = size.width + 30,
    dy = 26,
    scene = { ...short, nodes: [], edges: [] };
  let next = 0;
  const xOf = (round) => size.width / 2 + 6 + round * dx;
  const place = (slot) => {
    if (slot.leaf !== undefined) {
      const point = { x: xOf(0), y: 16 + next++ * dy };
      scene.nodes.push(leafNode(context, slot.leaf, `start${slot.leaf}`, point, short));
      return point;
    }
    const game = games[slot.game],
      points = game.slots.map(place);
    const here = { x: xOf(game.round), y: (points[0].y + points[1].y) / 2 };
    points.forEach((point, side) => {
      const { count, margin } = passing(context, slot.game, side);
      scene.edges.push({
        key: `edge${slot.game}:${side}`,
        from: point,
        to: here,
        count,
        margin,
        bent: true,
        title: `Wins this game: ${trafficWords({ count, margin })}`,
      });
    });
    scene.nodes.push({
      key: `game${slot.game}`,
      ...here,
      ...size,
      kind: "machine",
      text: ["", ""],
      title: `Round ${game.round}`,
      game: slot.game,
    });
    return here;
  };
  const final = place(list[0]);
  const answer = { x: final.x + dx, y: final.y };
  scene.edges.push({
    key: "champion",
    from: final,
    to: answer,
    count: context.samples.answer.length,
    margin: Infinity,
    title: "The winner is the answer",
  });
  scene.nodes.push({
    key: "answer",
    ...answer,
    width: size.width,
    height: 20,
    kind: "leaf",
    text: [""],
    title: "Answer",
  });
  return { ...scene, width: answer.x + size.width / 2 + 6, height: 16 + next * dy };
}
