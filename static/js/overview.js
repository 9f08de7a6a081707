/* The overview, live: <ts-overview> asks its own twin every two seconds while somebody looks; an unchanged one is
   answered in a few bytes. */
import { html, render } from "../vendor/lit-html.js";
import * as rows from "./rows.js";
import { count } from "./text.js";

const EVERY = 2000;

class Overview extends HTMLElement {
  connectedCallback() {
    this.timer = setInterval(() => document.hidden || this.look(), EVERY);
    document.addEventListener("visibilitychange", () => document.hidden || this.look());
    addEventListener("pagehide", () => clearInterval(this.timer));
  }
  async look() {
    let model;
    try {
      const answer = await fetch("/overview.json");
      if (!answer.ok) return;
      model = await answer.json();
    } catch {
      return; // the server is away: what stands there is still what was
    }
    if ("empty" in this.dataset) return void (model.total && location.reload());
    const figure = (name, value) => {
      const place = this.querySelector(`[data-${name}]`);
      if (place && place.textContent !== value) place.textContent = value;
    };
    figure("live", String(model.live.length));
    figure("rate", String(model.rate));
    figure("frames", count(model.frames));
    figure("total", count(model.total));
    this.querySelector("#live-now").hidden = !model.live.length;
    rows.put(this.querySelector("#live-rows"), model.live, "all");
    rows.put(this.querySelector("#new-rows"), model.turns, "all");
    this.findings(model.findings);
  }
  /** Findings are drawn anew only when they are others. */
  findings(list) {
    const now = list.map((f) => `${f.id}.${f.changed}`).join();
    if (now === this.told) return;
    const place = this.querySelector("#new-findings");
    if (this.told === undefined) place.replaceChildren();
    this.told = now;
    render(list.length ? html`${list.map(rows.finding)}` : html`<p class="pad lead">No errors stand.</p>`, place);
  }
}
customElements.define("ts-overview", Overview);
