/* Rows of turns and findings as lists show them, drawn by scripts where something has changed: the same markup as
   templates/_turn_row.html and _finding_row.html. Rows the server drew stay until their turn changes. */
import { html, nothing, render, svg } from "../vendor/lit-html.js";
import { count, icon, lookIcon, plural, shown } from "./text.js";
import { tick, when } from "./times.js";

const share = (part, whole) => (whole ? `${Number(((part / whole) * 100).toFixed(3))}%` : "0%");
const BADGES = { errors: ["error", "octagon-x"], warnings: ["warning", "triangle-alert"] };
const TEXTURED = new Set(["hanging", "unanswered", "streaming", "client", "person", "job"]);

/** One bar of a few pixels: `y` and `height` in px, `x` and `width` in %. */
function bar(look, x, y, width, height) {
  const rect = (cls, fill) => svg`<rect class=${cls} fill=${fill} x=${x} y=${y} width=${width} height=${height}/>`;
  return svg`<g class=${"s-" + look}>${rect("b " + look, nothing)}${TEXTURED.has(look) ? rect("", `url(#p-${look})`) : nothing}</g>`;
}

function fall(t) {
  const drawn = t.mini.bars.map((one) => bar(one.look, one.x, one.y, one.w, 4));
  return html`<svg class="fall g" height=${t.mini.height} role="img" aria-label=${`${t.started} calls over ${t.elapsed || "no time"}`}>${drawn}</svg>`;
}

function calls(t) {
  if (!t.started) return html`<span>no calls</span>`;
  const answered = share(t.answered, t.started);
  const drawn = t.mini?.bars.length
    ? fall(t)
    : html`<svg class="slots g" aria-hidden="true">${svg`<rect class="t-ok" width=${answered} height="6"/>`}${t.open ? bar(t.open_look, answered, 0, share(t.open, t.started), 6) : nothing}</svg>`;
  return html`<span><b>${t.started}</b> started · <b>${t.answered}</b> answered${t.open ? html` · <b class=${"o s-" + t.open_look}>${t.open} open</b>` : nothing}</span>${drawn}`;
}

function where(t, kind) {
  if (kind === "thread") {
    const tools = (t.tools || []).map(([name, n], i) => html`${i ? ", " : " · "}${shown(name)}${n > 1 ? ` ×${n}` : nothing}`);
    return html`turn ${t.number}${t.inferred ? ", assumed" : nothing}${tools}`;
  }
  const channel = kind === "all" && t.channel ? html`<a href=${`/channels/${t.channel}/`}>${t.channel}</a> · ` : nothing;
  const name = t.thread_name || t.thread_title;
  return html`${channel}${name ? html`<a href=${`/threads/${t.thread}/`}>${shown(name)}</a> · ` : nothing}turn ${t.number}`;
}

/** Where a broken turn is handed back mended. */
const fix = (t) =>
  html`<a class="fix" href=${`/turns/${t.id}/export/`} title="The conversation as a model API accepts it, to copy or download">${icon("wrench")}Repaired transcript</a>`;

/** `Finished: the rest` without its outcome. */
const cause = (headline) => headline.replace(/^[A-Z][a-z]+(?: [a-z]+)?[:;] /, "");

function line(t, kind) {
  const badge = (name) => (t[name] ? html`<span class=${"n sev-" + BADGES[name][0]}>${icon(BADGES[name][1])}${plural(t[name], BADGES[name][0])}</span>` : nothing);
  return html`<span class=${"word s-" + t.outcome.look}>${lookIcon(t.outcome.icon)}${t.outcome.word}</span>
<div class="what"><b><a href=${`/turns/${t.id}/`}>${t.title ? shown(t.title) : `Turn ${t.number}`}</a><span class="marks">${badge("errors")}${badge("warnings")}</span></b>${t.headline ? html`<span class="say">${shown(cause(t.headline))}</span>` : nothing}<small>${where(t, kind)}</small></div>
<div class="mini">${calls(t)}</div>
<div class="num when">${t.elapsed}<small>${t.last_at ? when(t.last_at) : nothing}</small></div>${t.errors ? fix(t) : nothing}`;
}

/** Draw a turn into its row; `row.turn` is what was drawn last. Whether anything had to be drawn. */
export function draw(row, turn, kind) {
  const drawn = `${turn.changed} ${turn.state} ${turn.headline} ${turn.last_at} ${turn.errors} ${turn.open} ${turn.answered}`;
  if (row.drawn === drawn) return false;
  row.drawn = drawn;
  row.turn = turn;
  if (!row.ours && row.dataset.changed === `${turn.changed}-${turn.last_at}`) return false; // as the server drew it
  if (!row.ours) row.replaceChildren();
  row.ours = true;
  row.dataset.turn = turn.id;
  row.dataset.state = turn.state;
  const severity = ["error", "warning"].includes(turn.severity) ? ` sev-${turn.severity}` : "";
  row.className = `trow edge s-${turn.outcome.look}${severity}${row.classList.contains("new") ? " new" : ""}`;
  render(line(turn, kind), row);
  tick(row);
  return true;
}

export function made(fresh) {
  const row = document.createElement("article");
  if (fresh) row.className = "new";
  return row;
}

/** The rows of a list become those of these turns, in their order. */
export function put(rows, turns, kind) {
  const there = new Map([...rows.querySelectorAll("[data-turn]")].map((row) => [row.dataset.turn, row]));
  rows.querySelector("p.lead")?.remove();
  turns.forEach((turn, i) => {
    const key = String(turn.id);
    const row = there.get(key) || made(true);
    there.delete(key);
    draw(row, turn, kind);
    if (rows.children[i] !== row) rows.insertBefore(row, rows.children[i] || null);
  });
  for (const row of there.values()) row.remove();
}

export const finding = (f) =>
  html`<article class=${"frow sev-" + f.severity} data-finding=${f.code}>${icon(f.icon)}<div><b><a href=${f.url}>${f.title}</a></b>${f.count > 1 ? ` ×${f.count}` : nothing}<p>${shown(f.message)}</p><small>${f.channel} · ${shown(f.thread_title)}${f.turn_url ? html` · <a href=${f.turn_url}>turn ${f.turn}</a>` : nothing} · caused by ${f.culprit}</small><small class="at">${f.call_url ? html`<a class="ref" href=${f.call_url}>the call</a> ` : nothing}${f.turn_url ? f.seqs.slice(0, 3).map((seq) => html`<a class="ref" href=${`${f.turn_url}?event=${seq}`}>#${count(seq)}</a> `) : nothing}${f.at ? when(f.at) : nothing}</small></div><div class="end"><a class="code" href=${`/rules/${f.code}/`} title=${f.name}>${f.code}</a></div></article>`;
