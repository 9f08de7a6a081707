// Runs AI SDK message lists through the vendor's own checks.
// Prints a JSON line per file: {"file", "verdict": "ok" or the error}.
// AI_PACKAGE names the version: ai is 7, ai6 is 6.
// A file is UIMessage[] (validated, converted, then sent to a model that answers "x") or ModelMessage[].
// usage: node ai_sdk.mjs DIR_WITH_NODE_MODULES FILE...
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [directory, ...files] = process.argv.slice(2);
const require = createRequire(join(resolve(directory), 'judge.js'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const name = process.env.AI_PACKAGE ?? 'ai';
const ai = await load(name);
const mocks = await load(`${name}/test`);
const { z } = await load('zod');
globalThis.AI_SDK_LOG_WARNINGS = false;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function answering() {
  const Mock = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3;
  return new Mock({
    doGenerate: async () => ({
      content: [{ type: 'text', text: 'x' }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage,
      warnings: [],
    }),
  });
}

function toolsIn(messages) {
  const names = new Set();
  const visit = (value) => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!value || typeof value !== 'object') return undefined;
    if (typeof value.toolName === 'string') names.add(value.toolName);
    if (typeof value.type === 'string' && value.type.startsWith('tool-') && value.toolCallId && value.state) {
      names.add(value.type.slice('tool-'.length));
    }
    return Object.values(value).forEach(visit);
  };
  visit(messages);
  return Object.fromEntries([...names].map((name) => [name, ai.tool({ inputSchema: z.any() })]));
}

async function judge(messages) {
  const tools = toolsIn(messages);
  let list = messages;
  if (messages.some((message) => Array.isArray(message.parts))) {
    list = await ai.convertToModelMessages(await ai.validateUIMessages({ messages }), { tools });
  }
  await ai.generateText({ model: answering(), messages: list, tools, maxRetries: 0, allowSystemInMessages: true });
}

for (const file of files) {
  const messages = JSON.parse(readFileSync(file, 'utf8'));
  let verdict = 'ok';
  try {
    await judge(messages);
  } catch (error) {
    verdict = `${error.name}: ${String(error.message).slice(0, 160)}`;
  }
  console.log(JSON.stringify({ file, verdict }));
}
