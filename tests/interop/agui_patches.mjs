// The official client's state after a stream of patches, and how many of them it could not apply.
// usage: node agui_patches.mjs DIR_WITH_NODE_MODULES < STREAMS
// In: a JSON line per stream, an array of events. Out: a JSON line per stream, {"failed", "state"}.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(resolve(process.argv[2]), 'judge.js'));
const { HttpAgent } = await import(pathToFileURL(require.resolve('@ag-ui/client')).href);
let failed = 0;
console.error = () => {};
console.warn = (...words) => {
  if (words.join(' ').startsWith('Failed to apply state patch')) failed += 1;
};

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (!line) continue;
  failed = 0;
  const body = JSON.parse(line).map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const fetch = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const agent = new HttpAgent({ url: 'http://localhost/', threadId: 'judged', fetch });
  await agent.runAgent({ runId: 'judged' });
  process.stdout.write(`${JSON.stringify({ failed, state: agent.state })}\n`);
}
