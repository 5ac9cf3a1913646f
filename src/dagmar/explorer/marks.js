// Small pictures of samples and support vectors: grey images, or bars of features.

const MOST_BARS = 24;

// A picture of a row of features. `reference` is another row to compare with, drawn as ticks on the bars.
function picture(numbers, context, { size = 56, label = "", reference = null, chosen = null } = {}) {
  return context.image ? image(numbers, context, size, label) : bars(numbers, context, label, reference, chosen);
}

function image(numbers, context, size, label) {
  const [height, width] = context.image;
  const named = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  const canvas = make("canvas", { width, height, class: "image", ...named });
  const zoom = size / Math.max(height, width);
  canvas.style.width = `${Math.round(width * zoom)}px`;
  canvas.style.height = `${Math.round(height * zoom)}px`;
  paint(canvas, numbers, context);
  return canvas;
}

// Dark is high: one range for all pixels, so that images can be compared.
function paint(canvas, numbers, context) {
  const { darkest, lightest } = context;
  const pen = canvas.getContext("2d"),
    pixels = pen.createImageData(canvas.width, canvas.height);
  const range = darkest - lightest || 1;
  for (let k = 0; k < numbers.length; k++) {
    const grey = 255 - Math.max(0, Math.min(255, Math.round((255 * (numbers[k] - lightest)) / range)));
    pixels.data.set([grey, grey, grey, 255], 4 * k);
  }
  pen.putImageData(pixels, 0, 0);
}

// The features that bars are drawn for: all if they are few, else those in which the sample is most unusual.
function featuresToDraw(numbers, context) {
  const { low, high } = context.features,
    all = [...numbers.keys()];
  if (all.length <= MOST_BARS) return all;
  const unusual = (k) => Math.abs((numbers[k] - (low[k] + high[k]) / 2) / (high[k] - low[k])) || 0;
  return all
    .sort((a, b) => unusual(b) - unusual(a))
    .slice(0, MOST_BARS)
    .sort((a, b) => a - b);
}

function bars(numbers, context, label, reference, chosen) {
  const { low, high } = context.features,
    which = chosen || featuresToDraw(numbers, context);
  const width = 8,
    height = 48;
  // Where a value is between the lowest (0) and the highest (1); a missing one is at 0.
  const place = (v, k) => (high[k] > low[k] ? Math.max(0, Math.min(1, (v - low[k]) / (high[k] - low[k]) || 0)) : 0.5);
  const parts = which.map((k, p) => {
    const top = height * (1 - place(numbers[k], k));
    const title =
      `${context.featureName(k)}: ${digits(numbers[k])}` + (reference ? ` (sample ${digits(reference[k])})` : "");
    const tick = reference ? height * (1 - place(reference[k], k)) : 0;
    return draw(
      "g",
      {},
      draw("title", {}, title),
      draw("rect", { class: "bar-back", x: p * width, y: 0, width: width - 2, height }),
      draw("rect", { class: "bar", x: p * width, y: top, width: width - 2, height: Math.max(1, height - top) }),
      reference
        ? draw("rect", {
            class: "tick",
            x: p * width - 1,
            y: Math.min(height - 2, Math.max(0, tick - 1)),
            width,
            height: 2,
          })
        : null,
    );
  });
  const box = `-1 0 ${which.length * width} ${height}`;
  return draw(
    "svg",
    {
      class: "bars",
      viewBox: box,
      width: which.length * width,
      height,
      role: "img",
      "aria-label": label,
      preserveAspectRatio: "xMinYMid meet",
    },
    parts,
  );
}
