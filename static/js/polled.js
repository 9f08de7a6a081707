/* Lists without a tail of their own, and one call: <ts-polled> asks its page's twin every few seconds while somebody
   looks (an unchanged one is answered in a few bytes). Turns are drawn where they changed; of findings it says how many
   are new; a call that is still open is shown anew. */
import { say } from "./live.js";
import * as rows from "./rows.js";

const EVERY = { turns: 2000, findings: 4000, call: 1500 };

class Polled extends HTMLElement {
  connectedCallback() {
    const { of } = this.dataset;
    this.timer = setInterval(() => document.hidden || this.look(of), EVERY[of]);
    addEventListener("pagehide", () => clearInterval(this.timer));
    this.querySelector("#newer")?.addEventListener("click", () => location.reload());
  }
  async look(of) {
    let model;
    try {
      const answer = await fetch(location.pathname.replace(/\/$/, ".json") + location.search);
      if (!answer.ok) return;
      model = await answer.json();
    } catch {
      return; // the server is away: what stands there is still what was
    }
    if (of === "turns") rows.put(this.querySelector(".rows"), model.turns, "all");
    else if (of === "findings") this.count(model.findings);
    else if (String(model.call.changed) !== this.dataset.changed || !model.live) location.reload();
  }
  count(findings) {
    const top = Number(this.dataset.newest);
    const fresh = findings.filter((f) => f.id > top).length;
    const button = this.querySelector("#newer");
    if (fresh && button.hidden) say(`${fresh} new findings`);
    button.hidden = !fresh;
    button.textContent = `${fresh} new`;
  }
}
customElements.define("ts-polled", Polled);
