/* Copying what a browser's own search cannot see: the rows around the selected one, as text. */
import { spelled } from "./matches.js";
import { clock, visible } from "./text.js";

const MANY = 200;

/** Up to 200 rows of the list as it is filtered, a line each: seq, time in the turn, kind, call, payload. */
async function rowsAround(log) {
  const at = log.indexOf(log.selected || log.seqAt(Math.floor(log.top)));
  const low = Math.max(Math.min(at - MANY / 2, log.length - MANY), 0);
  const seqs = Array.from({ length: Math.min(MANY, log.length - low) }, (_, i) => log.seqAt(low + i));
  const { url, start, timed } = log.source;
  const { rows } = await (await fetch(`${url}rows.json?seqs=${spelled(seqs)}`)).json();
  return rows.map((r) => [r.seq, timed && r.at ? clock(r.at - start) : "", r.kind, visible(r.call), visible(r.payload)].join("\t")).join("\n");
}

/** What the palette offers for it. */
export const around = (log, copy) => ({ name: `Copy ${MANY} rows around`, icon: "copy", act: async () => copy(await rowsAround(log)) });

/** What the palette offers on the page of a turn's events. */
export const offered = (log, copy) => ({ goTo: (seq) => log.select(seq), items: [around(log, copy)] });
