// Asking for a code and exchanging it: who gets a mail, what everybody else sees, and how many attempts there are.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordingLogger } from '../authorization/recording-logger.ts';
import type { Answer } from '../harness.ts';
import { type Campus, type EduBed, newAddress, newEmail, openEduBed, pause } from './campus.ts';

const { logger, lines: logged } = recordingLogger();

let bed: EduBed;
let campus: Campus;

beforeAll(async () => {
  bed = await openEduBed({ start: { logger } });
  campus = await bed.campus();
});

afterAll(() => bed.close());

const said = ({ status, text }: Answer): [number, string] => [status, text];
const SENT: [number, string] = [200, '{"ok":true,"sent":true}'];
const INVALID: [number, string] = [400, '{"error":"invalid"}'];
const TOO_MANY: [number, string] = [429, '{"error":"too_many_attempts"}'];
const RATE_LIMITED: [number, string] = [429, '{"error":"rate_limited"}'];
const COOLDOWN: [number, string] = [429, '{"error":"cooldown"}'];
const UNKNOWN_KEY = 'sk-edu-nobody-has-given-out-this-one';

const minute = 60_000;

/** The code in the mail, and as many others as wanted. */
const wrongCodes = (right: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String((Number(right) + index + 1) % 1_000_000).padStart(6, '0'));

describe('asking for a code', () => {
  test('EDU-01 EDU-05 EDU-06 KEY-01 a student gets a code, and for it a session', async () => {
    const email = newEmail();
    expect(campus.key).toMatch(/^sk-edu-[\w-]{43}$/);
    expect(said(await bed.requestCode(campus.key, email))).toEqual(SENT);
    const code = await bed.code(email);
    const beforeMs = bed.clock.nowMs();
    const answer = await bed.verify(campus.key, email, code);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toEqual({
      token: expect.stringMatching(/^edu-sess-[\w-]{49}$/),
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      organization: { id: campus.orgId, name: 'Uni' },
    });
    const startedMs = Date.parse(String(answer.body.expiresAt)) - 86_400_000;
    expect(startedMs).toBeGreaterThanOrEqual(beforeMs - 1_000);
    expect(startedMs).toBeLessThanOrEqual(bed.clock.nowMs());
    const [mail = ''] = await bed.town.mails(email);
    expect(mail).toContain('Uni');
    expect(mail).not.toContain(campus.key);
  });

  test('EDU-01 EDU-02 whoever is no student of the institution gets the same answer and no mail', async () => {
    const strangers: Record<string, [string, string]> = {
      'an unknown key': [UNKNOWN_KEY, newEmail()],
      'a foreign domain': [campus.key, newEmail('elsewhere.example')],
      'a domain below an allowed one': [campus.key, newEmail('sub.uni.example')],
      'a domain that begins like an allowed one': [campus.key, newEmail('uni.example.evil.example')],
      'no address': [campus.key, 'nonsense'],
      'two addresses': [campus.key, `${newEmail()}@evil.example`],
      'a domain with letters that look alike': [campus.key, 'a@unі.example'],
      'a quoted name': [campus.key, '"a@uni.example"@evil.example'],
      'a line break': [campus.key, 'a@uni.example\r\nBcc: b@evil.example'],
      'an institution that allows nobody': [(await bed.campus({ allowedDomains: [] })).key, newEmail()],
    };
    const mails = () => bed.town.rows('select id from mail_outbox order by id');
    const before = await mails();
    const answers = await Promise.all(Object.values(strangers).map(([key, email]) => bed.requestCode(key, email)));
    expect(answers.map(said)).toEqual(answers.map(() => SENT));
    await pause(200);
    expect(await mails()).toEqual(before);
  });

  test('EDU-02 other spellings of an allowed domain reach the same mailbox', async () => {
    const name = `s-${crypto.randomUUID()}`;
    expect(said(await bed.requestCode(campus.key, ` ${name.toUpperCase()}@UNI。Example `))).toEqual(SENT);
    const code = await bed.code(`${name}@uni.example`);
    expect((await bed.verify(campus.key, `${name}@uni.example`, code)).status).toBe(200);
  });

  test.each([
    ['no key', { email: 'a@uni.example' }],
    ['no address', { key: 'sk-edu-x' }],
    ['an empty address', { key: 'sk-edu-x', email: '' }],
    ['an address that is no text', { key: 'sk-edu-x', email: 7 }],
    ['nothing', {}],
    ['a list', []],
    ['no JSON', '{"key":'],
  ])('ERR-13 %s is invalid', async (_, body) => {
    expect(said(await bed.form('request-code', body))).toEqual(INVALID);
    expect(said(await bed.form('verify', body))).toEqual(INVALID);
  });

  test('EDU-03 ERR-13 a second request within a minute waits, whoever asks', async () => {
    const pairs: [string, string][] = [
      [campus.key, newEmail()],
      [UNKNOWN_KEY, newEmail()],
      [campus.key, newEmail('elsewhere.example')],
      [campus.key, `nonsense ${crypto.randomUUID()}`],
    ];
    const askAll = () => Promise.all(pairs.map(([key, email]) => bed.requestCode(key, email)));
    const all = (words: [number, string]) => pairs.map(() => words);
    expect((await askAll()).map(said)).toEqual(all(SENT));
    bed.clock.move(58_000);
    const refused = await askAll();
    expect(refused.map(said)).toEqual(all(COOLDOWN));
    for (const { headers } of refused) expect(['1', '2']).toContain(headers.get('retry-after'));
    bed.clock.move(2_500);
    expect((await askAll()).map(said)).toEqual(all(SENT));
  });

  test('EDU-04 more than ten requests of an address in a quarter of an hour, of whatever kind', async () => {
    const address = newAddress();
    const kinds: [string, string][] = [
      [campus.key, 'uni.example'],
      [UNKNOWN_KEY, 'uni.example'],
      [campus.key, 'elsewhere.example'],
    ];
    const ask = (count: number) => {
      const [key = '', domain = ''] = kinds[count % kinds.length] ?? [];
      return bed.requestCode(key, newEmail(domain), address);
    };
    const allowed = await Promise.all(Array.from({ length: 10 }, (_, count) => ask(count)));
    expect(allowed.map(said)).toEqual(allowed.map(() => SENT));
    const refused = await Promise.all(kinds.map((_, count) => ask(count)));
    expect(refused.map(said)).toEqual(refused.map(() => RATE_LIMITED));
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(800);
    expect(said(await bed.requestCode(campus.key, newEmail()))).toEqual(SENT);
    bed.clock.move(15 * minute);
    expect(said(await bed.requestCode(campus.key, newEmail(), address))).toEqual(SENT);
  });

  test('EDU-04 more than a hundred requests of a key in an hour, whether or not there is such a key', async () => {
    const own = await bed.campus();
    for (const key of [own.key, `${UNKNOWN_KEY}-2`]) {
      const asked: Answer[] = [];
      // Not all at once: on a busy machine there would be no connection to the database in time for some.
      for (let round = 0; round < 21; round += 1) {
        asked.push(...(await Promise.all(Array.from({ length: 5 }, () => bed.requestCode(key, newEmail())))));
      }
      expect(asked.filter(({ status }) => status === 200)).toHaveLength(100);
      expect(said(await bed.requestCode(key, newEmail()))).toEqual(RATE_LIMITED);
    }
    bed.clock.move(60 * minute);
    expect(said(await bed.requestCode(own.key, newEmail()))).toEqual(SENT);
  });

  test('EDU-01 a page of another site cannot ask through a visitor', async () => {
    const headers = { Origin: 'https://evil.example' };
    const body = { key: campus.key, email: newEmail() };
    const answer = await bed.harness.request('POST', '/api/edu/request-code', { headers, body });
    expect(answer.status).toBe(403);
  });
});

describe('exchanging a code', () => {
  test('EDU-07 EDU-08 AMB-37 five wrong guesses are invalid, then even the right code is refused', async () => {
    const email = newEmail();
    const code = await bed.mailedCode(campus.key, email);
    const wrong = wrongCodes(code, 5);
    const guesses = await Promise.all(wrong.map((guess) => bed.verify(campus.key, email, guess)));
    expect(guesses.map(said)).toEqual(wrong.map(() => INVALID));
    expect(said(await bed.verify(campus.key, email, code))).toEqual(TOO_MANY);
    bed.clock.move(61_000);
    const next = await bed.mailedCode(campus.key, email);
    if (next !== code) expect(said(await bed.verify(campus.key, email, code))).toEqual(INVALID);
    expect((await bed.verify(campus.key, email, next)).status).toBe(200);
  });

  test('EDU-08 a pair without a code runs out of guesses just the same', async () => {
    const pairs: [string, string][] = [
      [UNKNOWN_KEY, newEmail()],
      [campus.key, newEmail()],
      [campus.key, newEmail('elsewhere.example')],
      [campus.key, `nonsense ${crypto.randomUUID()}`],
    ];
    const guessAll = async () =>
      (await Promise.all(pairs.map(([key, email]) => bed.verify(key, email, '000000')))).map(said);
    for (let count = 0; count < 5; count += 1) expect(await guessAll()).toEqual(pairs.map(() => INVALID));
    expect(await guessAll()).toEqual(pairs.map(() => TOO_MANY));
  });

  test('EDU-07 a code works once, in its time, for its key and address', async () => {
    const other = await bed.campus();
    const email = newEmail();
    const code = await bed.mailedCode(campus.key, email);
    expect(said(await bed.verify(other.key, email, code))).toEqual(INVALID);
    expect(said(await bed.verify(campus.key, newEmail(), code))).toEqual(INVALID);
    expect((await bed.verify(campus.key, email.toUpperCase(), ` ${code} `)).status).toBe(200);
    expect(said(await bed.verify(campus.key, email, code))).toEqual(INVALID);

    bed.clock.move(minute);
    const late = await bed.mailedCode(campus.key, email);
    bed.clock.move(900_000);
    expect(said(await bed.verify(campus.key, email, late))).toEqual(INVALID);
  });

  test('EDU-07 verificationTtlSeconds says how long a code lives, and a new one replaces it', async () => {
    const quick = await bed.campus({ verificationTtlSeconds: 120 });
    const email = newEmail();
    const first = await bed.mailedCode(quick.key, email);
    bed.clock.move(61_000);
    const second = await bed.mailedCode(quick.key, email);
    if (first !== second) expect(said(await bed.verify(quick.key, email, first))).toEqual(INVALID);
    bed.clock.move(58_000);
    expect((await bed.verify(quick.key, email, second)).status).toBe(200);
    bed.clock.move(minute);
    const third = await bed.mailedCode(quick.key, email);
    bed.clock.move(120_000);
    expect(said(await bed.verify(quick.key, email, third))).toEqual(INVALID);
  });

  test('EDU-08 of fifty guesses at once at most five are compared', async () => {
    const email = newEmail();
    const code = await bed.mailedCode(campus.key, email);
    const guesses = await Promise.all(wrongCodes(code, 50).map((guess) => bed.verify(campus.key, email, guess)));
    expect(guesses.filter((answer) => said(answer)[1] === INVALID[1])).toHaveLength(5);
    expect(guesses.filter((answer) => said(answer)[1] === TOO_MANY[1])).toHaveLength(45);
    const [row] = await bed.town.rows('select max(attempts) as attempts, max(failures) as failures from edu_codes');
    expect(row).toEqual({ attempts: 5, failures: expect.any(Number) });
  });

  test('EDU-06 of fifty right answers at once one opens a session', async () => {
    const email = newEmail();
    const code = await bed.mailedCode(campus.key, email);
    const answers = await Promise.all(Array.from({ length: 50 }, () => bed.verify(campus.key, email, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await bed.sessions(campus, `?email=${encodeURIComponent(email)}`)).toHaveLength(1);
  });

  test('EDU-02 a domain that is allowed no more opens nothing, whatever was mailed before', async () => {
    const fickle = await bed.campus();
    const email = newEmail();
    const code = await bed.mailedCode(fickle.key, email);
    await bed.configure(fickle, { allowedDomains: ['other.example'] });
    expect(said(await bed.verify(fickle.key, email, code))).toEqual(INVALID);
  });

  test('EDU-08 a source that guesses without end is told to wait', async () => {
    const address = newAddress();
    const answers = await Promise.all(
      Array.from({ length: 301 }, () => bed.verify(UNKNOWN_KEY, newEmail(), '000000', address)),
    );
    expect(answers.filter((answer) => said(answer)[1] === RATE_LIMITED[1])).toHaveLength(1);
  });
});

describe('what is left behind', () => {
  test('EDU-05 ALOG-05 neither codes, keys nor tokens are stored or logged', async () => {
    const email = newEmail();
    const code = await bed.mailedCode(campus.key, email);
    const [row] = await bed.town.rows('select length(code_hash) as length from edu_codes where code_hash is not null');
    expect(row).toEqual({ length: 32 });
    const { body } = await bed.verify(campus.key, email, code);
    const secrets = [campus.key, String(body.token)];
    const tables = await bed.town.rows(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    for (const { name } of tables) {
      const dump = JSON.stringify(await bed.town.rows(`select t::text as row from ${String(name)} t`));
      for (const secret of secrets) expect(dump.includes(secret), String(name)).toBe(false);
      if (String(name).startsWith('edu_')) expect(dump.includes(`,${code},`), String(name)).toBe(false);
    }
    expect(logged.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
    expect(logged.filter((line) => line.includes(email))).toEqual([]);
  });

  test('ALOG-03 failed requests are in the log, once in ten minutes for each reason, and without the address', async () => {
    const watched = await bed.campus();
    const email = newEmail('elsewhere.example');
    await Promise.all(Array.from({ length: 5 }, () => bed.requestCode(watched.key, newEmail('elsewhere.example'))));
    await bed.requestCode(watched.key, email);
    await bed.requestCode(watched.key, 'nonsense');
    await bed.requestCode(watched.key, email);
    const reasons = async () =>
      (await bed.log(watched, 'edu.code_request.failed')).map(({ after }) => (after as { reason: string }).reason);
    await expect.poll(reasons).toEqual(['cooldown', 'email_invalid', 'domain_not_allowed']);
    const entries = await bed.log(watched, 'edu.code_request.failed');
    expect(entries[0]).toMatchObject({ targetType: 'edu_key', targetId: watched.keyId, actor: { kind: 'system' } });
    expect(JSON.stringify(entries)).not.toContain('elsewhere.example');
    bed.clock.move(10 * minute);
    await bed.requestCode(watched.key, newEmail('elsewhere.example'));
    await expect.poll(reasons).toEqual(['domain_not_allowed', 'cooldown', 'email_invalid', 'domain_not_allowed']);
  });

  test('ALOG-03 fifty wrong codes within an hour raise one alarm for the key', async () => {
    const attacked = await bed.campus();
    const alarms = () => logged.filter((line) => line.includes('many wrong codes')).length;
    const before = alarms();
    const guess = (count: number) =>
      Promise.all(Array.from({ length: count }, () => bed.verify(attacked.key, newEmail(), '000000')));
    await guess(49);
    expect(alarms()).toBe(before);
    await guess(30);
    await expect.poll(alarms).toBe(before + 1);
    await expect.poll(() => bed.log(attacked, 'edu.codes.many_failed')).toHaveLength(1);
  });
});
