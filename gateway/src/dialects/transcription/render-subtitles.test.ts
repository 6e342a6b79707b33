// Subtitles that players accept, whatever an upstream puts into its segments.

import { expect, test } from 'vitest';
import { renderSrt, renderVtt } from './render-subtitles.ts';

const segments = [
  { start: 0, end: 1.5, text: ' Hello.' },
  { start: 3_599.9996, end: 3_600.25, text: 'One hour --> later\n\nstill here ' },
];

test('AUD-04 SRT counts its cues and has commas in its times', () => {
  expect(renderSrt({ segments })).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n2\n01:00:00,000 --> 01:00:00,250\nOne hour -> later\nstill here\n\n',
  );
});

test('AUD-04 VTT has a head and points', () => {
  expect(renderVtt({ segments: segments.slice(0, 1) })).toBe('WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello.\n\n');
});

test('AUD-04 without segments the whole text is one cue', () => {
  expect(renderSrt({ text: 'All of it.', duration: 2 })).toBe('1\n00:00:00,000 --> 00:00:02,000\nAll of it.\n\n');
  expect(renderVtt({ text: '' })).toBe('WEBVTT\n\n');
});

test('F17 segments that are none are left out', () => {
  expect(renderSrt({ segments: [7, null, { start: -1, end: 'x', text: 'a' }, { text: 7 }] })).toBe(
    '1\n00:00:00,000 --> 00:00:00,000\na\n\n',
  );
});
