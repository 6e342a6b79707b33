// A choice that allows some of the tools that are offered, of clients of chat completions and of Responses: an upstream
// that has a word for it gets all tools and that word, and every other only those that may be called.

import type OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { type Clients, copiedModelOf, type Kind, modelOf, startClients } from './every-upstream.ts';

const parameters = { type: 'object', properties: { at: { type: 'string' } } };
const chatTools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'look', parameters } },
  { type: 'function', function: { name: 'wait', parameters } },
  { type: 'custom', custom: { name: 'patch' } },
];
const look = { type: 'function', function: { name: 'look' } };
const patch = { type: 'custom', custom: { name: 'patch' } };
const flatLook = { type: 'function' as const, name: 'look' };
const flatPatch = { type: 'custom' as const, name: 'patch' };
const responsesTools: OpenAI.Responses.Tool[] = [
  { ...flatLook, parameters, strict: false },
  { type: 'function', name: 'wait', parameters, strict: false },
  flatPatch,
];

type Mode = 'auto' | 'required';
type Upstream = Kind | 'copied';

let clients: Clients;

beforeAll(async () => {
  clients = await startClients({ open: '' });
});

afterAll(() => clients.close());

const nameOf = (upstream: Upstream): string =>
  upstream === 'copied' ? copiedModelOf('open') : modelOf(upstream, 'open');

const askChat = (upstream: Upstream, mode: Mode, ...tools: Json[]) =>
  clients.openai.chat.completions.create({
    model: nameOf(upstream),
    messages: [{ role: 'user', content: 'Mend it.' }],
    tools: chatTools,
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode, tools } },
  });

const askResponses = (upstream: Upstream, mode: Mode) =>
  clients.openai.responses.create({
    ...{ model: nameOf(upstream), input: 'Mend it.', store: false },
    tools: responsesTools,
    tool_choice: { type: 'allowed_tools', mode, tools: [flatLook, flatPatch] },
  });

/** The names of the tools in a body of any format. */
function offeredIn({ tools = [], toolConfig }: Json): unknown[] {
  const lists = (toolConfig as Json | undefined)?.tools ?? tools;
  return (lists as Json[]).flatMap((tool) => {
    if (Array.isArray(tool.functionDeclarations)) return (tool.functionDeclarations as Json[]).map(({ name }) => name);
    const { name } = { ...tool, ...(tool.toolSpec as Json), ...(tool.function as Json), ...(tool.custom as Json) };
    return [name];
  });
}

const ALL = ['look', 'wait', 'patch'];
const ALLOWED = ['look', 'patch'];

/** What each upstream is sent: the tools, and what it is told about them, by the mode. */
const sent: Readonly<Record<Upstream, readonly [unknown[], unknown[], (mode: Mode) => Json]>> = {
  chat: [ALL, ALL, (mode) => ({ tool_choice: { type: 'allowed_tools', allowed_tools: { mode } } })],
  responses: [ALL, ALL, (mode) => ({ tool_choice: { type: 'allowed_tools', mode, tools: [flatLook, flatPatch] } })],
  copied: [ALLOWED, ALLOWED, (mode) => ({ tool_choice: mode })],
  messages: [ALLOWED, ALLOWED, (mode) => ({ tool_choice: { type: mode === 'auto' ? 'auto' : 'any' } })],
  bedrock: [ALLOWED, ALLOWED, (mode) => ({ toolConfig: { toolChoice: mode === 'auto' ? { auto: {} } : { any: {} } } })],
  gemini: [
    ALLOWED,
    ALL,
    (mode) => ({
      toolConfig: {
        functionCallingConfig: mode === 'auto' ? { mode: 'AUTO' } : { mode: 'ANY', allowedFunctionNames: ALLOWED },
      },
    }),
  ],
};

describe.each(Object.entries(sent))('TOOL-04 an upstream of the %s kind', (name, [inAuto, inRequired, told]) => {
  const upstream = name as Upstream;

  test.each(['auto', 'required'] as const)('is told what a client of chat completions allows: %s', async (mode) => {
    const { choices } = await askChat(upstream, mode, look, patch);
    expect(choices[0]?.message).toBeDefined();
    const body = clients.lastSent();
    expect(offeredIn(body)).toEqual(mode === 'auto' ? inAuto : inRequired);
    expect(body).toMatchObject(told(mode));
  });

  test.each(['auto', 'required'] as const)('is told what a client of Responses allows: %s', async (mode) => {
    const { status } = await askResponses(upstream, mode);
    expect(status).toBe('completed');
    const body = clients.lastSent();
    expect(offeredIn(body)).toEqual(mode === 'auto' ? inAuto : inRequired);
    expect(body).toMatchObject(told(mode));
  });
});

test('a list of none forbids them all', async () => {
  await askChat('messages', 'auto');
  expect(clients.lastSent()).toMatchObject({ tool_choice: { type: 'none' } });
});

test('TOOL-05 a name that is not offered is refused, and nothing is sent', async () => {
  const before = clients.harness.simulator.requests.length;
  const absent = { type: 'function', function: { name: 'absent' } };
  await expect(askChat('copied', 'auto', look, absent)).rejects.toMatchObject({
    status: 400,
    code: 'invalid_tools_definition',
    message: expect.stringContaining('tool_choice.allowed_tools.tools[1] names a function that is not in tools'),
  });
  expect(clients.harness.simulator.requests).toHaveLength(before);
});
