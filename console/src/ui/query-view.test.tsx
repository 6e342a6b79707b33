import type { UseQueryResult } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { QueryView } from './query-view.tsx';

const drawn = (state: Readonly<{ data?: readonly string[]; isError?: boolean; error?: Error }>): string =>
  renderToStaticMarkup(
    <QueryView query={{ isError: false, ...state } as unknown as UseQueryResult<readonly string[]>}>
      {(names) => <p>{names.length === 0 ? 'None.' : names.join(', ')}</p>}
    </QueryView>,
  );

test('what is on its way, what failed and what is there are told apart, and an empty answer is one', () => {
  expect(drawn({})).toMatch(/role="status".*Loading/s);
  expect(drawn({ isError: true, error: new Error('It is away.') })).toMatch(/It is away\..*Try again/s);
  expect(drawn({ data: [] })).toBe('<p>None.</p>');
  expect(drawn({ data: ['a', 'b'] })).toBe('<p>a, b</p>');
});

test('what was read before stays on the page when reading it again fails', () => {
  expect(drawn({ data: ['a'], isError: true, error: new Error('It is away.') })).toBe('<p>a</p>');
});
