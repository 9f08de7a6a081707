/* The tail of a thread or channel: a socket that survives. It comes back with `after`, so nothing is lost whatever
   broke. A patch is drawn as it comes, so that the next frame shows it, and what comes before that frame is drawn with
   it; then all of it is acked, so that a slow page is not drowned. A hidden tab pauses. */

const FIRST = 250;
const LONGEST = 8000;
const FINAL = { 4401: "log in", 4404: "gone", 4403: "not allowed" };

export class Tail {
  #socket = null;
  #wait = FIRST;
  #timer = 0;
  #queue = [];
  #frame = 0;
  #closed = false;

  /** `paint(patches)` draws; `status(word)` is `live`, `lost` or a reason it is over; `rows()` says how many of the
      newest rows of the event list to send along. */
  constructor(path, after, { paint, status, key = "seq", fields = false, rows = () => 0 }) {
    this.path = path;
    this.more = fields ? "&fields=1" : "";
    this.after = after;
    this.paint = paint;
    this.status = status;
    this.key = key;
    this.rows = rows;
    document.addEventListener("visibilitychange", () => this.#visible());
    addEventListener("online", () => this.#again(0));
    addEventListener("pagehide", () => this.close());
    this.#open();
  }

  #open() {
    if (this.#closed || this.#socket) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${this.path}?after=${this.after}${this.more}`);
    this.#socket = socket;
    socket.onopen = () => {
      this.#wait = FIRST;
      this.status("live");
      if (document.hidden) this.#send({ pause: true });
    };
    socket.onmessage = (message) => this.#take(message.data);
    socket.onclose = (event) => {
      if (this.#socket === socket) this.#socket = null;
      if (this.#closed) return;
      if (event.code === 4409) return location.reload();
      if (FINAL[event.code]) {
        this.#closed = true;
        return this.status(FINAL[event.code]);
      }
      this.status("lost");
      this.#again(this.#wait * (0.5 + Math.random()));
      this.#wait = Math.min(this.#wait * 1.5, LONGEST);
    };
  }
  #again(ms) {
    clearTimeout(this.#timer);
    if (!this.#socket && !this.#closed) this.#timer = setTimeout(() => this.#open(), ms);
  }
  #send(value) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(value));
  }
  #visible() {
    this.#send({ pause: document.hidden });
    if (!document.hidden) this.#again(0);
  }
  #take(text) {
    let patch;
    try {
      patch = JSON.parse(text);
    } catch {
      return;
    }
    const at = patch[this.key];
    if (typeof at !== "number" || at < this.after) return;
    this.after = at;
    this.#queue.push(patch);
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
      this.#send({ ack: this.after, rows: this.rows() });
    });
    this.#draw();
  }
  #draw() {
    const patches = this.#queue;
    this.#queue = [];
    if (patches.length) this.paint(patches);
  }
  /** Ask again for all that changed after a seq: something here has missed its turn. */
  restart(after) {
    this.after = Math.min(this.after, after);
    const socket = this.#socket;
    this.#socket = null;
    if (socket) {
      socket.onclose = socket.onmessage = null;
      socket.close();
    }
    this.#again(FIRST);
  }
  close() {
    this.#closed = true;
    this.#socket?.close();
  }
}

/** One polite sentence at most every five seconds; what comes in between is counted, not queued. */
let saidAt = 0;
let waiting = "";
let timer = 0;
export function say(sentence) {
  const place = document.getElementById("said");
  if (!place) return;
  const wait = saidAt + 5000 - performance.now();
  if (saidAt && wait > 0) {
    waiting = sentence;
    timer ||= setTimeout(() => {
      timer = 0;
      const next = waiting;
      waiting = "";
      if (next) say(next);
    }, wait);
    return;
  }
  saidAt = performance.now();
  place.textContent = sentence;
}
