// What an organization's rules do to the answers of models: whole and streamed, in every dialect, and what it costs.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { codeOf, DIALECTS, type FilteredOrg, type GuardBed, messageOf, startGuardBed } from './guard-bed.ts';

let bed: GuardBed;

beforeAll(async () => {
  bed = await startGuardBed();
});
afterAll(() => bed.harness.close());

const USAGE = { prompt_tokens: 10, completion_tokens: 40, total_tokens: 50 };

/** The upstream says exactly this, in pieces of a few letters where it is a stream. */
function says(text: string, isStream: boolean): void {
  bed.harness.simulator.script((_request, response: ServerResponse) => {
    if (!isStream) {
      const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ id: 'x', object: 'chat.completion', model: 'm', created: 1, choices, usage: USAGE }),
      );
      return undefined;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const frame = (body: Json): void => {
      response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', ...body })}\n\n`,
      );
    };
    for (let place = 0; place < text.length; place += 3) {
      frame({ choices: [{ index: 0, delta: { content: text.slice(place, place + 3) }, finish_reason: null }] });
    }
    frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    frame({ choices: [], usage: USAGE });
    response.end('data: [DONE]\n\n');
    return undefined;
  });
}

const REDACT = { name: 'Codename', type: 'keyword', pattern: 'blue heron', action: 'redact', appliesTo: 'output' };
const BLOCK = { ...REDACT, action: 'block' };
const CARD = { name: 'Cards', type: 'template', pattern: 'credit_card', action: 'redact', appliesTo: 'both' };
const TEXT = `It is called Blue Heron, and paid with 4111 1111 1111 1111. ${'More words follow. '.repeat(12)}`;
const REDACTED = `It is called [REDACTED], and paid with [REDACTED]. ${'More words follow. '.repeat(12)}`;

const PATHS = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' } as const;

function ask(org: FilteredOrg, dialect: (typeof DIALECTS)[number], more: Json = {}) {
  const messages = [{ role: 'user', content: 'Hello.' }];
  const body = dialect === 'responses' ? { input: 'Hello.' } : { messages, max_tokens: 500 };
  return bed.harness.request('POST', PATHS[dialect], {
    key: org.key,
    body: { model: 'openai/test', ...body, ...more },
  });
}

/** All text of a stream, whatever the dialect calls it. */
const textOf = (stream: string): string =>
  stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Json)
    .map((frame) => {
      const [choice] = (frame.choices as { delta?: { content?: string } }[] | undefined) ?? [];
      const { delta, type } = frame as { delta?: string | { text?: string }; type?: string };
      if (type === 'response.output_text.delta') return String(delta);
      return choice?.delta?.content ?? (typeof delta === 'object' ? (delta.text ?? '') : '');
    })
    .join('');

/** The upstream calls a tool that takes plain text. */
function calls(input: string, isStream: boolean): void {
  bed.harness.simulator.script((_request, response: ServerResponse) => {
    const head = { id: 'x', created: 1, model: 'm' };
    const call = { index: 0, id: 'call_1', type: 'custom', custom: { name: 'patch', input } };
    const choice = { index: 0, [isStream ? 'delta' : 'message']: { role: 'assistant', tool_calls: [call] } };
    const object = isStream ? 'chat.completion.chunk' : 'chat.completion';
    const answer = { ...head, object, choices: [{ ...choice, finish_reason: 'tool_calls' }], usage: USAGE };
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(isStream ? `data: ${JSON.stringify(answer)}\n\ndata: [DONE]\n\n` : JSON.stringify(answer));
    return undefined;
  });
}

test('FILT-05 what a tool is given as plain text is read like any other text of an answer', async () => {
  const tools = [{ type: 'custom', custom: { name: 'patch' } }];
  const [redacting, blocking] = [await bed.filtered(REDACT), await bed.filtered(BLOCK)];
  const input = '+ say("Blue Heron")\n';
  for (const stream of [false, true]) {
    calls(input, stream);
    const shown = await ask(redacting, 'chat', { stream, tools });
    expect(shown.text).toContain(String.raw`"input":"+ say(\"[REDACTED]\")\n"`);
    expect(shown.text).not.toContain('Heron');
    calls(input, stream);
    const blocked = await ask(blocking, 'chat', { stream, tools });
    expect(blocked.text).toContain('content_filter');
    expect(blocked.text).not.toContain('Heron');
  }
  calls('+ nothing', true);
  expect((await ask(redacting, 'chat', { stream: true, tools })).text).toContain('"custom":{"input":"+ nothing"}');
});

describe.each(DIALECTS)('%s', (dialect) => {
  test('FILT-05 redact changes what the client gets, whole and streamed, and the call is paid for', async () => {
    const org = await bed.filtered(REDACT, CARD);
    says(TEXT, false);
    const whole = await ask(org, dialect);
    expect(whole.status, whole.text).toBe(200);
    expect(whole.text).toContain(REDACTED.trim());
    expect(whole.text).not.toMatch(/Heron|4111/);
    says(TEXT, true);
    const streamed = await ask(org, dialect, { stream: true });
    expect(textOf(streamed.text)).toBe(REDACTED);
    expect(streamed.text).not.toMatch(/Heron|4111/);
    expect(await bed.harness.spent(org.key)).toBeGreaterThan(0);
    expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  });

  test('FILT-05 block withholds a whole answer, and ends a stream saying what was sent before', async () => {
    const org = await bed.filtered(BLOCK);
    const text = `${'Harmless words. '.repeat(10)}Then comes Blue Heron, and ${'more. '.repeat(10)}`;
    says(text, false);
    const whole = await ask(org, dialect);
    expect([whole.status, codeOf(whole)], whole.text).toEqual([403, 'content_filter']);
    if (dialect !== 'messages') expect(messageOf(whole)).toContain('"Codename"');
    const afterWhole = await bed.harness.spent(org.key);
    expect(afterWhole).toBeGreaterThan(0);
    says(text, true);
    const streamed = await ask(org, dialect, { stream: true });
    const shown = textOf(streamed.text);
    expect(text.startsWith(shown)).toBe(true);
    expect(shown.length).toBeGreaterThan(50);
    expect(streamed.text).not.toContain('Heron');
    expect(streamed.text).toContain(`${shown.length} characters had been sent before`);
    await expect.poll(() => bed.harness.spent(org.key)).toBeGreaterThan(afterWhole);
    expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  });
});

test('flag lets it through, and the log says that a rule was hit', async () => {
  const org = await bed.filtered({ ...REDACT, action: 'flag' });
  says(TEXT, true);
  expect(textOf((await ask(org, 'chat', { stream: true })).text)).toBe(TEXT);
  await expect.poll(async () => (await bed.log(org, 'org.filter.hit')).length).toBe(1);
});

test('a rule on what is sent says nothing about answers, and the other way round', async () => {
  const input = await bed.filtered({ ...BLOCK, appliesTo: 'input' });
  says(TEXT, false);
  expect((await ask(input, 'chat')).status).toBe(200);
  const output = await bed.filtered(BLOCK);
  says('Fine.', false);
  const messages = [{ role: 'user', content: 'Blue heron?' }];
  expect((await ask(output, 'chat', { messages })).status).toBe(200);
  expect((await bed.filters(output, 'GET')).body).toMatchObject({ rules: [{ appliesTo: 'output' }] });
});

test('BILL-08 an answer that was blocked is charged once, however often it is asked for with the same key', async () => {
  const org = await bed.filtered(BLOCK);
  const asked = () =>
    bed.harness.chat(org.key, { model: 'openai/test', max_tokens: 500 }, { 'Idempotency-Key': 'blocked' });
  says(TEXT, false);
  const blocked = await asked();
  expect([blocked.status, codeOf(blocked)]).toEqual([403, 'content_filter']);
  const spent = await bed.harness.spent(org.key);
  expect(spent).toBeGreaterThan(0);
  const again = await asked();
  expect(await bed.harness.spent(org.key)).toBe(spent);
  expect([again.status, again.text]).toEqual([403, blocked.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('x-generation-id')).toBe(blocked.headers.get('x-generation-id'));
  expect(again.headers.get('x-should-retry')).toBe('false');
});

test('a pattern that needs a thread keeps the stream until it is judged', async () => {
  const org = await bed.filtered({ ...REDACT, type: 'regex', pattern: '(?i)blue (heron|crane){1,60}' });
  says(TEXT, true);
  const answer = await ask(org, 'chat', { stream: true });
  expect(textOf(answer.text)).toBe(TEXT.replace('Blue Heron', '[REDACTED]'));
  const strict = await bed.filtered({ ...BLOCK, type: 'regex', pattern: '(?i)blue (heron|crane){1,60}' });
  says(TEXT, true);
  const refused = await ask(strict, 'chat', { stream: true });
  expect([textOf(refused.text), refused.text.includes('Nothing had been sent before')]).toEqual(['', true]);
  expect(await bed.harness.spent(strict.key)).toBeGreaterThan(0);
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
});

test('several answers at once cannot be filtered, and a kept answer is not given past the rules', async () => {
  const org = await bed.filtered(BLOCK);
  expect((await ask(org, 'chat', { n: 2 })).status).toBe(400);
  says('Fine.', false);
  const headers = { 'X-Tollgate-Cache': 'ttl=60' };
  const messages = [{ role: 'user', content: 'Hello.' }];
  const answer = await bed.harness.chat(org.key, { model: 'openai/test', messages }, headers);
  expect([answer.status, answer.headers.get('x-tollgate-cache')]).toEqual([200, null]);
});
