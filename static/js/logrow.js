/* One row of the event list: made once, written over again and again. By hand, since this is the hot part. */
import { clock, count, fill, spriteOf } from "./text.js";

const SVG = "http://www.w3.org/2000/svg";

export function blank() {
  const row = document.createElement("div");
  row.className = "ev";
  row.setAttribute("role", "row");
  for (const cls of ["q", "t", "ic", "k", "id", "p"]) {
    const cell = document.createElement("span");
    cell.className = cls;
    cell.setAttribute("role", "gridcell");
    row.append(cell);
  }
  row.children[0].append(document.createElement("a"));
  const icon = document.createElementNS(SVG, "svg");
  icon.setAttribute("class", "i");
  icon.setAttribute("viewBox", "0 0 24 24");
  icon.append(document.createElementNS(SVG, "use"));
  row.children[2].append(icon);
  row.children[3].append(document.createElement("i"), "");
  return row;
}

/** `mark`: what this event decides about its call, or nothing; `row`: null while it is fetched. */
export function write(element, seq, row, mark, { timed, start }) {
  const [q, t, ic, k, id, p] = element.children;
  q.firstChild.textContent = count(seq);
  q.firstChild.href = `?event=${seq}`;
  t.textContent = row && row.at && timed ? clock(row.at - start) : "";
  ic.className = mark ? `ic s-${mark.look}` : "ic";
  ic.firstChild.firstChild.setAttribute("href", row ? spriteOf(mark?.icon || row.icon) : "");
  const cut = row ? row.kind.lastIndexOf("_") + 1 : 0;
  k.firstChild.textContent = row ? row.kind.slice(0, cut) : "";
  k.lastChild.textContent = row ? row.kind.slice(cut) : "";
  fill(id, row ? row.call : "");
  fill(p, row ? row.payload : "");
  if (!row || !mark?.text) return;
  const note = document.createElement("em");
  note.textContent = mark.text;
  p.append(note);
}
