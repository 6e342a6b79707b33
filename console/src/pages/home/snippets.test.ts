import { expect, test } from 'vitest';
import { snippets } from './snippets.ts';

const PLACE = { origin: 'https://gate.test', model: 'maker/model', claudeModel: 'maker/claude' };
const SECRET = 'sk-tg-secret';

test('without a secret no snippet has one, and each names the variable or asks for a key', () => {
  for (const { id, code } of snippets({ ...PLACE, secret: null })) {
    expect(code, id).not.toContain('sk-tg-');
    expect(code, id).toMatch(/TOLLGATE_API_KEY|your Tollgate key/);
  }
});

test('a secret that was just made stands in every snippet', () => {
  for (const { id, code } of snippets({ ...PLACE, secret: SECRET })) {
    expect(code, id).toContain(SECRET);
    expect(code, id).not.toMatch(/process\.env|os\.environ|\$TOLLGATE_API_KEY/);
  }
});

test('a program says what it was told', () => {
  for (const { id, code } of snippets({ ...PLACE, secret: SECRET })) {
    if (/^import|^from/.test(code)) expect(code, id).toMatch(/console\.log|print\(/);
  }
});

test('every snippet points at this gateway', () => {
  for (const { id, code } of snippets({ ...PLACE, secret: null })) expect(code, id).toContain('https://gate.test');
});
