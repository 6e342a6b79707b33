// Names that customers gave to keys and upstreams appear in our mails, and must not become links there.

import { expect, test } from 'vitest';
import { mailWordsOf, wordsOf } from './words.ts';

const NAME = 'Win at https://evil.example/now or write to x@evil.example';

test.each(['budget.reached', 'key.unused', 'key.expiring', 'upstream.failing', 'feed.failing'])(
  'a mail of %s has no link',
  (kind) => {
    const facts = {
      name: NAME,
      error: NAME,
      key: 'sk-tg-a…b',
      limitUsd: '1.50',
      expiresAt: '2026-01-01T00:00:00.000Z',
    };
    const { title, text } = mailWordsOf(kind, facts);
    expect(`${title} ${text}`).not.toMatch(/evil\.example|https?:|@/);
    expect(`${title} ${text}`).toContain('Win at');
    expect(wordsOf(kind, facts).text).toContain(kind === 'key.expiring' ? '2026-01-01T00:00:00.000Z' : 'evil.example');
    if (kind === 'key.expiring') expect(text).toContain('2026-01-01T00:00:00.000Z');
  },
);
