// The copy of the model: from the user's features to the values of machines and the pulls of their support vectors.
// Stored numbers are float32; all arithmetic is in double precision.

// The steps of the pipeline before the classifier (scaling.py).
class Steps {
  constructor(steps) {
    this.steps = steps;
  }

  // The features as the classifier sees them.
  forward(x) {
    let z = Float64Array.from(x);
    for (const step of this.steps) {
      if (step.subtract) z = z.map((v, k) => v - step.subtract[k]);
      if (step.divide) z = z.map((v, k) => v / step.divide[k]);
      if (step.multiply) z = z.map((v, k) => v * step.multiply[k]);
      if (step.add) z = z.map((v, k) => v + step.add[k]);
      if (step.clip) z = z.map((v) => Math.min(Math.max(v, step.clip[0]), step.clip[1]));
      if (step.fill) {
        const missing = step.missing === null ? Number.isNaN : (v) => v === step.missing;
        const full = z.map((v, k) => (missing(v) ? step.fill[k] : v));
        z = Float64Array.from(step.keep, (k) => full[k]);
      }
    }
    return z;
  }

  // Which of the user's features each feature of the classifier is.
  places(nFeatures) {
    return this.steps.reduce(
      (places, step) => (step.keep ? Array.from(step.keep, (k) => places[k]) : places),
      [...Array(nFeatures).keys()],
    );
  }

  // The user's features from those of the classifier; NaN where a feature was left out, or has the weight 0.
  backward(z, nFeatures) {
    let x = Float64Array.from(z);
    for (const step of [...this.steps].reverse()) {
      if (step.subtract) x = x.map((v, k) => v + step.subtract[k]);
      if (step.divide) x = x.map((v, k) => v * step.divide[k]);
      if (step.multiply) x = x.map((v, k) => (step.multiply[k] ? v / step.multiply[k] : NaN));
      if (step.add) x = x.map((v, k) => v - step.add[k]);
      if (step.fill) {
        const wide = new Float64Array(step.fill.length).fill(NaN);
        step.keep.forEach((k, place) => (wide[k] = x[place]));
        x = wide;
      }
    }
    return x.length === nFeatures ? x : new Float64Array(nFeatures).fill(NaN);
  }
}

function squaredLength(x) {
  return x.reduce((sum, v) => sum + v * v, 0);
}

// Kernel machines (compact.py). A sample is prepared once; its kernel values are kept, because machines share vectors.
// Every kernel is a function (value, with its derivative slope) of gamma times a sum over features: of products, or of what
// makes a distance (term, with its derivative termSlope by the sample's feature).
const product = { term: (x, z) => x * z, termSlope: (x, z) => z };
const decay = { value: (inner) => Math.exp(-inner), slope: (inner) => -Math.exp(-inner) };
const FORMULAS = {
  linear: { ...product, value: (inner) => inner, slope: () => 1 },
  poly: {
    ...product,
    value: (inner, { coef0, degree }) => Math.pow(inner + coef0, degree),
    slope: (inner, { coef0, degree }) => degree * Math.pow(inner + coef0, degree - 1),
  },
  sigmoid: {
    ...product,
    value: (inner, { coef0 }) => Math.tanh(inner + coef0),
    slope: (inner, { coef0 }) => 1 - Math.tanh(inner + coef0) ** 2,
  },
  rbf: { ...decay, term: (x, z) => (x - z) * (x - z), termSlope: (x, z) => 2 * (x - z) },
  laplacian: { ...decay, term: (x, z) => Math.abs(x - z), termSlope: (x, z) => Math.sign(x - z) },
  chi2: {
    ...decay,
    term: (x, z) => (x + z > 0 ? ((x - z) * (x - z)) / (x + z) : 0),
    termSlope: (x, z) => (x + z > 0 ? ((x - z) * (x + 3 * z)) / ((x + z) * (x + z)) : 0),
  },
  // Its sum of products becomes the value by `whole`, which also gets the sum of both squared lengths.
  tanimoto: {
    ...product,
    whole: (sum, lengths) => (lengths === sum ? 1 : sum / (lengths - sum)),
    value: (inner) => inner,
    slope: (inner, kernel, lengths) => (1 + inner) / (lengths || Infinity),
    termSlope: (x, z, inner) => (1 + inner) * z - 2 * inner * x,
  },
};

class Machines {
  constructor(model, vectors, steps) {
    Object.assign(this, model);
    this.vectors = vectors.vectors;
    this.centre = vectors.centre;
    this.scale = vectors.scale;
    this.steps = steps;
  }

  prepare(x) {
    const z = this.steps.forward(x).map((v, k) => (v - this.centre[k]) * this.scale);
    return { z, seen: new Float64Array(this.vectors.shape[0]).fill(NaN) };
  }

  // The distance, the product, or the Tanimoto value: what the kernel is a function of.
  _inner(sample, v) {
    if (!Number.isNaN(sample.seen[v])) return sample.seen[v];
    const vector = row(this.vectors, v),
      z = sample.z;
    const { term, whole } = FORMULAS[this.kernel.name];
    let sum = 0;
    for (let k = 0; k < z.length; k++) sum += term(z[k], vector[k]);
    if (whole) sum = whole(sum, squaredLength(z) + squaredLength(vector));
    sample.seen[v] = sum;
    return sum;
  }

  _gamma(machine) {
    return this.gammas ? this.gammas[machine] : this.kernel.gamma;
  }

  kernelValue(sample, v, machine) {
    return FORMULAS[this.kernel.name].value(this._inner(sample, v) * this._gamma(machine), this.kernel);
  }

  value(sample, machine) {
    let sum = 0;
    for (let t = this.begin[machine]; t < this.begin[machine + 1]; t++)
      sum += this.coef[t] * this.kernelValue(sample, this.index[t], machine);
    return sum + this.bias[machine];
  }

  // The pull of every support vector of a machine: positive for the positive side.
  pulls(sample, machine) {
    const found = [];
    for (let t = this.begin[machine]; t < this.begin[machine + 1]; t++) {
      const vector = this.index[t];
      found.push({ vector, term: this.coef[t] * this.kernelValue(sample, vector, machine) });
    }
    return found;
  }

  // How much the value of a machine changes with each of the user's features.
  slopes(x, machine, width) {
    const sample = this.prepare(x),
      { z } = sample,
      gamma = this._gamma(machine),
      { slope, termSlope, whole } = FORMULAS[this.kernel.name];
    const ofSeen = new Float64Array(z.length);
    for (let t = this.begin[machine]; t < this.begin[machine + 1]; t++) {
      const v = this.index[t],
        vector = row(this.vectors, v),
        inner = gamma * this._inner(sample, v);
      const lengths = whole ? squaredLength(z) + squaredLength(vector) : 0;
      const steep = this.coef[t] * gamma * slope(inner, this.kernel, lengths);
      for (let k = 0; k < z.length; k++) ofSeen[k] += steep * termSlope(z[k], vector[k], inner);
    }
    const step = width.map((w) => w / 1000),
      above = this.steps.forward(x.map((v, k) => v + step[k])),
      below = this.steps.forward(x.map((v, k) => v - step[k]));
    const slopes = new Float64Array(x.length),
      places = this.steps.places(x.length);
    places.forEach((k, p) => {
      if (step[k] > 0 && !Number.isNaN(x[k]))
        slopes[k] = (ofSeen[p] * this.scale * (above[p] - below[p])) / (2 * step[k]);
    });
    return slopes;
  }
}

// Values and pulls that Python computed, for pages without a copy of the model (beforehand.py).
class Beforehand {
  constructor(said) {
    Object.assign(this, said);
    this.placeOf = new Map(Array.from(said.rows, (k, place) => [k, place]));
  }

  // What is known of sample k; null if it is not among those computed.
  sample(k) {
    if (!this.placeOf.has(k)) return null;
    const place = this.placeOf.get(k),
      values = row(this.values, place);
    return { valueOf: (machine) => values[machine], pullsOf: (step) => this._pulls(place, step) };
  }

  _pulls(place, step) {
    if (!this.influences) return null;
    const { begin, vectors, terms, totals } = this.influences,
      entry = this.entries[place] + step;
    const pulls = [];
    for (let t = begin[entry]; t < begin[entry + 1]; t++) pulls.push({ vector: vectors[t], term: terms[t] });
    return { pulls, total: totals[entry], bias: null };
  }
}

// The same for a sample that the page computes itself, from its features.
function computedSample(machines, x) {
  const sample = machines.prepare(x),
    known = new Map();
  const valueOf = (machine) => {
    if (!known.has(machine)) known.set(machine, machines.value(sample, machine));
    return known.get(machine);
  };
  const pullsOf = (step, machine) => {
    const pulls = machines.pulls(sample, machine);
    const total = pulls.reduce((sum, { term }) => sum + Math.abs(term), 0);
    return { pulls, total, bias: machines.bias[machine] };
  };
  return { valueOf, pullsOf };
}
