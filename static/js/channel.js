/* Pages that are lists, live. <ts-channel>: the turns of a channel or thread. What a tail sends goes straight into a
   channel's rows; where the server must judge (a filter, a thread's miniatures) its twin is asked, once a second at
   most. New rows wait while the reader has paused, or has scrolled away from the top: "3 new". */
import { bind } from "./keys.js";
import { Tail, say } from "./live.js";
import * as rows from "./rows.js";
import { plural } from "./text.js";
import "./overview.js";
import "./importing.js";
import "./polled.js";

const SECOND = 1000;
const MOST = 300;

class Channel extends HTMLElement {
  connectedCallback() {
    this.threads = new Map();
    this.held = new Map();
    this.rows = this.querySelector(".rows");
    this.newer = this.querySelector("#newer");
    this.pause = document.getElementById("pause");
    const { slug, thread, cursor, query } = this.dataset;
    this.kind = thread ? "thread" : "channel";
    this.asks = Boolean(thread || query);
    if ("past" in this.dataset) return;
    new Tail(thread ? `/ws/threads/${thread}/` : `/ws/channels/${slug}/`, Number(cursor), {
      key: thread ? "seq" : "change",
      paint: (patches) => this.paint(patches),
      status: (word) => this.pill(word),
    });
    this.place = this.closest(".scroll");
    this.place?.addEventListener("scroll", () => this.away || this.release(), { passive: true });
    this.newer?.addEventListener("click", () => {
      this.place.scrollTop = 0;
      if (this.paused) this.toggle();
      this.release();
    });
    if (!this.pause) return;
    this.pause.hidden = false;
    this.pause.addEventListener("click", () => this.toggle());
    bind("f", "pause", () => this.toggle());
  }

  get paused() {
    return this.pause?.getAttribute("aria-pressed") === "true";
  }
  get away() {
    return Boolean(this.newer) && this.place.scrollTop > 60;
  }
  toggle() {
    const on = !this.paused;
    this.pause.setAttribute("aria-pressed", String(on));
    const label = this.pause.querySelector(".lbl");
    if (label) label.textContent = on ? "Paused" : "Pause";
    say(on ? "Paused: new turns wait" : "Live again");
    if (!on) this.release();
  }
  pill(word) {
    const pill = document.getElementById("live");
    if (!pill) return;
    pill.className = `pill ${word === "live" ? "live" : "lost"}`;
    pill.lastElementChild.textContent = { live: "Live", lost: "Reconnecting" }[word] || word;
  }

  paint(patches) {
    if ("empty" in this.dataset && patches.some((patch) => patch.turns)) return location.reload();
    if (this.asks) return this.ask();
    for (const patch of patches) {
      for (const thread of Object.values(patch.threads || {})) this.threads.set(thread.id, thread);
      for (const turn of Object.values(patch.turns || {}).sort((a, b) => a.id - b.id)) this.take(turn);
    }
    this.tell();
  }

  /** The twin, for what this page shows; again as long as something comes. */
  ask() {
    if (this.asking) return void (this.again = true);
    this.asking = true;
    this.again = false;
    const wait = Math.max((this.asked || 0) + SECOND - performance.now(), 0);
    setTimeout(async () => {
      try {
        const answer = await fetch(location.pathname.replace(/\/$/, ".json") + location.search);
        if (answer.ok && !this.paused) rows.put(this.rows, (await answer.json()).turns, this.kind);
        else if (this.paused) this.again = true;
      } catch {
        this.again = true;
      }
      this.asked = performance.now();
      this.asking = false;
      if (this.again) this.ask();
    }, wait);
  }

  wanted(turn) {
    const { status } = this.dataset;
    if (status === "live") return turn.live;
    if (status === "errors") return turn.errors > 0;
    return status === "open" ? turn.open > 0 : true;
  }
  take(turn) {
    const row = this.rows.querySelector(`[data-turn="${turn.id}"]`);
    if (!this.wanted(turn)) {
      this.held.delete(turn.id);
      if (!this.paused) row?.remove();
      return;
    }
    if (this.paused || (!row && this.away)) return void this.held.set(turn.id, turn);
    this.put(turn, row);
  }
  put(turn, row) {
    const thread = this.threads.get(turn.thread);
    const known = row?.querySelector(".what small a:last-of-type")?.textContent || "";
    turn.thread_title = thread?.title || row?.turn?.thread_title || known;
    turn.thread_name = thread?.name || row?.turn?.thread_name || known;
    const before = row?.turn;
    if (!row) {
      row = rows.made(true);
      this.rows.querySelector("p.lead")?.remove();
      this.rows.prepend(row);
      while (this.rows.children.length > MOST) this.rows.lastElementChild.remove();
    }
    rows.draw(row, turn, this.kind);
    if (before && before.state !== turn.state && turn.severity === "error") say(`${turn.title || "Turn " + turn.number}: ${turn.headline}`);
  }
  /** What was held back, oldest first. */
  release() {
    if (this.paused) return;
    for (const turn of [...this.held.values()].sort((a, b) => a.id - b.id)) this.put(turn, this.rows.querySelector(`[data-turn="${turn.id}"]`));
    this.held.clear();
    this.tell();
  }
  tell() {
    if (!this.newer) return;
    const fresh = [...this.held.keys()].filter((id) => !this.rows.querySelector(`[data-turn="${id}"]`)).length;
    this.newer.hidden = !this.held.size;
    this.newer.textContent = fresh ? `${fresh} new` : plural(this.held.size, "change");
  }
}
customElements.define("ts-channel", Channel);
