/* The calls of a long turn out of the columns that turnscope/web/thin.py spells. */
const at = (column, i) => (Array.isArray(column) ? column[i] : column);

/** A row for each call, in start order; `nothing` is a row of which nothing is known. */
export function rows(t, nothing) {
  const found = [];
  const before = {};
  const step = (name, i) => (before[name] = i ? before[name] + at(t[name][1], i - 1) : t[name][0]);
  for (let i = 0; i < t.many; i++) {
    const [plane, state, owner, limit_ms, late] = t.kinds[at(t.kind, i)];
    const row = { ...nothing, thin: true, plane, state, owner, limit_ms, name: t.names[at(t.name, i)], call_id: t.call_id[i] };
    for (const name of ["id", "number", "start_seq", "start_at"]) row[name] = step(name, i);
    for (const [name, base] of t.bases) row[name] = row[base] + at(t[name], i);
    if (row.answer_seq) row.answers = [{ seq: row.answer_seq, at: row.answer_at, late, plane: "stream", length: 0, excerpt: "" }];
    found.push(row);
  }
  return found;
}
