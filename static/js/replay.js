/* The replay bar: <ts-replay>. It owns the playhead, a seq (null: the present), and says so by `move` events. Time
   between two seqs is the turn's own pace; "skip gaps" makes a second or more of quiet last 0.3 s. */
import { html, nothing, render, svg } from "../vendor/lit-html.js";
import { seqOf, timeOf } from "./model.js";
import { clock, duration, icon } from "./text.js";

const GAP = 1000;
const SKIPPED = 300;
const PER_EVENT = 40;
/** Milliseconds an event takes where a recording has no times. */
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];

class Replay extends HTMLElement {
  seq = null;
  playing = false;
  speed = 1;
  skip = false;
  frames = "original";
  live = false;
  following = false;
  marks = [];

  connectedCallback() {
    this.addEventListener("click", (e) => {
      const button = e.target.closest("button");
      if (!button) return;
      const { do: verb, speed, frames } = button.dataset;
      if (verb) this[verb]();
      if (speed) this.setSpeed(Number(speed));
      if (frames) this.dispatchEvent(new CustomEvent("frames", { detail: frames }));
      if ("skip" in button.dataset) this.toggle("skip");
      if ("follow" in button.dataset) this.dispatchEvent(new Event("follow"));
    });
    this.addEventListener("input", (e) => {
      this.pause();
      const span = this.pace.end - this.pace.start;
      this.moveTo(seqOf(this.pace, this.pace.start + (Number(e.target.value) / 1000) * span));
    });
  }

  /** A turn to play: its pace, and the finding marks of the scrubber. */
  open(pace, drawing) {
    if (!this.drawing) this.replaceChildren();
    this.pace = pace;
    this.drawing = drawing;
    this.draw();
  }
  get timed() {
    return this.pace.unit === "ms";
  }
  get time() {
    return this.seq === null ? this.pace.end : (this.exact ?? timeOf(this.pace, this.seq));
  }

  // -------------------------------------------------------------- moving

  moveTo(seq, exact = null) {
    const next = seq === null ? null : Math.max(Math.min(seq, this.pace.last), this.pace.first);
    this.exact = exact;
    const changed = next !== this.seq;
    this.seq = next;
    this.draw();
    if (changed) this.dispatchEvent(new CustomEvent("move", { detail: next }));
  }
  start() {
    this.pause();
    this.moveTo(this.pace.first);
  }
  back() {
    this.pause();
    this.moveTo((this.seq ?? this.pace.last + 1) - 1);
  }
  next() {
    this.pause();
    this.moveTo((this.seq ?? this.pace.first - 1) + 1);
  }
  /** Back to the present. */
  leave() {
    this.pause();
    this.moveTo(null);
  }
  play() {
    if (this.playing) return this.pause();
    if (this.seq === null || this.seq >= this.pace.last) this.moveTo(this.pace.first);
    this.playing = true;
    this.at = performance.now();
    this.exact = timeOf(this.pace, this.seq);
    this.draw();
    requestAnimationFrame((now) => this.#tick(now));
  }
  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.draw();
  }
  #tick(now) {
    if (!this.playing) return;
    // A frame's time may lie before the key press that began the playing.
    let passed = Math.min(Math.max(now - this.at, 0), 250) * this.speed;
    this.at = now;
    if (!this.timed) passed /= PER_EVENT;
    const following = timeOf(this.pace, Math.min(this.seq + 1, this.pace.last));
    const quiet = following - timeOf(this.pace, this.seq);
    if (this.skip && this.timed && quiet > GAP) passed *= quiet / SKIPPED;
    const time = Math.min(this.exact + passed, this.pace.end);
    if (time >= this.pace.end) {
      this.playing = false;
      return this.moveTo(this.pace.last);
    }
    this.moveTo(seqOf(this.pace, time), time);
    requestAnimationFrame((next) => this.#tick(next));
  }
  setSpeed(speed) {
    this.speed = speed;
    this.draw();
  }
  faster(by) {
    const index = SPEEDS.indexOf(this.speed) + by;
    this.setSpeed(SPEEDS[Math.max(Math.min(index, SPEEDS.length - 1), 0)]);
  }
  toggle(name) {
    this[name] = !this[name];
    this.draw();
  }

  // -------------------------------------------------------------- drawing

  draw() {
    if (this.drawing) render(this.#view(), this);
  }
  #view() {
    const { pace } = this;
    const span = Math.max(pace.end - pace.start, 1);
    const x = `${Number((((this.time - pace.start) / span) * 100).toFixed(2))}%`;
    const at = this.timed ? clock(this.time - pace.start) : `#${this.seq ?? pace.last}`;
    const whole = this.timed ? duration(span) : `#${pace.last}`;
    const now = this.live && this.seq === null;
    const pressed = (on) => String(Boolean(on));
    const speeds = [[0.25, "¼×"], [1, "1×"], [4, "4×"]];
    const other = SPEEDS.includes(this.speed) && !speeds.some(([n]) => n === this.speed);
    return html`<div class="tb"><button class="hm" type="button" data-do="start" aria-label="To start" title="To start">${icon("skip-back")}</button><button type="button" data-do="back" aria-label="Step back" title="Step back  ,">${icon("step-back")}</button><button class="pp" type="button" data-do="play" aria-label=${this.playing ? "Pause" : "Play"} title="Play or pause  space">${icon(this.playing ? "pause" : "play")}</button><button type="button" data-do="next" aria-label="Step forward" title="Step forward  .">${icon("step-forward")}</button></div>
<div class="clock"><span class="hm">${now ? "last event" : "at"}</span> ${at}${now ? nothing : html` <span class="hm">/ ${whole}</span>`}</div>
<div class="scrub"><input type="range" min="0" max="1000" step="1" .value=${String(Math.round(((this.time - pace.start) / span) * 1000))} aria-label="Playhead" aria-valuetext=${`${at} of ${whole}`}><svg class="g" role="img" aria-label="Events over time, with findings marked">${this.drawing.density.map(
      (b) => svg`<rect class="den" x=${b.x} y=${b.y} width=".42%" height=${b.h}/>`,
    )}<rect class="dim" y="22" width="100%" height="3" rx="1.5"/><rect class="phb" y="22" width=${x} height="3" rx="1.5"/>${this.drawing.marks.map(
      (m) => svg`<svg x=${m.x} class=${"sev-" + m.severity} overflow="visible"><path class="fm" d="M-4 1h8l-4 6z"/></svg>`,
    )}<svg x=${x} overflow="visible"><circle class="phb" cy="23.5" r="5"/></svg></svg></div>
${this.seq !== null ? html`<button class="btn hm" type="button" data-do="leave" title="Back to the present  esc">${this.live ? "Now" : "End"}</button>` : nothing}
<div class="seg two" role="group" aria-label="Frames shown"><button type="button" data-frames="original" aria-pressed=${pressed(this.frames === "original")}>Original</button><button type="button" data-frames="repaired" aria-pressed=${pressed(this.frames === "repaired")}>${icon("wrench")}<span>Repaired</span></button></div>
<span class="seg hm" role="group" aria-label="Speed">${speeds.map(([n, word]) => html`<button type="button" data-speed=${n} aria-pressed=${pressed(this.speed === n)}>${word}</button>`)}${other ? html`<button type="button" aria-pressed="true">${this.speed}×</button>` : nothing}<button type="button" data-skip aria-pressed=${pressed(this.skip)}>Skip gaps</button></span>
${this.live ? html`<button class="btn hm" type="button" data-follow aria-pressed=${pressed(this.following)}>${icon("arrow-down")}Follow newest <kbd>f</kbd></button>` : nothing}`;
  }
}
customElements.define("ts-replay", Replay);
