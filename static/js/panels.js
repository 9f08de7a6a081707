/* The parts of the turn page that change: figures, ledger, cards, findings, original beside repaired. Each is the
   same markup as its template of the same name; lit-html touches only what differs. */
import { html, noChange, nothing, svg } from "../vendor/lit-html.js";
import { NAMELESS } from "./waterfall.js";
import { count, icon, lookIcon, short, shown, visible } from "./text.js";

const TEXTURED = new Set(["streaming", "client", "person", "job", "unanswered", "hanging"]);
export const share = (part, whole) => (whole ? `${Number(((part / whole) * 100).toFixed(3))}%` : "0%");

// ---------------------------------------------------------------- the ledger bar

const cuts = (n, of) =>
  Array.from({ length: Math.max(Math.min(n, 60) - 1, 0) }, (_, i) =>
    svg`<rect class="cut" x=${share(i + 1, of)} width="1.5" height="8" transform="translate(-.75)"/>`);

function plainSlots(n, book) {
  return html`<svg class="slots g" aria-hidden="true"><rect class="t0" width=${share(n, book.started)} height="8"/>${book.started > 60 ? nothing : cuts(book.started, book.started)}</svg>`;
}

function answeredSlots(book) {
  const n = book.started;
  const inner = n > 60
    ? svg`<rect class="t-no" width="100%" height="8"/><rect class="t-ok" width=${share(book.answered, n)} height="8"/>`
    : [book.slots.map((look, i) => svg`<rect class=${"t-" + look} x=${share(i, n)} width=${share(1, n)} height="8"/>`), cuts(n, n)];
  return html`<svg class="slots g" aria-hidden="true">${inner}</svg>`;
}

function openSlots(book) {
  const drawn = book.open_slots.slice(0, 24);
  const n = drawn.length;
  return html`<svg class="slots g" aria-hidden="true">${drawn.map((look, i) => svg`<g class=${"s-" + look}><rect class=${"b " + look} x=${share(i, n)} y=".5" width=${share(1, n)} height="7"/>${
    TEXTURED.has(look) ? svg`<rect fill=${`url(#p-${look})`} x=${share(i, n)} width=${share(1, n)} height="8"/>` : nothing
  }</g>${i ? svg`<rect class="cut" x=${share(i, n)} y="-1" width="4" height="10" transform="translate(-2)"/>` : nothing}`)}</svg>`;
}

export function ledger(book, now, filter) {
  const oldest = book.nobody ? "nobody will answer" : book.oldest_at && book.open ? `oldest ${short(Math.max(now - book.oldest_at, 0))}` : "";
  const part = (name, which, more, slots, cls = nothing) =>
    html`<a class=${cls} href=${"?calls=" + name} data-calls=${name} aria-current=${filter === name ? "true" : nothing} title=${`Show the ${which}`}><span class="v"><b>${count(book[name])}</b> ${name}${more ? html`<small>${more}</small>` : nothing}</span>${slots}</a>`;
  return html`<div class="led" role="group" aria-label="Ledger">
${part("started", "started calls", "", plainSlots(book.started, book))}
${part("ended", "calls whose arguments are complete", "args", plainSlots(book.ended, book))}
${part("answered", "answered calls", book.detail, answeredSlots(book), "ans")}
${part("open", "open calls", oldest, openSlots(book), "open s-" + book.look)}</div>`;
}

// ---------------------------------------------------------------- cards

const seqLink = (seq, cls) => html`<a class=${cls} href=${"?event=" + seq} data-seq=${seq}>#${count(seq)}</a>`;
/** While arguments stream their newest part is held, and the style sheet keeps its end in sight. */
const streamed = (c) => html`<span>${c.args_length > Array.from(c.args).length ? "…" : ""}${shown(c.args)}<span class="caret"></span></span>`;

export function card(c, current) {
  const said = `${c.owner}${c.owner_source ? ", " + c.owner_source : ""}: ${visible(c.owner_reason)}`;
  return html`<article class=${"card edge s-" + c.look} data-call=${c.call_id} data-state=${c.state} data-owner=${c.owner} data-number=${c.number} ?data-hanging=${c.look === "hanging"} aria-current=${c.number === current ? "true" : nothing} aria-label=${`${visible(c.name || NAMELESS)}, ${c.word}`} tabindex="-1">
<div class="r1">${lookIcon(c.icon)}<a class="nm" href=${`?call=${c.number}${c.seqs.length ? "&event=" + c.seqs[0] : ""}`}>${shown(c.name || NAMELESS)}</a><a class="id" href=${`calls/${c.number}/`} title=${visible(c.call_id)}>${shown(c.call_id)}${c.occurrence > 1 ? ` (${c.occurrence})` : nothing}</a><span class="st">${c.word}</span></div>
<div class="r2">${c.look === "streaming" ? streamed(c) : shown(c.look === "orphan" ? c.answers[0]?.excerpt ?? "" : c.args)}</div>
<div class="r3">${c.took ? html`<span class="m" title="From its first event to its last, or until now">${c.took}</span>` : nothing}${c.owner_line ? nothing : html`<span class="own" title=${said}>${icon(c.owner_icon)}${c.owner}</span>`}<span class="nt">${shown(c.note)}</span><span class="sp"></span>${c.codes.map((code) => html`<a class="code" href=${`/rules/${code}/`}>${code}</a>`)}${c.seqs.map((seq) => seqLink(seq, "s"))}</div>
${c.owner_line ? html`<div class="r4" title=${visible(c.owner_reason)}>${icon(c.owner_icon)}<span><b>${c.owner}</b>, ${c.owner_source ? c.owner_source + ": " : ""}${shown(c.owner_reason)}</span></div>` : nothing}</article>`;
}

/** At most `most` cards, but always the selected one; the rest on request. */
let stood = [];
/** What a card shows but for what moves while it is open: its time, and arguments that stream. */
const still = (c, current) =>
  [c.number, c.look, c.codes.join(), c.answer_seq, c.number === current, c.look === "streaming" ? "" : c.note + c.args].join("\n");

export function cards(list, current, filter, most, inSight) {
  const upTo = Math.max(most, list.findIndex((c) => c.number === current) + 1);
  const more = list.length - upTo;
  const before = stood;
  stood = list.slice(0, upTo).map((c) => still(c, current));
  if (list.length)
    return html`${list.slice(0, upTo).map((c, i) => (before[i] === stood[i] && !inSight.has(c.number) ? noChange : card(c, current)))}${more > 0 ? html`<p class="nocards"><button class="btn" type="button" data-more-cards>Show ${count(more)} more</button></p>` : nothing}`;
  return filter
    ? html`<p class="nocards"><b>No ${filter} calls.</b> <a class="ref" href="?" data-calls="">Show all</a></p>`
    : html`<p class="nocards"><b>No tool calls in this turn.</b> The event list shows what came instead.</p>`;
}

// ---------------------------------------------------------------- findings

function effect(e, code) {
  return html`<li id=${"finding-" + e.id}><a class="code" href=${`/rules/${e.code}/`} title=${e.title}>${e.code}</a><span title=${visible(e.message)}>${shown(e.message)}</span><small>explained by ${code}</small></li>`;
}

function finding(g, first, current) {
  return html`<section class=${`f sev-${g.severity}${g.closed_seq ? " shut" : ""}${g.muted ? " muted" : ""}`} id=${"finding-" + g.id} data-finding=${g.code} aria-current=${g.id === current ? "true" : nothing} aria-label=${g.title} tabindex="-1">
<div class="h">${icon(g.icon)}<b>${g.title}${g.count > 1 ? ` ×${g.count}` : nothing}</b><span class="cul" title=${visible(g.culprit_reason)}>${g.closed_seq ? "closed" : html`caused by <b>${g.culprit}</b>`}</span><a class="code" href=${`/rules/${g.code}/`} title=${g.name}>${g.code}</a></div>
<p>${shown(g.message)} ${g.seqs.slice(0, 4).map((seq) => html`${seqLink(seq, "ref")} `)}</p>
${g.repair ? html`<p class="mend">${icon("wrench")}${shown(g.repair)}</p>` : nothing}
${g.muted ? html`<p class="mute">${g.habit ? "A habit" : "Muted here"}, and not counted: ${shown(g.muted)}</p>` : nothing}
${g.explains.length ? html`<details class="more" ?open=${first}><summary>${icon("chevron-right")}+${g.explains.length} consequence${g.explains.length > 1 ? "s" : ""}</summary><ul>${g.explains.map((e) => effect(e, g.code))}</ul></details>` : nothing}</section>`;
}

export function findings(groups, current, live, replayed) {
  if (groups.length) return html`${groups.map((g, i) => finding(g, i === 0, current))}`;
  if (replayed) return html`<p class="none"><b>${icon("check")}No findings up to here.</b></p>`;
  const why = live ? "Rules look at every event as it arrives." : "Every call was answered, or waits for somebody who may still answer.";
  return html`<p class="none"><b>${icon("check")}No findings.</b> ${why}</p>`;
}

const ICONS = { error: "octagon-x", warning: "triangle-alert", info: "info" };
export function findingCounts(groups) {
  const standing = groups.filter((g) => !g.closed_seq);
  return html`${Object.keys(ICONS).map((name) => {
    const n = standing.filter((g) => g.worst === name).length;
    return n ? html`<span class=${"n sev-" + name} title=${`${n} ${name}`}>${icon(ICONS[name])}${n}<span class="vh"> ${name}</span></span> ` : nothing;
  })}`;
}

// ---------------------------------------------------------------- original beside repaired

function line(l) {
  const inner = l.kind === "del" ? html`<del>${shown(l.text)}</del>` : l.kind === "add" ? html`<ins>${shown(l.text)}</ins>` : shown(l.text);
  return html`<div class=${"dl " + l.kind} data-n=${l.n || ""}>${l.kind === "nil" ? nothing : inner}</div>`;
}

export function diff(repaired) {
  const rows = repaired.diff.map((row) => {
    if (row.same) return html`<div class="fold">${count(row.same)} unchanged</div>`;
    return html`${line(row.left)}${line(row.right)}${row.why ? html`<div class="why">${shown(row.why)}</div>` : nothing}`;
  });
  return html`<h3>Original</h3><h3>Repaired</h3>${rows}`;
}

export function inspector(repaired, pk) {
  const told = repaired ? repaired.summary : "reading…";
  return html`<div class="tabs" role="tablist"><a role="tab" aria-selected="true" href=${`/turns/${pk}/export/`}>Original vs repaired</a><span class="sp" role="presentation"></span><a role="tab" aria-selected="false" href=${`/turns/${pk}/export/`}>${told}${icon("chevron-right")}</a></div>
${repaired && repaired.targets ? html`<div class="tools"><label><select data-target aria-label="Target">${repaired.targets.map((t) => html`<option value=${t.name} ?selected=${t.name === repaired.target}>${t.title}</option>`)}</select></label><button class="btn p" type="button" data-copy-transcript>${icon("copy")}Copy repaired transcript</button><a class="btn" href=${`/turns/${pk}/download/transcript.json?target=${encodeURIComponent(repaired.target)}`} download title="Download the repaired transcript" aria-label="Download the repaired transcript">${icon("download")}</a></div>` : nothing}
${repaired && repaired.sendable === false ? html`<p class="wait">${icon("circle-pause")}<span>Not ready to send: ${shown(repaired.why)}</span></p>` : nothing}
${repaired ? html`<div class="scroll diff" tabindex="0" role="region" aria-label="Original beside repaired">${repaired.error ? html`<div class="fold">${repaired.error}</div>` : diff(repaired)}</div>` : nothing}`;
}
