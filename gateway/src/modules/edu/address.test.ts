// Which spellings of an address are the same student, which are another student, and which are no address.

import { describe, expect, test } from 'vitest';
import { normalizeDomain, parseAddress } from './address.ts';

describe('EDU-02 addresses of ok.edu', () => {
  test.each([
    ['a@ok.edu', 'a@ok.edu'],
    ['  A.B@ok.edu ', 'a.b@ok.edu'],
    ['a@OK.EDU', 'a@ok.edu'],
    ['a@ok。edu', 'a@ok.edu'],
    ['a@ｏｋ.edu', 'a@ok.edu'],
    ["o'neil@ok.edu", "o'neil@ok.edu"],
  ])('%j is mailed to as %s', (text, email) => {
    expect(parseAddress(text)).toMatchObject({ email, domain: 'ok.edu' });
  });

  test.each(['a@ok.edu.evil.com', 'a@sub.ok.edu', 'a@оk.edu', 'a@okedu.com', 'a@edu', 'a@ok.edu-evil.com'])(
    '%j is not',
    (text) => {
      expect(parseAddress(text)?.domain).not.toBe('ok.edu');
    },
  );

  test.each([
    '',
    'a',
    '@ok.edu',
    'a@',
    'a@ok.edu@evil.com',
    'a@evil.com@ok.edu',
    'a@ok.edu.',
    'a@.ok.edu',
    'a@ok..edu',
    'a@ok.edu%00',
    'a@ok%2eedu',
    'a@ok.edu/evil.com',
    'a@ok.edu?evil.com',
    'a@ok.edu#evil.com',
    'a@ok.edu:25',
    'a@ok.edu\u0000',
    'a@ok\u00ad.edu',
    'a@ok\u200b.edu',
    '"a@ok.edu"@evil.com',
    '"a b"@ok.edu',
    'a(comment)@ok.edu',
    'a@ok.edu(comment)',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@0x7f.1',
    'a b@ok.edu',
    'a@ok.edu\r\nBcc: b@evil.com',
    'a\r\nBcc: b@evil.com',
    'a\u0000@ok.edu',
    'a\t@ok.edu',
    'Ann <a@ok.edu>',
    'a@ok.edu, b@ok.edu',
    'a@ok.edu;b@ok.edu',
    '.a@ok.edu',
    'a.@ok.edu',
    'a..b@ok.edu',
    'ä@ok.edu',
    'a@-ok.edu',
    'a@ok_x.edu',
    `${'a'.repeat(65)}@ok.edu`,
    `a@${'ok.'.repeat(90)}edu`,
  ])('%j is none at all', (text) => {
    expect(parseAddress(text)).toBeNull();
  });
});

test('EDU-10 tags behind a plus sign lead to one mailbox', () => {
  expect(parseAddress('a+one@ok.edu')).toEqual({ email: 'a+one@ok.edu', mailbox: 'a@ok.edu', domain: 'ok.edu' });
  expect(parseAddress('a+one+two@ok.edu')?.mailbox).toBe('a@ok.edu');
  // An address that begins with the plus sign has no other mailbox.
  expect(parseAddress('+one@ok.edu')?.mailbox).toBe('+one@ok.edu');
});

test('EDU-02 domains of a configuration are kept in the form that is compared', () => {
  expect(normalizeDomain('Uni.EDU')).toBe('uni.edu');
  expect(normalizeDomain('münchen.example')).toBe('xn--mnchen-3ya.example');
  for (const text of ['*.uni.edu', '@uni.edu', 'uni.edu.', 'edu', '', 'uni edu', 'http://uni.edu', '10.0.0.1']) {
    expect(normalizeDomain(text)).toBeNull();
  }
});
