import { expect, test } from 'vitest';
import { loggedOutcome, outcomeOf } from './outcome.ts';

test.each([
  [
    { finish_reason: 'stop', status: 200 },
    { text: 'stop', tone: 'good' },
  ],
  [
    { finish_reason: 'tool_calls', status: 200 },
    { text: 'tool calls', tone: 'good' },
  ],
  [
    { finish_reason: 'completed', status: 200 },
    { text: 'completed', tone: 'good' },
  ],
  [
    { finish_reason: 'length', status: 200 },
    { text: 'length', tone: 'warn' },
  ],
  [
    { finish_reason: null, status: 200 },
    { text: 'done', tone: 'good' },
  ],
  [
    { finish_reason: null, status: 0 },
    { text: 'broken off', tone: 'warn' },
  ],
  [
    { finish_reason: 'error', status: 503 },
    { text: 'failed (503)', tone: 'bad' },
  ],
  [
    { finish_reason: null, status: 503, error: { status: 502 } },
    { text: 'failed (502)', tone: 'bad' },
  ],
] as const)('%o ended as %o', (ended, outcome) => {
  expect(outcomeOf(ended)).toEqual(outcome);
});

test.each([
  [{ outcome: 'ok', finishReason: 'stop', status: 200 }, 'stop'],
  [{ outcome: 'refused', finishReason: null, status: 402 }, 'refused (402)'],
  [{ outcome: 'failed', finishReason: null, status: 0 }, 'failed'],
  [{ outcome: 'abandoned', finishReason: null, status: 200 }, 'broken off'],
])('%o is %s in a list', (logged, text) => {
  expect(loggedOutcome(logged)).toMatchObject({ text });
});
