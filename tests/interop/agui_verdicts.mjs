// The official client's verdict on many streams: how far it got, and what it threw.
// usage: node agui_verdicts.mjs DIR_WITH_NODE_MODULES < STREAMS
// In: a JSON line per stream, an array of events. Out: a JSON line per stream, null where the client took it whole,
// else {"passed", "stage", "message", "paths"}: how many events it took before the one it threw at, and what.
// Each goes through an HttpAgent of its own, served as one SSE response: transport, pipeline and reducer are real.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(resolve(process.argv[2]), 'judge.js'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { HttpAgent } = await load('@ag-ui/client');
const { Observable } = await load('rxjs');
console.warn = console.error = () => {};

async function verdict(events) {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const fetch = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const agent = new HttpAgent({ url: 'http://localhost/', threadId: 'judged', fetch });
  let sent = 0;
  const counted = (input, next) =>
    new Observable((subscriber) =>
      next.run(input).subscribe({
        next: (event) => {
          sent += 1;
          subscriber.next(event);
        },
        error: (error) => subscriber.error(Object.assign(error, { before: true })),
        complete: () => subscriber.complete(),
      }),
    );
  agent.use(counted);
  try {
    await agent.runAgent({ runId: 'judged' });
    return null;
  } catch (error) {
    const { issues } = error;
    return {
      passed: error.before ? sent : sent - 1,
      stage: issues ? 'schema' : error.constructor.name,
      message: issues ? issues[0].message : error.message,
      paths: (issues ?? []).map((issue) => issue.path),
    };
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (line) process.stdout.write(`${JSON.stringify(await verdict(JSON.parse(line)))}\n`);
}
