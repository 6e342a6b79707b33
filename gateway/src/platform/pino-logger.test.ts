// What the log says, and what it never says.

import { describe, expect, test } from 'vitest';
import { createPinoLogger } from './pino-logger.ts';

function logLines(level: string): { lines: string[]; logger: ReturnType<typeof createPinoLogger> } {
  const lines: string[] = [];
  return { lines, logger: createPinoLogger(level, { write: (line: string) => void lines.push(line) }) };
}

describe('the log', () => {
  test('is one JSON line each, from the level on', () => {
    const { lines, logger } = logLines('info');
    logger.debug({ requestId: 'req-1' }, 'quiet');
    logger.info({ requestId: 'req-2', amount: 10n ** 20n, missing: undefined }, 'heard');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ requestId: 'req-2', msg: 'heard', level: 30 });
    expect(lines[0]).toContain('100000000000000000000');
  });

  test('of an error it writes what identifies the fault, not the values a driver hangs on it', () => {
    const { lines, logger } = logLines('info');
    const cause = Object.assign(new Error('refused'), { code: '23505', detail: 'Key (email)=(ann@example.test)' });
    logger.error({ error: new TypeError('outer', { cause }) }, 'failed');
    const line = JSON.parse(lines[0] ?? '');
    expect(line.error).toMatchObject({
      type: 'TypeError',
      message: 'outer',
      stack: expect.any(String),
      cause: { message: 'refused', code: '23505' },
    });
    expect(lines[0]).not.toContain('ann@example.test');
  });
});
