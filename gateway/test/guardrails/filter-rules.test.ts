// How an organization's administrators manage its rules: what is accepted, what is refused and why, and what the log
// says.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { rows } from '../identity/rows.ts';
import { codeOf, type FilteredOrg, type GuardBed, messageOf, startGuardBed } from './guard-bed.ts';

const RULE = { name: 'No cards', type: 'template', pattern: 'credit_card', action: 'block' };

let bed: GuardBed;
let org: FilteredOrg;

beforeAll(async () => {
  bed = await startGuardBed();
  org = await bed.org();
});
afterAll(() => bed.harness.close());

test('FILT-11 a rule is created, listed, changed and deleted, and the log says so', async () => {
  const own = await bed.org();
  const created = await bed.filters(own, 'POST', '', RULE);
  expect(created.status, created.text).toBe(201);
  expect(created.body).toEqual({
    ...RULE,
    id: expect.stringMatching(/^flt-/),
    enabled: true,
    appliesTo: 'input',
    createdAt: expect.any(String),
    updatedAt: created.body.createdAt,
  });
  const path = `/${created.body.id}`;
  const changed = await bed.filters(own, 'PATCH', path, { action: 'flag', enabled: false });
  expect(changed.body).toMatchObject({ ...RULE, action: 'flag', enabled: false });
  expect((await bed.filters(own, 'GET')).body).toEqual({ rules: [changed.body] });
  expect((await bed.filters(own, 'DELETE', path)).status).toBe(204);
  expect((await bed.filters(own, 'GET')).body).toEqual({ rules: [] });
  expect((await bed.filters(own, 'DELETE', path)).status).toBe(404);
  expect((await bed.filters(own, 'PATCH', path, { enabled: true })).status).toBe(404);

  const [created2] = await bed.log(own, 'org.filter.create');
  expect(created2).toMatchObject({
    targetType: 'content_filter',
    targetId: created.body.id,
    after: { ...RULE, enabled: true },
  });
  const [update] = await bed.log(own, 'org.filter.update');
  expect(update).toMatchObject({
    before: { action: 'block', enabled: true },
    after: { action: 'flag', enabled: false },
  });
  expect(await bed.log(own, 'org.filter.delete')).toMatchObject([{ before: { name: 'No cards' } }]);
});

test("FILT-11 another organization's rule is not found", async () => {
  const other = await bed.filtered(RULE);
  const { rules } = (await bed.filters(other, 'GET')).body as { rules: Json[] };
  const path = `/${rules[0]?.id}`;
  expect((await bed.filters(org, 'PATCH', path, { enabled: false })).status).toBe(404);
  expect((await bed.filters(org, 'DELETE', path)).status).toBe(404);
  const foreign = await bed.harness.request('GET', `/api/orgs/${other.id}/content-filters`, { key: org.adminKey });
  expect(foreign.status).toBe(404);
});

describe('FILT-06 FILT-11 what is refused', () => {
  test.each<[string, Json, string]>([
    ['a look-ahead', { type: 'regex', pattern: 'a(?=b)' }, 'look-ahead'],
    ['a negative look-ahead', { type: 'regex', pattern: '(?!x)a' }, 'look-ahead'],
    ['a look-behind', { type: 'regex', pattern: '(?<=a)b' }, 'look-behind'],
    ['a back-reference', { type: 'regex', pattern: '(a)\\1' }, 'back-reference'],
    ['an atomic group', { type: 'regex', pattern: '(?>a+)b' }, 'atomic'],
    ['an open bracket', { type: 'regex', pattern: 'a[b' }, 'missing closing ]'],
    ['too many repetitions', { type: 'regex', pattern: 'a{1001}' }, 'repeats too often'],
    ['a program that is too large', { type: 'regex', pattern: '(abc){400}' }, 'compile'],
    ['a pattern that matches everywhere', { type: 'regex', pattern: '(a*)*' }, 'empty text'],
    ['an unknown template', { type: 'template', pattern: 'passport' }, 'credit_card'],
    ['an invisible keyword', { type: 'keyword', pattern: '\u200b\u200b' }, 'keyword'],
    ['a pattern of 513 characters', { type: 'keyword', pattern: 'a'.repeat(513) }, 'pattern: must be'],
    ['an unknown type', { type: 'glob', pattern: 'a' }, 'type: must be'],
    ['an unknown action', { type: 'keyword', pattern: 'a', action: 'delete' }, 'action: must be'],
    ['an empty name', { type: 'keyword', pattern: 'a', name: ' ' }, 'name: must be'],
  ])('%s', async (_, rule, words) => {
    const answer = await bed.filters(org, 'POST', '', { name: 'A rule', action: 'block', ...rule });
    expect(answer.status, answer.text).toBe(400);
    expect(messageOf(answer)).toContain(words);
  });

  test('VER-06 unknown fields are named, missing ones refused', async () => {
    const unknown = await bed.filters(org, 'POST', '', { ...RULE, severity: 1 });
    expect([unknown.status, unknown.headers.get('x-tollgate-ignored-fields')]).toEqual([201, 'severity']);
    const { action: _, ...rest } = RULE;
    const missing = await bed.filters(org, 'POST', '', rest);
    expect([missing.status, codeOf(missing)]).toEqual([400, 'missing_required_field']);
  });

  test('a change into something that cannot be used', async () => {
    const own = await bed.filtered({ type: 'regex', pattern: 'abc' });
    const { rules } = (await bed.filters(own, 'GET')).body as { rules: Json[] };
    const answer = await bed.filters(own, 'PATCH', `/${rules[0]?.id}`, { pattern: '(a)\\1' });
    expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining('back-reference')]);
    expect((await bed.filters(own, 'PATCH', `/${rules[0]?.id}`, { type: 'template' })).status).toBe(400);
  });
});

test('FILT-07 the 101st rule is 400, however many arrive together', async () => {
  const own = await bed.org();
  const create = (index: number): ReturnType<GuardBed['filters']> =>
    bed.filters(own, 'POST', '', { name: `Rule ${index}`, type: 'keyword', pattern: `word${index}`, action: 'flag' });
  await rows(
    bed.harness.databaseUrl,
    `insert into content_filters (id, org_id, name, type, pattern, action, is_enabled, created_at, updated_at)
     select $1 || '-' || n, $1, 'Rule ' || n, 'keyword', 'word' || n, 'flag', true, now(), now()
     from generate_series(1, 95) n`,
    [own.id],
  );
  const answers = await Promise.all(Array.from({ length: 15 }, (_, index) => create(100 + index)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused.map(({ status }) => status)).toEqual(Array(10).fill(400));
  expect(messageOf(refused[0] as (typeof answers)[number])).toContain('at most 100');
  const { rules } = (await bed.filters(own, 'GET')).body as { rules: Json[] };
  expect(rules).toHaveLength(100);
  expect((await bed.filters(own, 'DELETE', `/${rules[0]?.id}`)).status).toBe(204);
  expect((await create(200)).status).toBe(201);
  expect((await create(201)).status).toBe(400);
});

test('FILT-05 the dry run says what would happen, where, and sends nothing', async () => {
  const own = await bed.filtered(
    { name: 'Mail', type: 'template', pattern: 'email', action: 'redact' },
    { name: 'Project', type: 'keyword', pattern: 'project falcon', action: 'flag' },
    { name: 'Ticket', type: 'regex', pattern: 'TCK-\\d{4,}', action: 'redact' },
    { name: 'Secret', type: 'keyword', pattern: 'top secret', action: 'block', enabled: false },
  );
  const text = 'Write to ann@example.com about Project Falcon, TCK-12345, top secret.';
  const answer = await bed.filters(own, 'POST', '/test', { text });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({
    allowed: true,
    error: null,
    redacted: 'Write to [REDACTED] about Project Falcon, [REDACTED], top secret.',
    undecided: [],
  });
  const matches = answer.body.matches as { name: string; start: number; end: number }[];
  const found = matches.map(({ name, start, end }) => [name, text.slice(start, end)]).sort();
  expect(found).toEqual([
    ['Mail', 'ann@example.com'],
    ['Project', 'Project Falcon'],
    ['Ticket', 'TCK-12345'],
  ]);
  await bed.rule(own, { name: 'Names', type: 'regex', pattern: 'Falcon', action: 'block' });
  expect((await bed.filters(own, 'POST', '/test', { text })).body).toMatchObject({
    allowed: false,
    error: { status: 403, code: 'content_filter' },
  });
  expect((await bed.filters(own, 'POST', '/test', { text: '' })).status).toBe(400);
  expect(await bed.log(own, 'org.filter.hit')).toEqual([]);
});
