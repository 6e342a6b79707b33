// Whatever happens to the request on its way, it still asks for a shorter conversation, as it was sent.

import { expect, test } from 'vitest';
import { compactDialect } from './compact-dialect.ts';

const body = { model: 'a/b', input: [{ role: 'user', content: 'My secret.' }] };

test('a limit, another body and changed words leave it what it is', () => {
  const request = compactDialect.parse(body);
  const changed = [
    request,
    request.withOutputLimit(2_000),
    request.withOutputLimit(2_000).withOutputLimit(1_000),
    request.withBody({ ...body, instructions: 'Be brief.' }),
    request.withTexts((text) => text.replace('secret', '***')),
  ];
  expect(changed.map(({ isCompaction }) => isCompaction)).toEqual([true, true, true, true, true]);
  expect(changed.map(({ outputTokensMax }) => outputTokensMax)).toEqual([null, 2_000, 1_000, null, null]);
  // There is no field for a limit.
  expect(changed[2]?.body).toEqual(body);
  expect(JSON.stringify(changed[4]?.body)).toContain('My ***.');
  expect(() => request.toConversation()).toThrow('not supported');
});
