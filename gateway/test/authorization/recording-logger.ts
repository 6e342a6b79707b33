// What the gateway would print at its most talkative, line by line: the real logger, writing to memory.

import type { Logger } from '../../src/platform/logger.ts';
import { createPinoLogger } from '../../src/platform/pino-logger.ts';

export function recordingLogger(): Readonly<{ logger: Logger; lines: readonly string[] }> {
  const lines: string[] = [];
  return { logger: createPinoLogger('trace', { write: (line) => lines.push(line) }), lines };
}
