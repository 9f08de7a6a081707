/* The waterfall on a canvas, for turns of many bars: only what is in sight is drawn, bars of less than a pixel that
   look alike are drawn once. Its twin for everybody who does not see it: the lanes' names are links (chart.js), and
   the canvas says in words what it shows. */
import { html, render } from "../vendor/lit-html.js";
import { lane, said } from "./chart.js";
import { lookOf } from "./model.js";
import { groupsOf, NAMELESS, overdue, points } from "./waterfall.js";
import { duration } from "./text.js";

const LANE = 20;
const TOP = 4.5;
const HIGH = 11;
const FILL = { ok: 0.8, streaming: 0.28, settled: 0.28, aborted: 0.28, client: 0.09, person: 0.09, job: 0.09, wait: 0.09, denied: 0.14, unanswered: 0.14, hanging: 0.2 };
const DASH = { client: [4, 3], person: [7, 2], job: [1.5, 2.5], wait: [2, 2] };
const PLAIN = 5;
/** Pixels from which a bar is wide enough for its texture. */

/** What is drawn in each lane: [from, end of arguments or 0, to, look, call number, limit passed or 0] of each call. */
export function laid(calls, { unit, by, scale, now }) {
  const bar = (call) => {
    const at = unit === "ms" ? call.answer_at : call.answer_seq;
    const [start, ended, closed] = call.look === "orphan" ? [at, 0, at] : points(call, unit, now);
    return { a: start, m: ended, b: closed, look: call.look, number: call.number, l: overdue(call, unit) ? (ended || start) + call.limit_ms : 0 };
  };
  if (by === "call")
    return calls.map((c) => {
      if (c.later) return { look: c.look, icon: c.icon, label: c.name || c.call_id, number: c.number, detail: "", bars: [] };
      const one = bar(c);
      return { look: c.look, icon: c.icon, label: c.name || c.call_id, number: c.number, detail: unit === "ms" && c.look !== "orphan" ? duration(one.b - one.a) : "", bars: reached([one]) };
    });
  return groupsOf(calls, by, scale, now).map(([label, group]) => {
    const begun = group.filter((c) => !c.later);
    let worst = begun[0] || group[0];
    for (const call of begun) if (lookOf(call.look).rank < lookOf(worst.look).rank) worst = call;
    const bars = reached(begun.map(bar).sort((x, y) => x.a - y.a));
    return { look: worst.look, icon: worst.icon, label: label || NAMELESS, number: worst.number, detail: begun.length ? `${begun.filter((c) => c.answered).length} of ${begun.length}` : "", bars };
  });
}

function reached(bars) {
  let reach = -Infinity;
  for (const bar of bars) bar.reach = reach = Math.max(reach, bar.b);
  return bars;
}

/** How many calls there are of each look, in words: the worst first. */
function told(lanes) {
  const looks = new Map();
  for (const l of lanes) for (const b of l.bars) looks.set(b.look, (looks.get(b.look) || 0) + 1);
  const parts = [...looks].sort((x, y) => lookOf(x[0]).rank - lookOf(y[0]).rank);
  return parts.map(([look, n]) => `${n} ${lookOf(look).word}`).join(", ");
}

/** Colours as the style sheet resolves them in this theme. */
function palette(host) {
  const probe = document.createElement("i");
  host.append(probe);
  const of = (value) => {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  };
  const found = new Proxy({}, { get: (known, name) => (known[name] ??= of(`var(--${name})`)) });
  return { found, done: () => probe.remove() };
}

/** A tile for a look's texture, in device pixels. */
function texture(ctx, look, colour, panel, dpr) {
  const tile = document.createElement("canvas");
  const size = { streaming: [4, 12], client: [5, 5], person: [12, 4], job: [9, 12], denied: [12, 4], unanswered: [6, 12], hanging: [11, 11] }[look];
  if (!size) return null;
  [tile.width, tile.height] = size.map((n) => Math.round(n * dpr));
  const t = tile.getContext("2d");
  t.scale(dpr, dpr);
  t.strokeStyle = t.fillStyle = colour;
  const line = (width, ...at) => {
    t.lineWidth = width;
    t.beginPath();
    for (const [x, y, x2, y2] of at) {
      t.moveTo(x, y);
      t.lineTo(x2, y2);
    }
    t.stroke();
  };
  if (look === "streaming") line(1, [1, 0, 1, 12]);
  else if (look === "client") line(1.4, [1.5, 2.5, 3, 2.5]);
  else if (look === "person") line(1, [0, 2, 12, 2]);
  else if (look === "job") line(1.2, [2, 3, 5, 6], [5, 6, 2, 9]);
  else if (look === "denied") line(1.6, [0, 2, 12, 2]);
  else if (look === "unanswered") line(2.4, [2, 0, 2, 12]);
  else {
    t.fillRect(0, 0, 11, 11);
    t.strokeStyle = panel;
    t.globalAlpha = 0.4;
    line(3, [-2, 13, 13, -2], [-2, 2, 2, -2], [9, 13, 13, 9]);
  }
  return ctx.createPattern(tile, "repeat");
}

export class Lanes {
  constructor(host) {
    this.host = host;
    this.root = document.createElement("div");
    this.root.className = "lanes many";
    render(html`<div class="tl"><div class="lab" role="group" aria-label="Lanes"><div></div></div><div class="pane"><canvas role="img"></canvas></div></div>`, this.root);
    this.body = this.root.firstElementChild;
    this.names = this.root.querySelector(".lab > div");
    this.canvas = this.root.querySelector("canvas");
    this.root.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.root);
    const anew = () => ((this.colours = null), this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", anew);
    new MutationObserver(anew).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  /** `w`: the numbers of what is in sight; `lanes`: what `laid` made; `at`: the playhead. */
  show(w, lanes, { at, current, label, texts, gaps }) {
    Object.assign(this, { w, lanes, at, current, texts, gaps });
    this.body.style.height = `${(lanes.length + 1) * LANE}px`;
    this.root.style.setProperty("--most", `${Math.min((lanes.length + 1) * LANE, 286)}px`);
    lanes.told ??= told(lanes);
    this.canvas.setAttribute("aria-label", `${label}: ${lanes.told}`);
    this.draw();
  }

  /** Draw once per animation frame. */
  draw() {
    if (this.waiting || !this.lanes) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  paint() {
    const { canvas, root, lanes } = this;
    const width = (this.width = canvas.parentElement.clientWidth);
    const height = root.clientHeight;
    const dpr = window.devicePixelRatio || 1;
    if (!width || !height) return;
    if (canvas.width !== Math.round(width * dpr) || canvas.height !== Math.round(height * dpr)) {
      canvas.width = Math.round(width * dpr);
      canvas.height = Math.round(height * dpr);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      this.colours = null;
    }
    const ctx = canvas.getContext("2d");
    this.#prepare(ctx, dpr);
    const top = root.scrollTop;
    const first = Math.floor(top / LANE);
    const last = Math.min(Math.ceil((top + height) / LANE), lanes.length + 1);
    this.#label(first, last);
    ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
    ctx.clearRect(0, 0, width, height);
    this.#ground(ctx, width, height, top, first, last);
    const from = this.w.start;
    const per = width / this.w.length;
    for (let row = Math.max(first, 1); row < last; row++) this.#lane(ctx, lanes[row - 1].bars, row * LANE - top, from, per, width);
    if (this.w.stop) {
      ctx.fillStyle = this.colours[this.w.stop.look];
      ctx.fillRect((Number(this.w.stop.x.slice(0, -1)) / 100) * width, 0, 1.5, height);
    }
    if (this.at) {
      ctx.fillStyle = this.colours.acc;
      ctx.fillRect((Number(this.at.x.slice(0, -1)) / 100) * width, 0, 1, height);
    }
  }

  #prepare(ctx, dpr) {
    if (this.colours) return;
    const { found, done } = palette(this.host);
    this.colours = {};
    this.textures = {};
    for (const name of ["acc", "accbg", "line", "line2", "fg3", "raise", "panel", "faint", "ok", "fg"]) this.colours[name] = found[name];
    for (const look of ["streaming", "running", "client", "person", "job", "wait", "ok", "failed", "denied", "skipped", "aborted", "unanswered", "settled", "hanging", "orphan"]) {
      this.colours[look] = found[look];
      this.textures[look] = texture(ctx, look, found[look], found.panel, dpr);
      this.textures[look]?.setTransform(new DOMMatrix([1 / dpr, 0, 0, 1 / dpr, 0, 0]));
    }
    done();
  }

  #label(first, last) {
    const shown = this.lanes.slice(Math.max(first - 1, 0), Math.max(last - 1, 0));
    const on = shown.some((l) => l.number === this.current) ? this.current : shown[0]?.number;
    this.names.style.transform = `translateY(${first * LANE}px)`;
    render(html`${first === 0 ? said(this.w) : ""}${shown.map((l) => lane(l, this.current, on))}`, this.names);
  }

  #ground(ctx, width, height, top, first, last) {
    const { w, colours } = this;
    const at = (text) => (Number(text.slice(0, -1)) / 100) * width;
    for (let row = first; row < last; row++) {
      const selected = row > 0 && this.lanes[row - 1].number === this.current;
      if (row % 2 && !selected) continue;
      ctx.fillStyle = selected ? colours.accbg : colours.raise;
      ctx.fillRect(0, row * LANE - top, width, LANE);
    }
    ctx.fillStyle = colours.line;
    for (const t of w.ticks) ctx.fillRect(at(t.x), 0, 1, height);
    ctx.fillStyle = colours.faint;
    ctx.fillRect(at(w.edge), 0, width, height);
    ctx.strokeStyle = colours.line2;
    for (const g of w.gaps) {
      ctx.save();
      ctx.beginPath();
      ctx.rect(at(g.x), 0, at(g.w), height);
      ctx.clip();
      ctx.beginPath();
      for (let x = at(g.x) - height; x < at(g.x) + at(g.w); x += 9.9) {
        ctx.moveTo(x, height);
        ctx.lineTo(x + height, 0);
      }
      ctx.stroke();
      ctx.restore();
    }
    if (first === 0) {
      ctx.fillStyle = colours.fg3;
      for (const t of w.texts) ctx.fillRect(at(t.x), 6 - top, Math.max(at(t.w), 1), 8);
    }
    ctx.fillStyle = w.live ? colours.ok : colours.line2;
    ctx.fillRect(at(w.edge), 0, 1, height);
  }

  #lane(ctx, bars, y, from, per, width) {
    let [drawn, drawn2, look] = [0, 0, ""];
    for (let i = reaching(bars, from); i < bars.length; i++) {
      const bar = bars[i];
      let x = (bar.a - from) * per;
      if (x > width) break;
      const x2 = (bar.b - from) * per;
      if (x2 < 0) continue;
      const [px, px2] = [Math.round(x), Math.round(x2)];
      if (px === drawn && px2 === drawn2 && bar.look === look) continue;
      [drawn, drawn2, look] = [px, px2, bar.look];
      if (bar.look === "orphan") {
        this.#diamond(ctx, x, y);
        continue;
      }
      const mid = bar.m ? (bar.m - from) * per : x;
      if (mid - x >= 0.8) this.#bar(ctx, "streaming", x, mid, y);
      else x = Math.min(x, mid);
      this.#bar(ctx, bar.look, mid, Math.max(x2, mid + 1), y);
      const limit = bar.l ? (bar.l - from) * per : 0;
      if (x2 - mid >= PLAIN && limit > mid && limit < x2) {
        ctx.fillStyle = this.colours.fg;
        ctx.fillRect(limit - 1, y + 1.5, 2, 17);
      }
    }
  }

  #bar(ctx, look, x, x2, y) {
    x = Math.max(x, -20);
    const wide = Math.min(x2, this.width + 20) - x;
    if (wide <= 0) return;
    ctx.fillStyle = this.colours[look];
    if (look === "skipped") return ctx.fillRect(x, y + 9, wide, 2);
    if (wide < PLAIN) {
      ctx.globalAlpha = look === "ok" || look === "streaming" ? 0.8 : 1;
      ctx.fillRect(x, y + TOP, Math.max(wide, 1), HIGH);
      ctx.globalAlpha = 1;
      return;
    }
    ctx.globalAlpha = FILL[look] ?? 1;
    ctx.fillRect(x, y + TOP, wide, HIGH);
    ctx.globalAlpha = 1;
    if (this.textures[look]) {
      ctx.fillStyle = this.textures[look];
      ctx.fillRect(x, y + TOP, wide, HIGH);
    }
    if (FILL[look] && look !== "ok" && look !== "hanging") {
      ctx.strokeStyle = this.colours[look];
      ctx.setLineDash(DASH[look] || []);
      ctx.strokeRect(x + 0.5, y + TOP + 0.5, wide - 1, HIGH - 1);
      ctx.setLineDash([]);
    }
  }

  #diamond(ctx, x, y) {
    ctx.strokeStyle = this.colours.orphan;
    ctx.lineWidth = 1.8;
    ctx.beginPath();
    ctx.moveTo(x, y + 3.5);
    for (const [dx, dy] of [[6.5, 10], [0, 16.5], [-6.5, 10], [0, 3.5]]) ctx.lineTo(x + dx, y + dy);
    ctx.stroke();
    ctx.lineWidth = 1;
  }

  /** The call under a point of the canvas, or 0. */
  hit(x, y) {
    const row = Math.floor((y + this.root.scrollTop) / LANE);
    const bars = this.lanes[row - 1]?.bars;
    if (!bars) return 0;
    const per = this.canvas.clientWidth / this.w.length;
    const time = this.w.start + x / per;
    const near = 4 / per;
    for (let i = upTo(bars, time + near) - 1; i >= 0 && bars[i].reach + near >= time; i--)
      if (bars[i].b + near >= time) return bars[i].number;
    return 0;
  }
}

/** How many bars begin by a time. */
function upTo(bars, time) {
  let low = 0;
  let high = bars.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (bars[mid].a <= time) low = mid + 1;
    else high = mid;
  }
  return low;
}
/** The first bar that may reach a time: `reach` is how far any up to it reaches. */
function reaching(bars, time) {
  let low = 0;
  let high = bars.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (bars[mid].reach < time) low = mid + 1;
    else high = mid;
  }
  return low;
}
