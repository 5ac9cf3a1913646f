// What a decision means: who won each step, where the true class lost, which class was next.

// The classes on the negative and the positive side of a machine.
function sidesOf(tasks, machine) {
  const negative = [],
    positive = [];
  for (let t = tasks.begin[machine]; t < tasks.begin[machine + 1]; t++)
    (tasks.sides[t] ? positive : negative).push(tasks.classes[t]);
  return { negative, positive };
}

function wonAndLost(tasks, step) {
  const { negative, positive } = sidesOf(tasks, step.machine);
  return step.positive ? { won: positive, lost: negative } : { won: negative, lost: positive };
}

// The classes that can still be reached behind an edge of a graph, as bits of a BigInt; kept for each node.
function reachable(plan, nClasses, edge, kept) {
  if (!isNode(edge)) {
    if (leafClass(edge) < nClasses) return 1n << BigInt(leafClass(edge));
    const list = leafClass(edge) - nClasses;
    return plan.listClasses
      .subarray(plan.listBegin[list], plan.listBegin[list + 1])
      .reduce((bits, c) => bits | (1n << BigInt(c)), 0n);
  }
  if (!kept.has(edge)) {
    const ends = [plan.onNegative[edge], plan.onPositive[edge]];
    kept.set(
      edge,
      ends.reduce((bits, end) => bits | reachable(plan, nClasses, end, kept), 0n),
    );
  }
  return kept.get(edge);
}

// Whether a class was ruled out at each step. In a poll: whether its own machine spoke against it, or another spoke louder.
function lossesOf(c, decision, context) {
  const { plan, tasks, classes } = context;
  if (c === null || c >= classes.length) return decision.steps.map(() => false);
  if (plan.kind === "poll") {
    const own = decision.steps[c].value;
    return decision.steps.map((step) => (step.machine === c ? decision.answer !== c : step.value > own));
  }
  return decision.steps.map((step) => {
    if (step.node === undefined || plan.triangle) return wonAndLost(tasks, step).lost.includes(c);
    const has = (edge) => Boolean(reachable(plan, classes.length, edge, context.kept) & (1n << BigInt(c)));
    const next = (step.positive ? plan.onPositive : plan.onNegative)[step.node];
    return has(step.node) && !has(next);
  });
}

// The step that cost a class the answer: where it was ruled out. In a vote: its meeting with the answer, if it lost that, else
// its closest loss. In a poll: the machine of the answer. -1 if there is none.
function fatalStep(c, decision, context) {
  const lost = lossesOf(c, decision, context);
  const steps = decision.steps.map((step, k) => ({ ...step, k })).filter(({ k }) => lost[k]);
  if (!steps.length || c === decision.answer) return -1;
  if (context.plan.kind === "poll") return decision.answer;
  if (!isVote(context.plan)) return steps[0].k;
  const met = steps.find(({ first, second }) => first === decision.answer || second === decision.answer);
  if (met) return met.k;
  return steps.reduce((best, step) => (Math.abs(step.value) < Math.abs(best.value) ? step : best)).k;
}

const isVote = (plan) => plan.kind === "knockout" && (plan.rule === "fewest_losses" || plan.rule === "everyone");

// The class that came next, and how: {class, step, gap, votes?}.
// As `explain` says it. A poll: the second largest value. A vote: most wins after the answer; of equal wins, the larger sum of
// values. Else: the answer if one verdict on the path, the closest that matters, had gone the other way.
function runnerUp(decision, context, valueOf) {
  const { plan, classes } = context,
    n = classes.length;
  if (plan.kind === "poll") {
    const order = [...decision.steps].sort((a, b) => b.value - a.value || a.machine - b.machine);
    const second = order.find((step) => step.machine !== decision.answer);
    return { class: second.machine, step: second.machine, gap: decision.steps[decision.answer].value - second.value };
  }
  if (isVote(plan) && n > 2) {
    const wins = new Int32Array(n),
      sums = new Float64Array(n);
    const value = (a, b) => valueOf(plan.machineOf[a * n + b]);
    for (let i = 0; i < n; i++)
      for (let j = i + 1; j < n; j++) {
        const v = value(i, j);
        wins[v >= 0 ? j : i]++;
        sums[j] += v;
        sums[i] -= v;
      }
    const gap = (c) => Math.abs(value(Math.min(c, decision.answer), Math.max(c, decision.answer)));
    const others = [...wins.keys()].filter((c) => c !== decision.answer);
    const best = others.reduce((a, b) => (wins[b] > wins[a] || (wins[b] === wins[a] && sums[b] > sums[a]) ? b : a));
    const met = decision.steps.findIndex(
      ({ first, second }) => [first, second].includes(best) && [first, second].includes(decision.answer),
    );
    return { class: best, step: met, gap: gap(best), votes: [wins[decision.answer], wins[best]] };
  }
  const order = [...decision.steps.keys()].sort(
    (a, b) => Math.abs(decision.steps[a].value) - Math.abs(decision.steps[b].value) || a - b,
  );
  for (const k of order) {
    const other = follow(plan, n, valueOf, k);
    if (other.answer !== decision.answer)
      return { class: other.answer, step: k, gap: Math.abs(decision.steps[k].value) };
  }
  return null;
}
