/* What a filter lets through, as it comes in: the query as the server understood it, then blocks of seqs, each as
   numbers or as ranges (turnscope/web/sifting.py). */
const RANGES = 0x80000000;

/** How many of so many things something holds for, if it holds for the first ones alone. */
export function leading(length, holds) {
  let low = 0;
  let high = length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (holds(mid)) low = mid + 1;
    else high = mid;
  }
  return low;
}

export class Matches {
  seqs = new Uint32Array(4096);
  length = 0;
  head = null;
  #rest = new Uint8Array(0);

  #add(seq) {
    if (this.length === this.seqs.length) {
      const wider = new Uint32Array(this.length * 2);
      wider.set(this.seqs);
      this.seqs = wider;
    }
    this.seqs[this.length++] = seq;
  }

  /** More bytes of the answer. What is not whole yet is kept. */
  take(bytes) {
    const all = new Uint8Array(this.#rest.length + bytes.length);
    all.set(this.#rest);
    all.set(bytes, this.#rest.length);
    const view = new DataView(all.buffer);
    let at = 0;
    if (!this.head) {
      if (all.length < 4 || all.length < 4 + view.getUint32(0, true)) return this.#keep(all, 0);
      at = 4 + view.getUint32(0, true);
      this.head = JSON.parse(new TextDecoder().decode(all.subarray(4, at)));
    }
    while (at + 4 <= all.length) {
      const told = view.getUint32(at, true);
      const count = told % RANGES;
      if (at + 4 + count * 4 > all.length) break;
      const number = (i) => view.getUint32(at + 4 + i * 4, true);
      if (told >= RANGES) {
        for (let i = 0; i < count; i += 2) for (let seq = number(i); seq <= number(i + 1); seq++) this.#add(seq);
      } else for (let i = 0; i < count; i++) this.#add(number(i));
      at += 4 + count * 4;
    }
    this.#keep(all, at);
  }
  #keep(all, from) {
    this.#rest = all.slice(from);
  }

  /** Where a seq is, or the next one after it. */
  indexOf(seq) {
    return leading(this.length, (k) => this.seqs[k] < seq);
  }

  append(more) {
    for (let i = 0; i < more.length; i++) if (more.seqs[i] > (this.seqs[this.length - 1] ?? 0)) this.#add(more.seqs[i]);
  }
}

/** Seqs as a query string carries them: the first, then distances, in base 36. */
export function spelled(seqs) {
  let before = 0;
  return Array.from(seqs, (seq) => {
    const step = (seq - before).toString(36);
    before = seq;
    return step;
  }).join(",");
}

/** Read an answer; `some(matches)` is called whenever more has come. */
export async function fetchMatches(url, signal, some) {
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw new Error(`${answer.status}`);
  const found = new Matches();
  const reader = answer.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return found;
    found.take(value);
    some(found);
  }
}
