// Two operators with the config open: what one of them applied is not overwritten unseen by the other.

import { afterEach, expect, test, vi } from 'vitest';
import { applyConfig } from './config.ts';

afterEach(() => vi.unstubAllGlobals());

/** A gateway with revisions, at which another operator applies something just before our change arrives. */
function stubGateway(first: object, whenPutting: (revisions: object[]) => void = () => {}): object[] {
  const revisions = [first];
  const answers: Record<string, () => unknown> = {
    'GET /config': () => revisions.at(-1),
    'GET /config/revisions': () => ({ data: [{ revision: revisions.length }], next: null }),
  };
  vi.stubGlobal('fetch', async (path: string, { method, body }: Readonly<{ method: string; body?: string }>) => {
    const { pathname, searchParams } = new URL(path, 'http://gateway.test');
    const place = pathname.replace('/admin/v1', '');
    if (method === 'PUT') {
      whenPutting(revisions);
      const expected = searchParams.get('revision');
      if (expected !== null && Number(expected) !== revisions.length) {
        return Response.json({ error: { code: '409', message: 'The config has changed meanwhile.' } }, { status: 409 });
      }
      revisions.push(JSON.parse(body ?? ''));
      return Response.json({ config: revisions.at(-1), changes: ['~'], revision: revisions.length });
    }
    const [, number] = /^\/config\/revisions\/(\d+)$/.exec(place) ?? [];
    if (number !== undefined) return Response.json({ config: revisions[Number(number) - 1] });
    return Response.json(answers[`${method} ${place}`]?.());
  });
  return revisions;
}

test('a change is applied to the document that was edited', async () => {
  const revisions = stubGateway({ default_provider: 'a' });
  await applyConfig({ default_provider: 'a' }, { default_provider: 'b' }, false);
  expect(revisions).toEqual([{ default_provider: 'a' }, { default_provider: 'b' }]);
});

test('a change of somebody else that was made before is not overwritten', async () => {
  const revisions = stubGateway({ default_provider: 'other' });
  await expect(applyConfig({ default_provider: 'a' }, { default_provider: 'b' }, false)).rejects.toThrow(
    'Somebody else',
  );
  expect(revisions).toHaveLength(1);
});

test('nor is one that arrives at the same moment', async () => {
  const revisions = stubGateway({ default_provider: 'a' }, (all) => all.push({ default_provider: 'other' }));
  await expect(applyConfig({ default_provider: 'a' }, { default_provider: 'b' }, true)).rejects.toThrow('meanwhile');
  expect(revisions.at(-1)).toEqual({ default_provider: 'other' });
});
