/* The transcript and the state of a moment: asked of the server, which folds them, for the seq that is looked at. */
import { html, nothing } from "../vendor/lit-html.js";
import { tree } from "./payload.js";
import { count, icon, shown } from "./text.js";

const ref = (seq) => html`<a class="ref" href=${"?event=" + seq} data-seq=${seq}>#${count(seq)}</a>`;

function message(m) {
  return html`<article class="msg"><div class="h"><b>${shown(m.role)}</b>${m.seqs.slice(0, 2).map(ref)}<span class="sp"></span></div>${m.parts.map(
    (part) => html`<div class=${part.kind === "text" ? "body" : "body mono"}>${part.kind === "text" ? nothing : html`<b>${shown(part.title)}</b> `}${shown(part.text)}${part.more ? html`<i>… ${count(part.more)} more characters</i>` : nothing}</div>`,
  )}</article>`;
}

export function transcript({ messages, earlier }, pk) {
  if (!messages.length) return html`<p class="none"><b>No messages.</b> The stream had built none by then.</p>`;
  return html`${earlier ? html`<p class="none">${count(earlier)} earlier messages are on the <a class="ref" href=${`/turns/${pk}/export/`}>export page</a>.</p>` : nothing}${messages.map(message)}`;
}

function doc(d) {
  const body = d.note ? html`<p class="none">${d.note}</p>` : (!d.cut && tree(d.text)) || html`<pre class="raw">${shown(d.text)}${d.cut ? "…" : ""}</pre>`;
  return html`<section class="doc"><div class="h"><b>${shown(d.title)}</b><span>${count(d.changes)} change${d.changes === 1 ? "" : "s"}, the last ${shown(d.by)}</span>${ref(d.seq)}</div>${d.refused.length ? html`<p class="says">${icon("triangle-alert")}Refused, and left as it was: ${d.refused.slice(0, 6).map(ref)}</p>` : nothing}${body}</section>`;
}

export function state({ documents }) {
  return documents.length ? html`${documents.map(doc)}` : html`<p class="none"><b>No state.</b> Nothing sent one up to here.</p>`;
}
