/* "Replay repaired": what a person takes away. The turn plays behind it; here stand the address a real client can be
   pointed at, and the transcript for a model API. */
import { html, nothing, render } from "../vendor/lit-html.js";
import { icon, shown } from "./text.js";

let place = null;

export function openRepaired(page) {
  if (!place) {
    place = document.createElement("dialog");
    place.id = "take";
    place.setAttribute("aria-label", "Replay repaired");
    document.body.append(place);
    place.addEventListener("click", (e) => e.target.closest("[data-close]") && place.close());
  }
  const { repaired } = page;
  const whole = repaired.turn_url ? new URL(repaired.turn_url, location.origin).href : "";
  const url = repaired.url ? new URL(repaired.url, location.origin).href : "";
  const choices = `target=${encodeURIComponent(repaired.target || "")}&policy=${encodeURIComponent(repaired.policy || "")}`;
  const exportUrl = `/turns/${page.pk}/download/transcript.json?${choices}`;
  render(
    html`<div class="replayed"><div class="h">${icon("wrench")}<h2>${repaired.calls ? "The repaired turn is playing" : "The repaired turn"}</h2><button class="btn q" type="button" data-close aria-label="Close">${icon("x")}</button></div>
<p>${shown(repaired.summary)}. ${repaired.sendable === false ? html`<span class="word">${icon("circle-pause")}Not ready to send:</span> ${shown(repaired.why || "")}` : nothing}</p>
${url ? html`<h3>Point a real client here</h3><div class="copyline"><code id="replay-url">${url}</code><button class="btn" type="button" data-copy=${url}>${icon("copy")}Copy</button></div>` : nothing}
${whole ? html`<h3>All runs of this turn, one behind the other</h3><div class="copyline"><code id="replay-turn-url">${whole}</code><button class="btn" type="button" data-copy=${whole}>${icon("copy")}Copy</button></div>` : nothing}
<h3>The repaired transcript, for ${repaired.title || repaired.target}: ${repaired.messages ?? 0} messages</h3><div class="opts"><button class="btn p" type="button" data-copy-transcript>${icon("copy")}Copy repaired transcript</button><a class="btn" href=${exportUrl} download>${icon("download")}Download</a><a class="btn" href=${`/turns/${page.pk}/export/?${choices}`}>All targets</a></div></div>`,
    place,
  );
  place.show();
}
