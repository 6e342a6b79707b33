// What each template accepts as its kind of data, and what only looks like it. None of the numbers belongs to a person.

import { describe, expect, test, vi } from 'vitest';
import { createDataTemplates } from './all.ts';
import { PieceSearch } from './find-in-text.ts';

const templates = createDataTemplates();

function found(id: string, text: string): string[] {
  const template = templates.get(id);
  if (template === undefined) throw new Error(id);
  const spans = new PieceSearch()
    .find(template, text, 0, text.length)
    .toSorted((left, right) => left.start - right.start);
  return [...new Set(spans.map(({ start, end }) => text.slice(start, end)))];
}

const key = (prefix: string, length: number): string =>
  prefix + 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0z'.repeat(8).slice(0, length);

describe('FILT-06 is found', () => {
  test.each([
    ['credit_card', '4111 1111 1111 1111'],
    ['credit_card', '4111-1111-1111-1111'],
    ['credit_card', '5555555555554444'],
    ['credit_card', '378282246310005'],
    ['credit_card', '6011.1111.1111.1117'],
    ['iban', 'DE89 3704 0044 0532 0130 00'],
    ['iban', 'GB82WEST12345698765432'],
    ['iban', 'fr14 2004 1010 0505 0001 3m02 606'],
    ['email', 'ann.o-neil+tag@mail.example.co.uk'],
    ['phone', '+49 (0) 30 1234567'],
    ['phone', '+1 415 555 2671'],
    ['phone', '(415) 555-2671'],
    ['phone', '030/1234 5678'],
    ['phone', '0041 44 668 18 00'],
    ['national_id', '219-09-9999'],
    ['national_id', 'AB 12 34 56 C'],
    ['national_id', '130 692 544'],
    ['national_id', '86 095 742 719'],
    ['national_id', '2 55 08 14 168 025 38'],
    ['national_id', '12345678Z'],
    ['national_id', 'X1234567L'],
    ['national_id', 'RSSMRA85T10A562S'],
    ['national_id', '111.444.777-35'],
    ['national_id', '11010519491231002X'],
    ['national_id', '2363 2145 8741'],
    ['api_key', key('sk-proj-', 60)],
    ['api_key', key('ghp_', 36)],
    ['api_key', 'AKIAIOSFODNN7EXAMPLE'],
    ['api_key', key('xoxb-', 40)],
    ['api_key', `api_key = "${key('', 32)}`],
  ])('%s: %s', (id, text) => {
    expect(found(id, `See: ${text} and so on.`)).toEqual([text]);
  });

  test('a private key with its armour, and one that lacks its end', () => {
    const lines = Array.from({ length: 20 }, () => key('', 64)).join('\n');
    const whole = `-----BEGIN RSA PRIVATE KEY-----\n${lines}\n-----END RSA PRIVATE KEY-----`;
    expect(found('private_key', `Use ${whole}, please.`)).toEqual([whole]);
    expect(found('private_key', `-----BEGIN PRIVATE KEY-----\n${lines}`)).toEqual([
      `-----BEGIN PRIVATE KEY-----\n${lines}`,
    ]);
    const escaped = `-----BEGIN PRIVATE KEY-----\\n${key('', 64)}\\n-----END PRIVATE KEY-----`;
    expect(found('private_key', escaped)).toEqual([escaped]);
  });

  test('disguised characters do not help', () => {
    expect(found('credit_card', 'Pay ４１１１ １１１１ １１１１ １１１１ now')).toEqual([
      '４１１１ １１１１ １１１１ １１１１',
    ]);
    expect(found('email', 'ann\u200b@exam\u00adple.com')).toEqual(['ann\u200b@exam\u00adple.com']);
  });
});

describe('FILT-06 is left alone', () => {
  test.each([
    ['credit_card', '4111 1111 1111 1112'],
    ['credit_card', '0000 0000 0000 0000'],
    ['credit_card', '1234567890123456'],
    ['credit_card', 'order 20240115093000123'],
    ['iban', 'DE89 3704 0044 0532 0130 01'],
    ['iban', 'XX89 3704 0044 0532 0130 00'],
    ['email', 'ann at example dot com'],
    ['email', 'name@localhost'],
    ['email', '@mention and a@b'],
    ['phone', '2024-01-15 09:30:00'],
    ['phone', '01/02/2024'],
    ['phone', '192.168.100.200'],
    ['phone', 'order 1234567890'],
    ['phone', 'version 1.2.3'],
    ['national_id', '000-12-3456'],
    ['national_id', '666-12-3456'],
    ['national_id', '12345678A'],
    ['national_id', '111.444.777-36'],
    ['national_id', '130 692 545'],
    ['national_id', '110105194912310021'],
    ['national_id', '2363 2145 8742'],
    ['api_key', 'sk-short'],
    ['api_key', 'password: correct horse battery staple'],
    ['api_key', 'api_key = YOUR_API_KEY_GOES_HERE_PLEASE'],
    ['private_key', '-----BEGIN PUBLIC KEY-----'],
    ['private_key', 'a private key'],
  ])('%s: %s', (id, text) => {
    expect(found(id, `See: ${text} and so on.`)).toEqual([]);
  });
});

const INVITING = [
  'a',
  '1',
  '1 ',
  'a@',
  'a.',
  '+1',
  '-',
  'AB',
  'eyJ',
  'sk-',
  '0 ',
  '(0',
  '1-',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----!',
  'api_key=',
  'Aa1',
];

test('texts that invite a pattern to try again and again take no longer for it', () => {
  const length = 32_000;
  const before = process.cpuUsage();
  for (const unit of INVITING) {
    const text = unit.repeat(length / unit.length);
    for (const template of templates.values()) new PieceSearch().find(template, text, 0, text.length);
  }
  // About a tenth of a second of computing; quadratic work would take minutes.
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(20);
});

test('FILT-06 the end of a private key is looked for once, however many begin', () => {
  const text = `${'-----BEGIN PRIVATE KEY-----!'.repeat(1_000)}-----END PRIVATE KEY-----`;
  for (const [whole, searches] of [
    [text, 1],
    [text.slice(0, -1), 2],
  ] as const) {
    const search = vi.spyOn(String.prototype, 'indexOf');
    const spans = templates.get('private_key')?.find(whole) ?? [];
    const count = search.mock.calls.filter(([mark]) => mark === '-----END ').length;
    search.mockRestore();
    expect(spans.length).toBeGreaterThan(400);
    expect(count).toBe(searches);
  }
});

test('FILT-06 a key is redacted to its end, to the end of its body, or where its armour is all there is', () => {
  const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n'.repeat(3);
  const armoured = `-----BEGIN RSA PRIVATE KEY-----\n${body}-----END RSA PRIVATE KEY-----`;
  expect(found('private_key', `a ${armoured} b ${armoured} c`)).toEqual([armoured]);
  expect(found('private_key', `see -----BEGIN PRIVATE KEY-----\n${body}"`)).toEqual([
    `-----BEGIN PRIVATE KEY-----\n${body}`,
  ]);
});
