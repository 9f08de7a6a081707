/* The waterfall as SVG, for turns of up to some hundred bars: the same markup as templates/turn/_waterfall.html. */
import { html, nothing, svg } from "../vendor/lit-html.js";
import { icon, lookIcon, plural, shown } from "./text.js";

const TEXTURED = new Set(["streaming", "client", "person", "job", "denied", "unanswered", "hanging"]);

const TAIL = {
  arrow: svg`<path class="mk" d="M2 1l5 5l-5 5"/>`,
  cross: svg`<path class="mk" d="M4 2.5l7 7M11 2.5l-7 7"/>`,
  torn: svg`<path class="bite" d="M1 -1V13H.5L-3 10.6L.5 8.3L-3 6L.5 3.7L-3 1.3L.5 -1Z"/><path class="mk" d="M-3 1.3L.5 3.7L-3 6L.5 8.3L-3 10.6"/>`,
  stop: svg`<path class="mk th" d="M1 -1V13"/>`,
  dots: svg`<path class="mk" d="M4 6h14" stroke-dasharray="2.5 3"/>`,
  caret: svg`<rect class="caret" x="1.5" y="0" width="3" height="12"/>`,
};
const OFFSET = { cross: 17, after: 13, quiet: 6 };

function drawBar(b) {
  let body;
  if (b.tail === "diamond")
    body = svg`<svg x=${b.x} y="4" overflow="visible"><path class="mk" d="M0 -.5L6.5 6L0 12.5L-6.5 6Z"/><path class="mk" d="M-21 6h12" stroke-dasharray="2.5 2"/></svg>`;
  else if (b.look === "skipped")
    body = svg`<rect class="b thin" x=${b.x} y="9" width=${b.w} height="2"/><svg x=${b.x} y="4" overflow="visible"><path class="mk" d="M1 2V10"/></svg><svg x=${b.x2} y="4" overflow="visible"><path class="mk" d="M-1 2V10"/></svg>`;
  else
    body = svg`<rect class=${"b " + b.look} x=${b.x} y="4.5" width=${b.w} height="11" rx="2"/>${
      TEXTURED.has(b.look) ? svg`<rect x=${b.x} y="4.5" width=${b.w} height="11" rx="2" fill=${`url(#p-${b.look})`}/>` : nothing
    }${b.tail ? svg`<svg x=${b.x2} y="4" overflow="visible">${TAIL[b.tail]}</svg>` : nothing}`;
  const limit = b.limit ? svg`<line class="lim" x1=${b.limit} x2=${b.limit} y1="1.5" y2="18.5"/>` : nothing;
  let words = nothing;
  if (b.kind === "box")
    words = svg`<svg x=${b.at} y="4" overflow="visible"><g class="sm"><rect class="lb" x="5" y="-.5" width=${b.width} height="13" rx="3"/><text class="bl o" x="10" y="9.6">${b.label}</text></g></svg>`;
  else if (b.kind)
    words = svg`<svg x=${b.x2} y="4" overflow="visible"><text class=${b.kind === "quiet" ? "bl sm q" : "bl sm o"} x=${OFFSET[b.kind]} y="9.6">${b.label}</text></svg>`;
  return svg`<g class=${"s-" + b.look} data-number=${b.number}>${body}${limit}${words}</g>`;
}

/** How the last run ended, over all lanes. */
const stopped = (s) => svg`<g class=${"s-" + s.look}><line class="end" x1=${s.x} x2=${s.x} y1="0" y2="100%"/><svg x=${s.x} overflow="visible"><path class="endm" d="M-4 0h8l-4 6z"/><text class="endt sm" x=${s.left ? -7 : 7} y="14" text-anchor=${s.left ? "end" : "start"}>${s.label}</text></svg></g>`;

/** The lanes' names: real links, of which one is in the tab order; arrow keys go to the others. */
export const lane = (l, current, first) =>
  html`<a class=${"lane s-" + l.look} href=${"?call=" + l.number} data-number=${l.number} aria-current=${String(l.number === current)} tabindex=${l.number === first ? 0 : -1}>${lookIcon(l.icon)}<span>${shown(l.label)}</span><span class="d">${l.detail}</span></a>`;

export const said = (w) => html`<div class="lane">${icon("messages-square")}<span>assistant</span><span class="d">${w.said}</span></div>`;

const ORDER = { tool: "answered", packed: "answered", call: "start order" };
export function ruler(w, at, lanes) {
  return html`<div class="tl head"><div class="rul"><span>${plural(lanes + 1, "lane")}</span><span>${ORDER[w.by]}</span></div>
<svg class="g" height="22" aria-hidden="true">${w.ticks.map((t) => svg`<line class="tick" x1=${t.x} x2=${t.x} y1="15" y2="22"/><text class=${t.minor ? "sm" : ""} x=${t.x} dx="4" y="15">${t.label}</text>`)}${
    at ? svg`<svg x=${at.x} overflow="visible"><rect class="phb" x=${-at.half} y="4" width=${at.half * 2} height="15" rx="3"/><text class="pht" x="0" y="15" text-anchor="middle">${at.label}</text></svg>` : nothing
  }</svg></div>`;
}

/** `at`: {x, label} of the playhead, or null; `current`: the number of the selected call. */
export function draw(w, { at, current, label }) {
  const full = (cls, x) => svg`<line class=${cls} x1=${x} x2=${x} y1="0" y2="100%"/>`;
  const first = w.lanes.some((l) => l.number === current) ? current : w.lanes[0]?.number;
  return html`${ruler(w, at, w.lanes.length)}
<div class="lanes"><div class="tl"><div class="lab" role="group" aria-label="Lanes">${said(w)}${w.lanes.map((l) => lane(l, current, first))}</div>
<svg class="g" height=${w.height} role="img" aria-label=${label}><rect class="odd" width="100%" height="20"/>${w.lanes.map((l, i) =>
    l.number === current
      ? svg`<rect class="selrow" y=${l.y} width="100%" height="20"/>`
      : i % 2 ? svg`<rect class="odd" y=${l.y} width="100%" height="20"/>` : nothing,
  )}${w.ticks.map((t) => full("tick", t.x))}<rect class="dim" x=${w.edge} width=${w.rest} height="100%"/>${w.gaps.map(
    (g) => svg`<rect class="gap" x=${g.x} width=${g.w} height="100%"/>${full("gapl", g.x)}${full("gapl", g.x2)}`,
  )}${w.texts.map((t) => svg`<rect class="b text" x=${t.x} y="6" width=${t.w} height="8" rx="2"/>`)}${full(w.live ? "now" : "gapl", w.edge)}${
    at ? full("ph", at.x) : nothing
  }${w.stop ? stopped(w.stop) : nothing}${w.lanes.map((l) => svg`<svg y=${l.y} overflow="visible" data-number=${l.number}>${l.bars.map(drawBar)}</svg>`)}${w.gaps.map((g) =>
    g.label
      ? svg`<svg class="sm" x=${g.mid} y="2" overflow="visible"><rect class="gapb" x=${-g.half} y=".5" width=${g.half * 2} height="15" rx="7.5"/><text class="gapt" x="0" y="11.5" text-anchor="middle">${g.label}</text></svg>`
      : nothing,
  )}</svg></div></div>`;
}

