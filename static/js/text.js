/* Hostile text made visible, and how numbers read: the browser's half of turnscope/web/hidden.py and words.py.
   Both halves are held to tests/vectors/. */
import { html } from "../vendor/lit-html.js";

const SPRITE = new URL("../vendor/icons.svg", import.meta.url).pathname;

const MAYBE = new RegExp(
  "[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160" +
    "\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb" +
    "\\ud800-\\udfff\\ue000-\\uf8ff\\u{110bd}\\u{110cd}\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}" +
    "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}\\u{f0000}-\\u{10ffff}]",
  "gu",
);
const EMOJI = /^(?:[0-9#*\u203c\u2049\p{So}\p{Sk}]|\ufe0f)$/u;

const before = (text, at) => {
  const low = text.charCodeAt(at - 1);
  return low >= 0xdc00 && low <= 0xdfff ? text.slice(at - 2, at) : text.slice(Math.max(at - 1, 0), at);
};
const after = (text, at) => (at < text.length ? String.fromCodePoint(text.codePointAt(at)) : "");

function plain(text, at, char) {
  if (char >= "\ufe00" && char <= "\ufe0f") return EMOJI.test(before(text, at));
  return char === "\u200d" && EMOJI.test(before(text, at)) && EMOJI.test(after(text, at + 1));
}

export const label = (char) => "U+" + char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

/** The text as [hidden, piece] in order; hidden pieces are one character each. */
export function pieces(text) {
  const out = [];
  let last = 0;
  for (const found of text.matchAll(MAYBE)) {
    if (plain(text, found.index, found[0])) continue;
    if (found.index > last) out.push([false, text.slice(last, found.index)]);
    out.push([true, found[0]]);
    last = found.index + found[0].length;
  }
  if (last < text.length) out.push([false, text.slice(last)]);
  return out;
}

/** The text with each hidden character spelled: for titles and labels. */
export const visible = (text) => pieces(String(text)).map(([odd, piece]) => (odd ? `[${label(piece)}]` : piece)).join("");

const chip = (char) => html`<span class="u" title=${label(char)} data-char=${label(char)}>${label(char)}</span>`;

/** The text for lit-html: isolated, hidden characters as chips. */
export function shown(text) {
  const parts = pieces(String(text));
  return html`<bdi dir="ltr">${parts.map(([odd, piece]) => (odd ? chip(piece) : piece))}</bdi>`;
}

/** The same into an element, for the hand-drawn event list. */
export function fill(element, text) {
  const parts = pieces(text);
  if (parts.length < 2 && !(parts[0] && parts[0][0])) {
    element.textContent = text;
    return;
  }
  element.replaceChildren(
    ...parts.map(([odd, piece]) => {
      if (!odd) return document.createTextNode(piece);
      const mark = document.createElement("span");
      mark.className = "u";
      mark.title = mark.textContent = label(piece);
      return mark;
    }),
  );
}

export const icon = (name, more = "") =>
  html`<svg class=${"i " + more} viewBox="0 0 24 24" aria-hidden="true"><use href=${SPRITE + "#" + name}></use></svg>`;
export const lookIcon = (name) => icon(name, name === "loader-circle" ? "spin" : "");
export const spriteOf = (name) => SPRITE + "#" + name;

// ---------------------------------------------------------------- numbers

const two = (n) => String(n).padStart(2, "0");

export function duration(ms) {
  const seconds = Math.max(ms, 0) / 1000;
  if (seconds < 59.995) return `${seconds.toFixed(2)} s`;
  const whole = Math.floor(seconds + 0.5);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  if (whole < 172800) return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
  return `${Math.floor(whole / 86400)} d`;
}

export function short(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${Number((ms / 1000).toFixed(1))} s`;
  if (ms < 3600000 && ms % 60000 === 0) return `${Math.round(ms / 60000)} min`;
  return duration(ms);
}

export function clock(value) {
  const ms = Math.max(Math.round(value), 0);
  const whole = Math.floor(ms / 1000);
  const rest = String(ms % 1000).padStart(3, "0");
  if (whole < 600) return `${whole}.${rest}`;
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}.${rest}` : `${minutes}:${two(whole % 60)}.${rest}`;
}

export const count = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

export function size(bytes) {
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(1)} MB`;
  return bytes >= 1e3 ? `${(bytes / 1e3).toFixed(1)} kB` : `${bytes} B`;
}

export const plural = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

const SAID = /^\s*\{\s*"(?:error|message|detail|reason)"\s*:\s*"((?:[^"\\]|\\.)+)/;
/** What an error says: of `{"error": "gone", ...}` the words; anything else as it is. */
export const said = (text) => SAID.exec(text)?.[1] ?? text;
