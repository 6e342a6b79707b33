import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DayBars } from './day-bars.tsx';
import { Meter } from './meter.tsx';

const toneOf = (used: number, limit: number, isProgress = false): string | undefined =>
  /bg-(accent|warn|bad)/.exec(
    renderToStaticMarkup(<Meter label="Spent" used={used} limit={limit} text="" isProgress={isProgress} />),
  )?.[1];

test.each([
  [0, 10, 'accent'],
  [7.99, 10, 'accent'],
  [8, 10, 'warn'],
  [10, 10, 'bad'],
  [25, 10, 'bad'],
  // Nothing is allowed, so nothing is left.
  [0, 0, 'bad'],
])('%d of %d is drawn as %s', (used, limit, tone) => {
  expect(toneOf(used, limit)).toBe(tone);
});

test('progress towards an end is no warning', () => {
  expect(toneOf(10, 10, true)).toBe('accent');
});

test('a meter is never longer than its track, and says no more than its limit', () => {
  const html = renderToStaticMarkup(<Meter label="Spent" used={25} limit={10} text="$25 of $10" />);
  expect(html).toContain('width:100%');
  expect(html).toContain('value="10"');
  expect(html).toContain('$25 of $10');
});

test('a bar of a day is seen however small, and an hour of which nothing is known is grey', () => {
  const bars = [
    { label: '1', height: 1, tone: 'good' },
    { label: '2', height: 0.001, tone: 'bad' },
    { label: '3', height: null, tone: 'good' },
  ] as const;
  const html = renderToStaticMarkup(<DayBars title="The last day" bars={bars} />);
  expect([...html.matchAll(/height:([\d.]+)%/g)].map(([, height]) => height)).toEqual(['100', '8', '8']);
  expect(html).toMatch(/title="3"[^>]*bg-line/);
  expect(html).toContain('aria-label="The last day"');
});
