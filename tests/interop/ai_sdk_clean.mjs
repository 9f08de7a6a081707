// The AI SDK's own cleaning of UIMessage[], and what a model would then be asked.
// Prints a JSON line per file: {"file", "messages" as ModelMessage[] or null, "verdict": "ok" or the error}.
// CLEAN=1 has incomplete tool calls ignored (ignoreIncompleteToolCalls); else lists are converted as they are.
// usage: node ai_sdk_clean.mjs DIR_WITH_NODE_MODULES FILE...
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [directory, ...files] = process.argv.slice(2);
const require = createRequire(join(resolve(directory), 'judge.js'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const ai = await load('ai');
const { MockLanguageModelV4 } = await load('ai/test');
globalThis.AI_SDK_LOG_WARNINGS = false;

const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
const said = {
  content: [{ type: 'text', text: 'x' }],
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: tokens, outputTokens: { total: 1, text: 1, reasoning: 0 } },
  warnings: [],
};

for (const file of files) {
  let messages = null;
  let verdict = 'ok';
  try {
    const list = await ai.validateUIMessages({ messages: JSON.parse(readFileSync(file, 'utf8')) });
    messages = await ai.convertToModelMessages(list, { ignoreIncompleteToolCalls: process.env.CLEAN === '1' });
    const model = new MockLanguageModelV4({ doGenerate: async () => said });
    await ai.generateText({ model, messages, maxRetries: 0, allowSystemInMessages: true });
  } catch (error) {
    verdict = `${error.name}: ${String(error.message).slice(0, 160)}`;
  }
  console.log(JSON.stringify({ file, messages, verdict }));
}
