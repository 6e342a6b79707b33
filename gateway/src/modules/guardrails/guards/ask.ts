// Asks one service about texts, within its time. The service belongs to somebody else: whatever it does, the
// organization decides how long a call waits and whether it goes on without a verdict.

import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import { ForbiddenUrlError, OutboundError } from '../../../platform/outbound/outbound-error.ts';
import { type Asked, forms } from './forms.ts';
import type { Guard, GuardVerdict } from './guard.ts';

const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** For all texts together; longer ones get no verdict. */
const TEXT_LENGTH_MAX = 500_000;

type GuardCall = Readonly<{
  url: string;
  /** Names and values in turn. */
  headers: readonly string[];
  body: string;
  timeoutMs: number;
  responseBytesMax: number;
}>;

export type AskParts = Readonly<{
  /** Posts to a guard's address. Throws `ForbiddenUrlError` or `OutboundError`. */
  request(call: GuardCall): Promise<Readonly<{ status: number; body: Buffer }>>;
  clock: Clock;
  logger: Logger;
}>;

/** How it went, for the record: `allowed`, `blocked`, `redacted`, `flagged`, or why there was no verdict. */
export type Decision = Readonly<{
  outcome: 'allowed' | 'blocked' | 'redacted' | 'flagged' | 'no_verdict';
  reason: string | null;
  durationMs: number;
  /** The texts as they may go on; null when they may not. */
  texts: readonly string[] | null;
}>;

export async function ask(guard: Guard, asked: Asked, parts: AskParts): Promise<Decision> {
  const startedMs = parts.clock.monotonicMs();
  const verdict = await verdictOf(guard, asked, parts);
  const durationMs = Math.round(parts.clock.monotonicMs() - startedMs);
  const texts = asked.texts.map(({ text }) => text);
  if (typeof verdict === 'string') {
    parts.logger.warn({ guardId: guard.id, stage: asked.stage, failure: verdict }, 'a guard gave no verdict');
    return { outcome: 'no_verdict', reason: verdict, durationMs, texts: guard.isOpenOnFailure ? texts : null };
  }
  const { reason } = verdict;
  if (!verdict.isHit) return { outcome: 'allowed', reason, durationMs, texts };
  if (guard.action === 'flag') return { outcome: 'flagged', reason, durationMs, texts };
  if (guard.action === 'redact' && verdict.texts !== null)
    return { outcome: 'redacted', reason, durationMs, texts: verdict.texts };
  return { outcome: 'blocked', reason, durationMs, texts: null };
}

/** The verdict, or why there is none. */
async function verdictOf(guard: Guard, asked: Asked, { request }: AskParts): Promise<GuardVerdict | string> {
  const length = asked.texts.reduce((sum, { text }) => sum + text.length, 0);
  if (length > TEXT_LENGTH_MAX) return 'too_long';
  const form = forms[guard.form];
  try {
    const { status, body } = await request({
      url: guard.url,
      headers: [
        'content-type',
        'application/json',
        ...(guard.apiKey === null ? [] : ['authorization', `Bearer ${guard.apiKey}`]),
      ],
      body: JSON.stringify(form.body(asked)),
      timeoutMs: guard.timeoutMs,
      responseBytesMax: ANSWER_BYTES_MAX,
    });
    if (status < 200 || status > 299) return `status ${status}`;
    return form.read(JSON.parse(body.toString('utf8')), asked) ?? 'unreadable';
  } catch (error) {
    if (error instanceof ForbiddenUrlError) return 'forbidden';
    if (error instanceof OutboundError) return error.kind;
    if (error instanceof SyntaxError) return 'unreadable';
    throw error;
  }
}
