/* The calls of a long turn that its page came without: rows out of columns (turnscope/web/thin.py), and, once a card is
   in sight, the row whole. A thin row knows its seqs and times, which is what lanes, ledger and replay need. */
import { selectEvent } from "./acts.js";
import { rows } from "./columns.js";
import { draw } from "./drawing.js";
import { NOTHING, page } from "./state.js";

const url = `/turns/${page.pk}/calls.json`;
const AT_ONCE = 500;
const asked = new Set();

export async function bring() {
  for (const row of rows(await (await fetch(url)).json(), NOTHING)) if (!page.calls.has(row.id)) page.calls.set(row.id, row);
  page.partial = false;
  // An event that was chosen meanwhile is of a call that was not there.
  if (page.event && !page.call) selectEvent(page.event);
  draw();
}

/** Ask for these calls whole. */
export async function more(calls) {
  const ids = calls.map((c) => c.id).filter((id) => !asked.has(id)).slice(0, AT_ONCE);
  if (!ids.length) return;
  for (const id of ids) asked.add(id);
  try {
    const answer = await (await fetch(`${url}?ids=${ids}`)).json();
    const news = answer.calls.filter((row) => row.changed >= page.calls.get(row.id).changed);
    for (const row of news) page.calls.set(row.id, row);
    if (news.length) draw();
  } catch {
    // They are asked for again with the next drawing.
  } finally {
    for (const id of ids) asked.delete(id);
  }
}
