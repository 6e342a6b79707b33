// A gateway with Stripe beside it, and a log that a test can read.

import type { LogFields, Logger } from '../../src/platform/logger.ts';
import { type Answer, type Harness, type HarnessOptions, startHarness } from '../harness.ts';
import { eventText, FakeStripe, sessionObject } from './fake-stripe.ts';

export type LogLine = Readonly<{ level: string; fields: LogFields; message: string }>;

export function recordingLogger(lines: LogLine[]): Logger {
  const at = (level: string) => (fields: LogFields, message: string) => void lines.push({ level, fields, message });
  return { debug: () => {}, info: at('info'), warn: at('warn'), error: at('error') };
}

export type PaymentsHarness = Readonly<{
  harness: Harness;
  stripe: FakeStripe;
  /** Log lines about payments that need attention. */
  alerts(): LogLine[];
  /** A user without credit who has ordered a top-up. */
  order(body?: Record<string, unknown>): Promise<{ key: string; userId: string; orderId: string; answer: Answer }>;
  /** Sends a notification as it is, with a valid signature unless another is given. */
  notify(payload: string, options?: { signature?: string | null; provider?: string }): Promise<Answer>;
  /** The event that says an order's session has been paid, with some fields changed. */
  paidEvent(orderId: string, changes?: Record<string, unknown>): string;
  balance(key: string): Promise<number>;
  close(): Promise<void>;
}>;

export async function startPaymentsHarness(options: HarnessOptions = {}): Promise<PaymentsHarness> {
  const stripe = await FakeStripe.start();
  const lines: LogLine[] = [];
  const harness = await startHarness({
    ...options,
    env: { ...stripe.env, TOLLGATE_TOPUP_CURRENCIES: 'eur=0.92, jpy=149.5, isk=138.261', ...options.env },
    start: { logger: recordingLogger(lines), ...options.start },
  });

  async function order(body: Record<string, unknown> = {}) {
    const { key, userId } = await harness.account(0);
    const answer = await harness.request('POST', '/v1/credits/topups', { key, body: { amountUsd: 100, ...body } });
    return { key, userId, orderId: String(answer.body.id), answer };
  }

  return {
    harness,
    stripe,
    alerts: () => lines.filter(({ fields }) => fields.alert === 'payment'),
    order,
    notify(payload, { signature, provider } = {}) {
      const value = signature === undefined ? stripe.sign(payload) : signature;
      const headers: Record<string, string> = value === null ? {} : { 'Stripe-Signature': value };
      return harness.request('POST', `/webhooks/${provider ?? 'stripe'}`, { body: payload, headers });
    },
    paidEvent: (orderId, changes = {}) =>
      eventText('checkout.session.completed', sessionObject(stripe.session(orderId), changes)),
    async balance(key) {
      const { body } = await harness.request('GET', '/v1/credits', { key });
      const { total_credits, total_usage } = body.data as { total_credits: number; total_usage: number };
      return total_credits - total_usage;
    },
    async close() {
      await harness.close();
      await stripe.close();
    },
  };
}
