// Walks: following a plan with the values of machines, exactly as the core does (cpp/core/model/plan.cpp).
// A value that is not negative is for the positive side; for a pair, the later class.

// Returns the steps and the answer. A step has its machine, value and verdict; and where it stands in the structure: `node` (or
// `list`) of a graph, `game` of a bracket, the two classes `first` and `second` of a knockout. The verdict of the step
// `reversed` is turned round.
function follow(plan, nClasses, valueOf, reversed = -1) {
  const steps = [];
  const ask = (machine, where) => {
    const value = valueOf(machine);
    const positive = value >= 0 !== (steps.length === reversed);
    steps.push({ machine, value, positive, ...where });
    return positive;
  };
  const walk = { graph: walkGraph, poll: walkPoll, knockout: walkKnockout }[plan.kind];
  return { steps, answer: walk(plan, nClasses, ask, steps) };
}

const isNode = (edge) => edge >= 0;
const leafClass = (edge) => -1 - edge;

function walkGraph(plan, nClasses, ask) {
  let edge = plan.root;
  while (isNode(edge)) {
    const positive = ask(plan.machine[edge], { node: edge });
    edge = (positive ? plan.onPositive : plan.onNegative)[edge];
  }
  if (leafClass(edge) < nClasses) return leafClass(edge);
  const list = leafClass(edge) - nClasses;
  let low = plan.listBegin[list],
    high = plan.listBegin[list + 1] - 1;
  while (low < high) {
    const first = plan.listClasses[low],
      second = plan.listClasses[high];
    const positive = ask(plan.machineOf[first * nClasses + second], { list, first, second });
    if (positive === first < second) low++;
    else high--;
  }
  return plan.listClasses[low];
}

function walkPoll(plan, nClasses, ask, steps) {
  for (let c = 0; c < nClasses; c++) ask(c, {});
  return steps.reduce((best, step) => (step.value > steps[best].value ? step.machine : best), 0);
}

function walkKnockout(plan, nClasses, ask, steps) {
  const meet = (first, second, where) => {
    const positive = ask(plan.machineOf[first * nClasses + second], { first, second, ...where });
    return positive ? Math.max(first, second) : Math.min(first, second);
  };
  const rule = { fewest_losses: fewestLosses, ranked, bracket, everyone }[plan.rule];
  return rule(plan, nClasses, meet, steps);
}

function fewestLosses(plan, nClasses, meet) {
  const losses = new Int32Array(nClasses),
    met = new Uint8Array(nClasses * nClasses);
  for (;;) {
    const front = lowest(losses, () => true);
    let leads = true;
    while (leads) {
      const next = lowest(losses, (c) => c !== front && !met[front * nClasses + c]);
      if (next < 0) return front;
      const winner = meet(front, next);
      const loser = front + next - winner;
      losses[loser]++;
      met[front * nClasses + next] = met[next * nClasses + front] = 1;
      leads = winner === front;
    }
  }
}

// The class with the smallest number among those allowed; ties go to the lower index; -1 if there is none.
function lowest(numbers, allowed) {
  let best = -1;
  for (let c = 0; c < numbers.length; c++) if (allowed(c) && (best < 0 || numbers[c] < numbers[best])) best = c;
  return best;
}

function ranked(plan, nClasses, meet) {
  const out = new Uint8Array(nClasses);
  let winner = plan.order[0];
  for (;;) {
    const rivals = plan.rivals.subarray(winner * (nClasses - 1), (winner + 1) * (nClasses - 1));
    const rival = rivals.find((c) => !out[c]);
    if (rival === undefined) return winner;
    const next = meet(winner, rival);
    out[winner + rival - next] = 1;
    winner = next;
  }
}

function bracket(plan, nClasses, meet) {
  let list = Array.from(plan.order),
    game = 0;
  while (list.length > 1) {
    const games = Math.floor(list.length / 2),
      winners = [];
    for (let g = 0; g < games; g++) winners.push(meet(list[g], list[list.length - 1 - g], { game: game++ }));
    list = winners.concat(list.slice(games, list.length - games)); // the one in the middle has no partner
  }
  return list[0];
}

function everyone(plan, nClasses, meet, steps) {
  const losses = new Int32Array(nClasses);
  for (let i = 0; i < nClasses; i++) for (let j = i + 1; j < nClasses; j++) losses[i + j - meet(i, j)]++;
  return plan.breakTies ? highestScore(nClasses, steps) : lowest(losses, () => true);
}

// Votes plus a confidence of less than a third of a vote, as decision_function has them.
function highestScore(nClasses, steps) {
  const votes = new Float64Array(nClasses),
    sums = new Float64Array(nClasses);
  for (const { first, second, value } of steps) {
    votes[value > 0 ? second : first]++;
    sums[first] -= value;
    sums[second] += value;
  }
  const scores = votes.map((v, c) => v + sums[c] / (3 * (Math.abs(sums[c]) + 1)));
  return scores.indexOf(Math.max(...scores));
}
