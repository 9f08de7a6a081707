// Feeds AG-UI event files (a JSON event a line) to the official client, whole, as one stream.
// Prints a JSON line per file: {"file", "verdict": "ok" or the error it throws, "messages": what it holds then}.
// usage: node agui_client.mjs DIR_WITH_NODE_MODULES FILE...
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [directory, ...files] = process.argv.slice(2);
const require = createRequire(join(resolve(directory), 'judge.js'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { AbstractAgent } = await load('@ag-ui/client');
const { Observable } = await load('rxjs');
process.env.SUPPRESS_TRANSFORMATION_WARNINGS = 'true';
console.warn = () => {};
console.error = () => {};

class Recording extends AbstractAgent {
  run() {
    return new Observable((subscriber) => {
      for (const event of this.events) subscriber.next(event);
      subscriber.complete();
    });
  }

  clone() {
    return this;
  }
}

for (const file of files) {
  const lines = readFileSync(file, 'utf8').split('\n').filter((line) => line.trim());
  const agent = new Recording({ threadId: 'judged' });
  agent.events = lines.map((line) => JSON.parse(line));
  let verdict = 'ok';
  try {
    await agent.runAgent({ runId: agent.events[0]?.runId });
  } catch (error) {
    verdict = String(error?.message ?? error).split('\n')[0];
  }
  console.log(JSON.stringify({ file, verdict, messages: agent.messages }));
}
