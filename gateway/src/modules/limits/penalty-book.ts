// Blocks subjects that run into the limit again and again: the fifth refusal within ten minutes blocks for five
// minutes. Refusals during a block do not count, so a block ends even for a client that never stops asking.

export const VIOLATIONS_MAX = 5;
export const VIOLATION_SPAN_MS = 600_000;
export const PENALTY_MS = 300_000;

type Entry = { readonly violationsAtMs: number[]; blockedUntilMs: number };

export class PenaltyBook {
  readonly #entries = new Map<string, Entry>();

  /** 0 or a time in the past when the subject is not blocked. */
  blockedUntilMs(subject: string): number {
    return this.#entries.get(subject)?.blockedUntilMs ?? 0;
  }

  addViolation(subject: string, nowMs: number): void {
    const entry = this.#entries.get(subject) ?? { violationsAtMs: [], blockedUntilMs: 0 };
    this.#entries.set(subject, entry);
    while (isOld(entry.violationsAtMs[0], nowMs)) entry.violationsAtMs.shift();
    entry.violationsAtMs.push(nowMs);
    if (entry.violationsAtMs.length < VIOLATIONS_MAX) return;
    entry.violationsAtMs.length = 0;
    entry.blockedUntilMs = nowMs + PENALTY_MS;
  }

  /** Another process has blocked the subject. */
  block(subject: string, untilMs: number): void {
    const entry = this.#entries.get(subject) ?? { violationsAtMs: [], blockedUntilMs: 0 };
    this.#entries.set(subject, entry);
    entry.blockedUntilMs = Math.max(entry.blockedUntilMs, untilMs);
  }

  /** Called now and then; removes subjects without recent refusals. */
  forgetOld(nowMs: number): void {
    for (const [subject, entry] of this.#entries) {
      if (entry.blockedUntilMs <= nowMs && entry.violationsAtMs.every((atMs) => isOld(atMs, nowMs))) {
        this.#entries.delete(subject);
      }
    }
  }
}

const isOld = (atMs: number | undefined, nowMs: number): boolean =>
  atMs !== undefined && atMs <= nowMs - VIOLATION_SPAN_MS;
