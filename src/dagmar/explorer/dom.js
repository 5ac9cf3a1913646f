// Elements and numbers. Texts of the user only ever become text nodes and attributes, never markup.

function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const byId = (id) => document.getElementById(id);

function replaceIn(id, ...children) {
  byId(id).replaceChildren(...children.flat().filter((child) => child !== null));
}

// A number for people: three digits, a true minus sign.
function digits(value, n = 3) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "missing" : value > 0 ? "∞" : "−∞";
  const text =
    Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-4)
      ? value.toExponential(n - 1)
      : String(Number(value.toPrecision(n)));
  return text.replace("-", "−");
}

const signed = (value) => (value > 0 ? "+" : "") + digits(value);
const percent = (share, n = 3) => `${digits(100 * share, n)} %`;
const many = (n, one, more = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

function shorten(text, most) {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, Math.max(1, most - 1)).join("")}…`;
}

// Arrow keys in a group of which one member at a time can be reached by Tab.
function moveFocus(from, to) {
  if (!to) return;
  if (from) from.setAttribute("tabindex", "-1");
  to.setAttribute("tabindex", "0");
  to.focus({ preventScroll: false });
}
