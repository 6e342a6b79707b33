// Prompts and answers of organizations that keep them: what is kept and what is not, who reads it, and that it is
// removed.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DIALECTS, type FilteredOrg, type GuardBed, startGuardBed } from '../guardrails/guard-bed.ts';
import type { Answer, Json } from '../harness.ts';
import { rows } from '../identity/rows.ts';
import { ShiftedClock } from '../signin/people.ts';

const clock = new ShiftedClock();
let bed: GuardBed;
let acme: FilteredOrg;

beforeAll(async () => {
  bed = await startGuardBed({ start: { clock } });
  acme = await bed.org();
}, 60_000);

afterAll(() => bed?.harness.close());

const ALL = { days: 30, samplePercent: 100, readers: ['org_admin'] };

async function keep({ id, adminKey }: FilteredOrg, transcripts: Json | null): Promise<Answer> {
  const answer = await bed.harness.request('PATCH', `/v1/orgs/${id}`, {
    key: adminKey,
    body: { settings: { transcripts } },
  });
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

const generationOf = (answer: Answer): string => answer.headers.get('x-generation-id') ?? '';

const read = ({ id, adminKey }: FilteredOrg, path: string, key = adminKey): Promise<Answer> =>
  bed.harness.request('GET', `/api/orgs/${id}/transcripts${path}`, { key });

/** Waits until it is written: that is done beside the calls, every second. */
async function kept(org: FilteredOrg, generationId: string): Promise<Json> {
  for (let attempt = 0; attempt < 6_000; attempt += 1) {
    const answer = await read(org, `/${generationId}`);
    if (answer.status === 200) return answer.body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${generationId} was not kept`);
}

const count = async (orgId: string): Promise<number> =>
  (await rows(bed.harness.databaseUrl, 'select 1 from transcripts where org_id = $1', [orgId])).length;

async function member(org: FilteredOrg, role: string, teamId: string | null = null) {
  const { userId } = await bed.harness.account(0);
  const id = `mem-${crypto.randomUUID()}`;
  await rows(
    bed.harness.databaseUrl,
    'insert into org_members (id, org_id, user_id, role, team_id) values ($1, $2, $3, $4, $5)',
    [id, org.id, userId, role, teamId],
  );
  const make = async (keyType: string): Promise<string> =>
    String((await bed.harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, { name: role, keyType, userId })).key);
  return { userId, key: await make('standard'), adminKey: await make('management') };
}

test('nothing is kept where nobody has asked for it', async () => {
  const answer = await bed.ask(acme.key, 'chat', 'A canary: kanarienvogel-0815.');
  expect(answer.status).toBe(200);
  await keep(acme, ALL);
  const after = await bed.ask(acme.key, 'chat', 'Something else.');
  await kept(acme, generationOf(after));
  expect(await count(acme.id)).toBe(1);
  expect((await read(acme, `/${generationOf(answer)}`)).status).toBe(404);
});

describe('where it is asked for', () => {
  test.each(DIALECTS)('%s is kept whole and streamed, readable for those who may, and sealed', async (dialect) => {
    for (const stream of [false, true]) {
      const mark = `kanarienvogel-${crypto.randomUUID()}`;
      const body =
        dialect === 'responses'
          ? { input: `Say ${mark}.` }
          : { messages: [{ role: 'user', content: `Say ${mark}.` }], max_tokens: 64 };
      const path = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' }[dialect];
      const answer = await bed.harness.request('POST', path, {
        key: acme.key,
        body: { model: 'openai/test', stream, ...body },
      });
      expect(answer.status, answer.text).toBe(200);
      const transcript = await kept(acme, generationOf(answer));
      expect(transcript).toMatchObject({
        model: 'openai/test',
        userId: acme.userId,
        keyId: acme.keyId,
        input: { messages: [{ role: 'user', content: `Say ${mark}.` }] },
        output: { response: answer.text, reasoning: null },
        truncated: false,
      });
      expect(String((transcript.output as Json).completion).length).toBeGreaterThan(3);
      const [row] = await rows<{ content: Buffer }>(
        bed.harness.databaseUrl,
        'select content from transcripts where id = $1',
        [generationOf(answer)],
      );
      expect(row?.content.toString('latin1')).not.toContain('kanarienvogel');
    }
  });

  test('by the id of the generation, with a key of the organization', async () => {
    const id = generationOf(await bed.ask(acme.key, 'chat', 'Hello.'));
    await kept(acme, id);
    const content = await bed.harness.request('GET', `/v1/generation/content?id=${id}`, { key: acme.key });
    expect(content.body).toMatchObject({ data: { input: { messages: [{ content: 'Hello.' }] } } });
    expect((await bed.harness.request('GET', '/v1/generation/content', { key: acme.key })).status).toBe(400);
    const { key } = await bed.harness.account();
    expect((await bed.harness.request('GET', `/v1/generation/content?id=${id}`, { key })).status).toBe(404);
  });

  test('a standard key in the name of somebody who may read everything opens no calls of others', async () => {
    const org = await bed.org();
    await keep(org, { ...ALL, readers: ['org_admin', 'billing_viewer'] });
    const id = generationOf(await bed.ask(org.key, 'chat', 'Not for the team.'));
    await kept(org, id);
    const teams = `/v1/orgs/${org.id}/teams`;
    const { body: team } = await bed.harness.request('POST', teams, { key: org.adminKey, body: { name: 'Blue' } });
    const [lead, viewer] = [
      await member(org, 'team_admin', String(team.id)),
      await member(org, 'billing_viewer', String(team.id)),
    ];
    const contentFor = async (key: string): Promise<number> =>
      (await bed.harness.request('GET', `/v1/generation/content?id=${id}`, { key })).status;
    const body = { name: 'In their name', userId: viewer.userId };
    const made = await bed.harness.request('POST', `/api/orgs/${org.id}/keys`, { key: lead.adminKey, body });
    expect(made.status, made.text).toBe(201);
    expect([await contentFor(lead.adminKey), await contentFor(String(made.body.key))]).toEqual([403, 404]);
    expect([await contentFor(viewer.adminKey), await contentFor(org.adminKey)]).toEqual([200, 200]);
  });

  test('it is what the filters have left, of the prompt and of the answer', async () => {
    const org = await bed.filtered({
      name: 'Codename',
      type: 'keyword',
      pattern: 'blue heron',
      action: 'redact',
      appliesTo: 'both',
    });
    await keep(org, ALL);
    bed.harness.simulator.script((_request, response) => {
      const message = { role: 'assistant', content: 'Blue heron it is.' };
      const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          ...{ id: 'x', object: 'chat.completion', model: 'm', created: 1, usage },
          choices: [{ index: 0, message, finish_reason: 'stop' }],
        }),
      );
      return undefined;
    });
    const transcript = await kept(org, generationOf(await bed.ask(org.key, 'chat', 'Tell of the blue heron.')));
    expect(transcript).toMatchObject({
      input: { messages: [{ content: 'Tell of the [REDACTED].' }] },
      output: { completion: '[REDACTED] it is.' },
    });
    expect(JSON.stringify(transcript).toLowerCase()).not.toContain('heron');
  });

  test('a call that fails fails as ever, and nothing is kept of it', async () => {
    const before = await count(acme.id);
    const refused = await bed.harness.chat(acme.key, { model: 'openai/none' });
    expect([refused.status, (refused.body.error as Json).code]).toEqual([400, 'unknown_model']);
    bed.harness.simulator.script((_request, response) => {
      response.writeHead(400).end('{"error":{"message":"No."}}');
      return undefined;
    });
    expect((await bed.ask(acme.key, 'chat', 'Hello.')).status).toBe(400);
    await kept(acme, generationOf(await bed.ask(acme.key, 'chat', 'Hello.')));
    expect(await count(acme.id)).toBe(before + 1);
  });

  test('of a share of the calls', async () => {
    const org = await bed.org();
    await keep(org, { ...ALL, samplePercent: 50 });
    for (let call = 0; call < 24; call += 1) await bed.ask(org.key, 'chat', 'Hello.');
    await keep(org, ALL);
    await kept(org, generationOf(await bed.ask(org.key, 'chat', 'Hello.')));
    const sampled = (await count(org.id)) - 1;
    expect([sampled > 0, sampled < 24]).toEqual([true, true]);
  });

  test('not beyond what an organization has room for', async () => {
    const org = await bed.org();
    await keep(org, ALL);
    const full = 'insert into transcript_totals (org_id, bytes) values ($1, 1073741824)';
    await rows(bed.harness.databaseUrl, full, [org.id]);
    const lost = generationOf(await bed.ask(org.key, 'chat', 'Hello.'));
    await kept(acme, generationOf(await bed.ask(acme.key, 'chat', 'Written later.')));
    expect((await read(org, `/${lost}`)).status).toBe(404);
  });
});

describe('beside what else records an answer', () => {
  test('a call that goes into the cache is kept, and the answer from the cache is not kept again', async () => {
    const ask = (): Promise<Answer> =>
      bed.harness.chat(
        acme.key,
        { model: 'openai/test', messages: [{ role: 'user', content: 'The same again.' }] },
        { 'X-Tollgate-Cache': 'ttl=600' },
      );
    const first = await ask();
    expect([first.status, first.headers.get('x-tollgate-cache')]).toEqual([200, 'miss']);
    expect(await kept(acme, generationOf(first))).toMatchObject({ output: { response: first.text } });
    const second = await ask();
    expect([second.status, second.headers.get('x-tollgate-cache')]).toEqual([200, 'hit']);
    await kept(acme, generationOf(await bed.ask(acme.key, 'chat', 'Written later.')));
    expect((await read(acme, `/${generationOf(second)}`)).status).toBe(404);
  });

  test('a call with an idempotency key is kept once, and repeated as ever', async () => {
    const before = await count(acme.id);
    const ask = (): Promise<Answer> =>
      bed.harness.chat(acme.key, { model: 'openai/test', stream: true }, { 'Idempotency-Key': 'kept-once' });
    const [first, second] = [await ask(), await ask()];
    expect([second.text, second.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    await kept(acme, generationOf(first));
    expect(await count(acme.id)).toBe(before + 1);
  });

  test('a prompt that is too long is kept from its end', async () => {
    const long = `${'a'.repeat(300_000)} the end`;
    const transcript = await kept(acme, generationOf(await bed.ask(acme.key, 'chat', long)));
    const [message] = (transcript.input as { messages: { content: string }[] }).messages;
    expect([transcript.truncated, message?.content.length, message?.content.endsWith('the end')]).toEqual([
      ...[true, 262_144, true],
    ]);
  });

  test('of an answer that is too long only the prompt is kept, and that says so', async () => {
    bed.harness.simulator.script((_request, response) => {
      const message = { role: 'assistant', content: 'a'.repeat(300_000) };
      const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
      const answer = { id: 'x', object: 'chat.completion', model: 'm', created: 1, usage };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...answer, choices: [{ index: 0, message, finish_reason: 'stop' }] }));
      return undefined;
    });
    const answer = await bed.ask(acme.key, 'chat', 'Say a lot.');
    expect([answer.status, answer.text.length > 300_000]).toEqual([200, true]);
    expect(await kept(acme, generationOf(answer))).toMatchObject({
      input: { messages: [{ content: 'Say a lot.' }] },
      output: { completion: '', response: '' },
      truncated: true,
    });
  });

  test('a client that leaves its stream ends the call, and nothing is kept of it', async () => {
    let hasEnded = false;
    bed.harness.simulator.script((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const choices = [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }];
      const frame = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices };
      response.write(`data: ${JSON.stringify(frame)}\n\n`);
      response.once('close', () => {
        hasEnded = true;
      });
      return undefined;
    });
    const leaving = new AbortController();
    const before = await count(acme.id);
    const response = await fetch(`${bed.harness.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${acme.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'openai/test', stream: true, messages: [{ role: 'user', content: 'Hello.' }] }),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    await expect.poll(() => hasEnded).toBe(true);
    await kept(acme, generationOf(await bed.ask(acme.key, 'chat', 'Written later.')));
    expect(await count(acme.id)).toBe(before + 1);
  });
});

describe('who reads', () => {
  test('nobody of another organization, and of this one those whom it names', async () => {
    const globex = await bed.org();
    await keep(globex, ALL);
    const id = generationOf(await bed.ask(acme.key, 'chat', 'A secret of Acme.'));
    await kept(acme, id);
    expect((await read(globex, `/${id}`)).status).toBe(404);
    expect((await read(acme, `/${id}`, globex.adminKey)).status).toBe(404);
    expect((await read(globex, '')).text).not.toContain('A secret of Acme.');
    const erased = await bed.harness.request('DELETE', `/api/orgs/${globex.id}/transcripts/${id}`, {
      key: globex.adminKey,
    });
    expect(erased.status).toBe(404);

    const teamId = `team-${crypto.randomUUID()}`;
    await rows(bed.harness.databaseUrl, 'insert into teams (id, org_id, name) values ($1, $2, $1)', [teamId, acme.id]);
    const lead = await member(acme, 'team_admin', teamId);
    const ann = await member(acme, 'member', teamId);
    const bob = await member(acme, 'member');
    const anns = generationOf(await bed.ask(ann.key, 'chat', 'Of Ann.'));
    await kept(acme, anns);
    for (const reader of [lead, ann, bob]) expect((await read(acme, `/${anns}`, reader.adminKey)).status).toBe(403);
    await keep(acme, { ...ALL, readers: ['org_admin', 'team_admin', 'member'] });
    const statuses = async (path: string): Promise<number[]> =>
      Promise.all([lead, ann, bob].map(async (reader) => (await read(acme, path, reader.adminKey)).status));
    expect(await statuses(`/${anns}`)).toEqual([200, 200, 404]);
    expect(await statuses(`/${id}`)).toEqual([404, 404, 404]);
    expect((await read(acme, '', bob.adminKey)).body.transcripts).toEqual([]);
    for (const path of [`/${anns}`, '']) {
      const answer = await bed.harness.request('DELETE', `/api/orgs/${acme.id}/transcripts${path}`, {
        key: lead.adminKey,
      });
      expect(answer.status).toBe(403);
    }
    await keep(acme, ALL);
  });

  test('every reading is in the log, and so is every erasure', async () => {
    const org = await bed.org();
    await keep(org, ALL);
    const ids: string[] = [];
    for (let call = 0; call < 3; call += 1) ids.push(generationOf(await bed.ask(org.key, 'chat', `Call ${call}.`)));
    for (const id of ids) await kept(org, id);
    const first = await read(org, '?limit=2');
    expect((first.body.transcripts as Json[]).map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    const second = await read(org, `?limit=2&cursor=${String(first.body.next)}`);
    expect((second.body.transcripts as Json[]).map(({ id }) => id)).toEqual([ids[0]]);
    expect(second.body.next).toBeNull();
    const erase = (path: string): Promise<Answer> =>
      bed.harness.request('DELETE', `/api/orgs/${org.id}/transcripts${path}`, { key: org.adminKey });
    expect((await erase(`/${ids[0]}`)).status).toBe(204);
    expect((await erase(`/${ids[0]}`)).status).toBe(404);
    expect((await erase('?userId=usr-none')).body).toEqual({ erased: 0 });
    expect((await erase(`?userId=${org.userId}`)).body).toEqual({ erased: 2 });
    const left = 'select bytes from transcript_totals where org_id = $1';
    expect(await rows(bed.harness.databaseUrl, left, [org.id])).toMatchObject([{ bytes: '0' }]);
    const log = await rows<{ action: string }>(
      bed.harness.databaseUrl,
      `select action from org_audit_log where org_id = $1 and action like 'transcript.%' order by position`,
      [org.id],
    );
    expect(log.map(({ action }) => action)).toEqual([
      ...['transcript.read', 'transcript.read', 'transcript.read', 'transcript.export', 'transcript.export'],
      ...['transcript.erase', 'transcript.erase', 'transcript.erase'],
    ]);
  });
});

test('what cannot be opened any more does not end an export early', async () => {
  const org = await bed.org();
  await keep(org, ALL);
  const ids: string[] = [];
  for (let call = 0; call < 3; call += 1) ids.push(generationOf(await bed.ask(org.key, 'chat', `Call ${call}.`)));
  for (const id of ids) await kept(org, id);
  await rows(bed.harness.databaseUrl, 'update transcripts set content = $2 where id = $1', [ids[2], Buffer.alloc(64)]);
  const first = await read(org, '?limit=2');
  expect((first.body.transcripts as Json[]).map(({ id }) => id)).toEqual([ids[1]]);
  const second = await read(org, `?limit=2&cursor=${String(first.body.next)}`);
  expect((second.body.transcripts as Json[]).map(({ id }) => id)).toEqual([ids[0]]);
});

test('it goes after its days, and earlier where they become fewer', async () => {
  const org = await bed.org();
  await keep(org, { ...ALL, days: 10 });
  const id = generationOf(await bed.ask(org.key, 'chat', 'Hello.'));
  await kept(org, id);
  clock.move(4 * 86_400_000);
  expect((await read(org, `/${id}`)).status).toBe(200);
  await keep(org, { ...ALL, days: 3 });
  expect((await read(org, `/${id}`)).status).toBe(404);
});

test('so do very many, which are shortened a part at a time', async () => {
  const org = await bed.org();
  await keep(org, ALL);
  await rows(
    bed.harness.databaseUrl,
    `insert into transcripts (org_id, id, user_id, key_id, model_id, created_at, expires_at, content)
     select $1, 'gen-' || lpad(n::text, 24, '0'), $2, $3, 'acme/one', now(), now() + interval '30 days', ''
     from generate_series(1, 2001) n`,
    [org.id, org.userId, org.keyId],
  );
  await keep(org, { ...ALL, days: 3 });
  const left = "select 1 from transcripts where org_id = $1 and expires_at > created_at + interval '3 days'";
  expect(await rows(bed.harness.databaseUrl, left, [org.id])).toEqual([]);
});
