/* Live patches into the rows a page holds: whole rows, changed fields, and what was added to arguments that stream
   (turnscope/web/patches.py). A difference goes on from a version: who has another must ask again. */
const EXCERPT = 160;

const EVENT = ["payload", "call", "at", "kind", "icon", "mark"];

/** The newest rows of the event list that patches bring: null in a row is what the row before it has. */
export const eventsOf = (patches) =>
  patches.flatMap(({ events: [first, ...rows] = [] }) => {
    let row = {};
    return rows.map((differs, i) => {
      row = { ...row, seq: first + i };
      differs.forEach((value, n) => value !== null && (row[EVENT[n]] = value));
      return row;
    });
  });

/** Put a patch into `stores` ({section: Map by id}); the seq to ask again from, or null when all went in. */
export function put(stores, patch, wanted) {
  let again = null;
  const lacks = (row) => (again = Math.min(again ?? Infinity, row ? row.changed : 0));
  for (const [name, store] of Object.entries(stores)) {
    for (const row of Object.values(patch[name] || {})) if (wanted(row)) store.set(row.id, row);
    for (const [id, [back, fields]] of Object.entries(patch.fields?.[name] || {})) {
      const row = store.get(Number(id));
      if (!row) continue;
      if (row.changed === patch.seq - back) store.set(row.id, { ...row, ...fields });
      else if (row.changed < (fields.changed ?? 0)) lacks(row);
    }
  }
  for (const [id, back, now, text] of patch.added || []) {
    const row = stores.calls?.get(id);
    if (!row) continue;
    const changed = patch.seq - now;
    if (row.changed === patch.seq - back)
      store_(stores.calls, row, changed, text);
    else if (row.changed < changed) lacks(row);
  }
  return again;
}

function store_(calls, row, changed, text) {
  const args = Array.from(row.args + text).slice(-EXCERPT).join("");
  calls.set(row.id, { ...row, args, args_length: row.args_length + Array.from(text).length, changed });
}
