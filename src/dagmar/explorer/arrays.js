"use strict";

// Arrays of the page. Python writes them as {type, shape, data}: little-endian bytes, deflated, in base64 (packing.py).

const ARRAY_TYPES = { f4: Float32Array, f8: Float64Array, i4: Int32Array, u1: Uint8Array };

async function unpackArray(said) {
  const text = atob(said.data);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const array = new ARRAY_TYPES[said.type](await new Response(stream).arrayBuffer());
  array.shape = said.shape;
  return array;
}

// Returns a copy of a value of JSON in which every packed array is a typed array with its shape.
async function unpackAll(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return Promise.all(value.map(unpackAll));
  if (typeof value.data === "string" && value.type in ARRAY_TYPES) return unpackArray(value);
  const entries = Object.entries(value).map(async ([name, inner]) => [name, await unpackAll(inner)]);
  return Object.fromEntries(await Promise.all(entries));
}

function row(matrix, k) {
  const width = matrix.shape[1];
  return matrix.subarray(k * width, (k + 1) * width);
}
