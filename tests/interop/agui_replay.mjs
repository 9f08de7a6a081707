// The official client pointed at addresses of running streams: what it made of each.
// usage: node agui_replay.mjs DIR_WITH_NODE_MODULES FILE...
// Each file holds an address. Out: a JSON line per file: {"file", "verdict", "messages"}; the verdict is "ok" or the error.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [directory, ...files] = process.argv.slice(2);
const require = createRequire(join(resolve(directory), 'judge.js'));
const { HttpAgent } = await import(pathToFileURL(require.resolve('@ag-ui/client')).href);
console.warn = console.error = () => {};

for (const file of files) {
  const agent = new HttpAgent({ url: readFileSync(file, 'utf8').trim(), threadId: 'pointed' });
  let verdict = 'ok';
  try {
    await agent.runAgent({ runId: 'pointed' });
  } catch (error) {
    verdict = error.message;
  }
  console.log(JSON.stringify({ file, verdict, messages: agent.messages }));
}
