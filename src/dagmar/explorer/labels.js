// Names of classes for small places.

// Whole labels if they have at most this many letters; else without the beginning that all share; else the first letters, if
// these tell the classes apart; else numbers from 1 on, which a key explains (`numbered`).
function shortNames(labels, letters) {
  const rest = withoutSharedBeginning(labels);
  const fits = (names) => names.every((name) => [...name].length <= letters);
  const names = [labels, rest].find(fits);
  if (names) return { names, numbered: false };
  const cut = rest.map((name) => shorten(name, letters));
  if (letters >= LEAST_LETTERS && new Set(cut).size === cut.length) return { names: cut, numbered: false };
  return { names: labels.map((_, c) => String(c + 1)), numbered: true };
}

const LEAST_LETTERS = 5; // of a label that is cut; fewer say nothing

// "item 41" becomes "41" if all labels begin with "item ". The beginning ends between words, or between a word and a number.
function withoutSharedBeginning(labels) {
  const [first, ...others] = labels;
  let length = 0;
  while (length < first.length && others.every((label) => label[length] === first[length])) length++;
  const inside = (label) => /^(\p{L}\p{L}|\p{N}[\p{N}.]|[\p{N}.]\p{N})$/u.test(label.slice(length - 1, length + 1));
  while (length > 0 && labels.some((label) => label.length <= length || inside(label))) length--;
  return labels.map((label) => label.slice(length));
}

const longestOf = (names) => Math.max(...names.map((name) => [...name].length));

// What the numbers mean, to be opened.
function keyOf(labels) {
  return make(
    "details",
    { class: "key" },
    make("summary", {}, "Classes are numbered in the drawing"),
    make(
      "ol",
      {},
      labels.map((label) => make("li", {}, label)),
    ),
  );
}
