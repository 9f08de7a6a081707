/* The event list: <ts-log>. Any number of rows, at most some sixty in the page; rows are drawn by hand, since this is
   the hot part. A row's place is its index among the seqs that match; pages of rows are fetched as they come near.
   Between rows stand lines that say what is not there: quiet time, and what a filter hides. */
import { blank, write } from "./logrow.js";
import { fetchMatches, leading, spelled } from "./matches.js";
import { count, duration } from "./text.js";

const ROW = 22;
const PAGE = 128;
const PAGES = 48;
const TALL = 15_000_000;
/** Browsers cap the height of an element; a taller list is scrolled at a scale. */
const HIDDEN = 20;
/** Rows left out by a filter from which on a line says so. */
const LINES = 20_000;

class EventLog extends HTMLElement {
  #pages = new Map();
  #pool = [];
  #linePool = [];
  #lines = [];
  #found = null;
  #pending = new Map();
  #filtering = null;
  #drawn = false;
  #before = 0;
  #query = "";
  #upto = 0;
  #shown = 0;
  following = false;
  selected = 0;
  at = null;
  related = "";
  range = [];
  /** What decides about a call, by seq: {look, icon, text}. */
  marks = new Map();

  /** `source`: {url, first, last, rows, start, timed, gaps}. */
  open(source) {
    this.source = source;
    this.#filtering?.abort();
    this.#found = null;
    this.#forget();
    if (!this.spacer) this.#build();
    for (const row of source.rows || []) if (row.seq) this.#keep(row);
    this.#resize();
  }

  #build() {
    const rows = this.querySelector("#rows");
    rows.replaceChildren();
    rows.className = "pooled";
    this.spacer = rows;
    this.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.addEventListener("wheel", (e) => this.#wheel(e), { passive: false });
    this.addEventListener("keydown", (e) => this.#key(e));
    new ResizeObserver(() => this.draw()).observe(this);
    rows.addEventListener("click", (e) => {
      const row = e.target.closest(".ev");
      if (!row || e.metaKey || e.ctrlKey) return;
      e.preventDefault();
      this.select(Number(row.dataset.seq), { open: true });
    });
  }

  get length() {
    if (this.#found) return this.#found.length;
    return Math.max(this.source.last - this.source.first + 1, 0);
  }
  /** How many of the newest rows are shown as they come. */
  get wants() {
    return this.following && !this.#found ? this.#shown : 0;
  }
  get filtered() {
    return Boolean(this.#found);
  }
  seqAt(index) {
    return this.#found ? this.#found.seqs[index] : this.source.first + index;
  }
  indexOf(seq) {
    if (!this.#found) return Math.max(Math.min(seq, this.source.last) - this.source.first, 0);
    return Math.min(this.#found.indexOf(seq), Math.max(this.length - 1, 0));
  }

  // -------------------------------------------------------------- lines between rows

  /** Where lines stand: before which row, and what they say. Line k is at place `index + k`. */
  #measure() {
    const lines = [];
    const { gaps = [], timed } = this.source;
    const found = this.#found;
    if (found) {
      let before = this.source.first - 1;
      for (let i = 0; i < found.length && lines.length < LINES; i++) {
        const hidden = found.seqs[i] - before - 1;
        if (hidden >= HIDDEN) lines.push({ index: i, text: `${count(hidden)} events hidden by the filter` });
        before = found.seqs[i];
      }
    }
    if (timed)
      for (const [a, b, seq] of gaps) {
        const index = found ? found.indexOf(seq) : seq - this.source.first;
        if (index > 0 && index < this.length) lines.push({ index, text: `${duration(b - a)} quiet`, quiet: true });
      }
    this.#lines = lines.sort((a, b) => a.index - b.index);
  }
  /** How many lines stand before place `v`, or at it. */
  #linesTo(v) {
    return leading(this.#lines.length, (k) => this.#lines[k].index + k < v);
  }
  #placeOf(index) {
    return index + leading(this.#lines.length, (k) => this.#lines[k].index <= index);
  }
  get places() {
    return this.length + this.#lines.length;
  }
  get scale() {
    return Math.max((this.places * ROW - this.clientHeight) / (TALL - this.clientHeight), 1);
  }
  get top() {
    return (this.scrollTop * this.scale) / ROW;
  }

  #resize() {
    this.#measure();
    this.spacer.style.height = `${Math.min(this.places * ROW, TALL)}px`;
    this.setAttribute("aria-rowcount", this.length);
    this.draw();
  }
  #scrolled() {
    if (this.scrollTop === this.lastTop) return;
    const atEnd = this.scrollTop + this.clientHeight >= this.scrollHeight - ROW;
    if (this.following && !atEnd && this.scrollTop < (this.lastTop ?? 0)) this.dispatchEvent(new Event("unfollow"));
    this.lastTop = this.scrollTop;
    this.draw();
  }
  /** Whoever goes up, however little, has stopped following. */
  #leave() {
    if (this.following) this.dispatchEvent(new Event("unfollow"));
  }
  #wheel(e) {
    if (e.deltaY < 0) this.#leave();
    if (this.scale === 1 || e.ctrlKey) return;
    e.preventDefault();
    this.scrollTop += (Math.sign(e.deltaY) * Math.max(1, Math.round(Math.abs(e.deltaY) / ROW)) * ROW) / this.scale;
  }
  #key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const page = Math.max(Math.floor(this.clientHeight / ROW) - 2, 1);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.length, End: this.length }[e.key];
    if (!by) return;
    e.preventDefault();
    this.step(by);
  }

  /** Draw once per animation frame. */
  draw() {
    if (this.#drawn || !this.source) return;
    this.#drawn = true;
    requestAnimationFrame(() => {
      this.#drawn = false;
      this.#paint();
    });
  }

  #paint() {
    const places = this.places;
    this.#shown = Math.ceil(this.clientHeight / ROW) + 2;
    const shown = Math.min(this.#shown, places);
    const first = Math.max(Math.min(Math.floor(this.top), places - shown), 0);
    const shift = Math.round(this.scrollTop * (1 - this.scale));
    let line = this.#linesTo(first);
    let rows = 0;
    let lines = 0;
    for (let v = first; v < first + shown; v++) {
      const y = v * ROW + shift;
      if (line < this.#lines.length && this.#lines[line].index + line === v) this.#line(lines++, this.#lines[line++], y);
      else {
        if (rows === this.#pool.length) this.#pool.push(this.spacer.appendChild(blank()));
        this.#row(this.#pool[rows++], v - line, y);
      }
    }
    for (let i = 0; i < this.#pool.length; i++) this.#pool[i].hidden = i >= rows;
    for (let i = 0; i < this.#linePool.length; i++) this.#linePool[i].hidden = i >= lines;
    const low = first - this.#linesTo(first);
    this.#want(low, low + rows);
  }

  #line(i, { text, quiet }, y) {
    let line = this.#linePool[i];
    if (!line) {
      line = document.createElement("div");
      line.setAttribute("role", "row");
      line.append(document.createElement("span"));
      line.firstChild.setAttribute("role", "gridcell");
      this.#linePool.push(line);
      this.spacer.append(line);
    }
    line.className = quiet ? "gaprow" : "gaprow left";
    line.firstChild.textContent = text;
    line.style.transform = `translateY(${y}px)`;
  }

  #row(element, index, y) {
    const seq = this.seqAt(index);
    const row = this.#pages.get(Math.floor(index / PAGE))?.get(seq);
    element.style.transform = `translateY(${y}px)`;
    let cls = "ev";
    if (!row) cls += " ghost";
    else if (row.mark) cls += " mark";
    if (row && row.made) cls += " made";
    if (row && this.related && row.call === this.related) cls += " rel";
    if (seq >= this.range[0] && seq <= this.range[1]) cls += " span";
    if (this.at !== null && seq > this.at) cls += " later";
    if (element.className !== cls) element.className = cls;
    const on = String(seq === this.selected);
    if (element.ariaSelected !== on) element.setAttribute("aria-selected", on);
    const mark = this.marks.get(seq);
    if (element.row === row && element.mark === mark?.look && element.dataset.seq === String(seq)) return;
    element.setAttribute("aria-rowindex", index + 1);
    element.row = row;
    element.mark = mark?.look;
    element.dataset.seq = seq;
    write(element, seq, row, mark, this.source);
  }

  // -------------------------------------------------------------- pages of rows

  #keep(row) {
    const page = Math.floor(this.indexOf(row.seq) / PAGE);
    this.#pages.set(page, (this.#pages.get(page) || new Map()).set(row.seq, row));
  }
  #forget() {
    this.#pages.clear();
    for (const stop of this.#pending.values()) stop.abort();
    this.#pending.clear();
    for (const element of this.#pool) element.row = null;
  }
  #trim() {
    while (this.#pages.size > PAGES) this.#pages.delete(this.#pages.keys().next().value);
  }
  row(seq) {
    return this.#pages.get(Math.floor(this.indexOf(seq) / PAGE))?.get(seq);
  }
  /** Fetch what is in sight; with all of it there, one page more the way it goes. */
  #want(first, last) {
    if (!this.length) return;
    const low = Math.floor(first / PAGE);
    const high = Math.floor(Math.max(last - 1, 0) / PAGE);
    const way = Math.sign(first - this.#before);
    this.#before = first;
    for (const [page, stop] of this.#pending) {
      if (page >= low - 1 && page <= high + 1) continue;
      stop.abort();
      this.#pending.delete(page);
    }
    const ask = (page) => {
      const at = page * PAGE;
      const end = Math.min(at + PAGE, this.length);
      if (end > at && !this.#pending.has(page) && this.#lacks(page, Math.max(at, first), Math.min(end, last), end - at)) this.#load(page);
    };
    for (let page = low; page <= high; page++) ask(page);
    if (way && !this.#pending.size) ask(Math.max(way > 0 ? high + 1 : low - 1, 0));
  }
  /** Whether a page has not what is in sight of it; of one out of sight, not all its rows. */
  #lacks(page, from, to, size) {
    const rows = this.#pages.get(page);
    if (!rows || rows.size >= size) return !rows;
    for (let i = from; i < to; i++) if (!rows.has(this.seqAt(i))) return true;
    return from >= to;
  }
  async #load(page) {
    const stop = new AbortController();
    this.#pending.set(page, stop);
    const at = page * PAGE;
    const seqs = this.#found && this.#found.seqs.subarray(at, Math.min(at + PAGE, this.length));
    const url = seqs ? `rows.json?seqs=${spelled(seqs)}` : `events.json?after=${this.seqAt(at) - 1}&limit=${PAGE}`;
    try {
      const answer = await (await fetch(this.source.url + url, { signal: stop.signal })).json();
      const kept = this.#pages.get(page) || new Map();
      for (const row of answer.rows) kept.set(row.seq, row);
      this.#pages.set(page, kept);
      this.#trim();
      this.#paint();
    } catch (error) {
      if (error.name !== "AbortError") setTimeout(() => this.draw(), 1000);
    } finally {
      if (this.#pending.get(page) === stop) this.#pending.delete(page);
    }
  }

  /** Show only what a query lets through; "" shows all. `some(matches)` hears of matches as they come. */
  async filter(query, some = () => {}) {
    const anchor = this.selected || this.seqAt(Math.floor(this.top)) || 0;
    this.#filtering?.abort();
    const stop = (this.#filtering = new AbortController());
    this.#query = query;
    this.#upto = this.source.last;
    let begun = false;
    const take = (found) => {
      if (stop.signal.aborted) return;
      const fresh = !begun;
      if (fresh) this.#forget();
      begun = true;
      this.#found = found;
      this.#resize();
      if (fresh && this.length) this.reveal(this.selected || anchor);
      some(found);
    };
    if (!query) {
      this.#found = null;
      this.#forget();
      this.#resize();
      this.reveal(anchor);
      return null;
    }
    const found = await fetchMatches(`${this.source.url}matches?${query}`, stop.signal, take);
    this.#forget();
    take(found);
    this.reveal(this.selected || anchor);
    return found;
  }

  /** What came since that the filter lets through. */
  async #extend() {
    const found = this.#found;
    const since = this.#upto;
    this.#upto = this.source.last;
    try {
      const more = await fetchMatches(`${this.source.url}matches?${this.#query}&since=${since}`, null, () => {});
      if (found !== this.#found || !more.length) return;
      found.append(more);
      this.#resize();
      this.dispatchEvent(new Event("more"));
      if (this.following) this.toEnd();
    } catch {
      this.#upto = since;
    } finally {
      this.extending = 0;
    }
  }

  // -------------------------------------------------------------- moving

  reveal(seq) {
    const y = this.#placeOf(this.indexOf(seq)) * ROW;
    const top = this.scrollTop * this.scale;
    const high = this.clientHeight - ROW * 2;
    if (y < top || y > top + high) this.scrollTop = Math.max(y - high / 3, 0) / this.scale;
    this.#paint(); // at once, so that its rows are asked for
  }
  toEnd() {
    this.scrollTop = this.scrollHeight;
    this.lastTop = this.scrollTop;
    this.draw();
  }
  step(by) {
    if (by < 0) this.#leave();
    const from = this.selected ? this.indexOf(this.selected) : Math.floor(this.top) - by;
    this.select(this.seqAt(Math.max(Math.min(from + by, this.length - 1), 0)));
  }
  select(seq, { open = false, quiet = false } = {}) {
    if (!seq) return;
    this.selected = seq;
    this.reveal(seq);
    if (!quiet) this.dispatchEvent(new CustomEvent("choose", { detail: { seq, open } }));
  }
  /** There are rows up to `last`; some of the newest are given. Drawn at once. */
  grow(last, rows = []) {
    const grown = Math.max(last - this.source.last, 0);
    this.source.last += grown;
    if (!this.#found && grown) {
      for (const row of rows) if (row.seq >= this.source.first && row.seq <= last) this.#keep(row);
      this.#trim();
      this.#resize();
    } else if (grown && this.filtered && !this.extending) this.extending = setTimeout(() => this.#extend(), 400);
    if (this.following) this.toEnd();
    if (grown) this.#paint();
    return grown;
  }
  /** Gaps that were measured since. */
  regap(gaps) {
    this.source.gaps = gaps;
    this.#resize();
  }
  playTo(seq) {
    this.at = seq;
    if (seq !== null) this.reveal(seq);
    this.draw();
  }
}
customElements.define("ts-log", EventLog);
