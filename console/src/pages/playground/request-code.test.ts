import { expect, test } from 'vitest';
import { CODE_LANGUAGES, requestCode } from './request-code.ts';

const ORIGIN = 'https://gate.test';

test('every language calls this gateway with a placeholder for the key', () => {
  for (const [language] of CODE_LANGUAGES) {
    for (const purpose of ['text', 'image', 'audio'] as const) {
      const code = requestCode(language, { purpose, body: { model: 'a/b' }, origin: ORIGIN });
      expect(code).toContain(ORIGIN);
      expect(code).toContain('TOLLGATE_API_KEY');
      expect(code).toContain('a/b');
    }
  }
});

test('an apostrophe does not end the shell’s quoting', () => {
  const code = requestCode('curl', { purpose: 'image', body: { prompt: "It's" }, origin: ORIGIN });
  expect(code).toContain("It'\\''s");
  expect(code).toContain('/v1/images/generations');
});

test('Python has its own words for true and none', () => {
  const code = requestCode('python', { purpose: 'text', body: { a: true, b: null }, origin: ORIGIN });
  expect(code).toContain('a=True');
  expect(code).toContain('b=None');
});
