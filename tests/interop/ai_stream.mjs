// Gives AI SDK UI message streams to the vendor's own client: the transport that useChat has, then the reader.
// Reads one JSON string a line (the body of a response); prints a JSON line each:
// {"refused": what the client throws, or null, "told": errors the stream itself tells,
//  "messages": the UIMessages it makes, "history": "ok", or why they cannot be sent to a model again}.
// usage: node ai_stream.mjs DIR_WITH_NODE_MODULES [PACKAGE] < bodies
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [directory, name = 'ai'] = process.argv.slice(2);
const require = createRequire(join(resolve(directory), 'judge.js'));
const load = (what) => import(pathToFileURL(require.resolve(what)).href);
const ai = await load(name);
const mocks = await load(`${name}/test`);
const { z } = await load('zod');
globalThis.AI_SDK_LOG_WARNINGS = false;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const said = (id, text) => ({ id, role: 'user', parts: [{ type: 'text', text }] });

async function read(body) {
  const headers = { 'content-type': 'text/event-stream', 'x-vercel-ai-ui-message-stream': 'v1' };
  const transport = new ai.DefaultChatTransport({ fetch: async () => new Response(body, { headers }) });
  const messages = [said('u1', 'go')];
  const stream = await transport.sendMessages({ chatId: 'c', messages, trigger: 'submit-message' });
  const told = [];
  const tell = new TransformStream({
    transform(chunk, controller) {
      if (chunk.type === 'error') told.push(chunk.errorText);
      controller.enqueue(chunk);
    },
  });
  let refused = null;
  const onError = (error) => {
    const why = String(error?.message ?? error);
    if (!told.includes(why)) refused ??= `${error?.name}: ${why.split('\n')[0].slice(0, 200)}`;
  };
  const made = new Map();
  for await (const message of ai.readUIMessageStream({ stream: stream.pipeThrough(tell), onError })) {
    made.set(message.id, message);
  }
  return { refused, told, messages: [...made.values()] };
}

async function resend(messages) {
  const Mock = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3;
  const model = new Mock({
    doGenerate: async () => ({
      content: [{ type: 'text', text: 'x' }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [],
    }),
  });
  const names = messages.flatMap(({ parts }) => parts.map(({ type }) => type))
    .filter((type) => type.startsWith('tool-')).map((type) => type.slice('tool-'.length));
  const tools = Object.fromEntries(names.map((one) => [one, ai.tool({ inputSchema: z.any() })]));
  const list = [said('u1', 'go'), ...messages.filter(({ parts }) => parts.length), said('u2', 'and now?')];
  try {
    const valid = await ai.validateUIMessages({ messages: list });
    const converted = await ai.convertToModelMessages(valid, { tools });
    await ai.generateText({ model, messages: converted, tools, maxRetries: 0 });
    return 'ok';
  } catch (error) {
    return `${error.name}: ${String(error.message).split('\n')[0].slice(0, 200)}`;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await read(JSON.parse(line));
  console.log(JSON.stringify({ ...answer, history: await resend(answer.messages) }));
}
