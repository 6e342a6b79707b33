// The signature of a webhook by the Standard Webhooks convention: the id and the time are signed too, so that a
// recorded call cannot be sent again later, and receivers can verify it with any library.

import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const webhookSecretOf = (bytes: Buffer): string => PREFIX + bytes.toString('base64');
export const newWebhookSecret = (): string => webhookSecretOf(randomBytes(SECRET_BYTES));

type WebhookCall = Readonly<{ id: string; sentAtMs: number; body: string }>;

/** Names and values in turn. */
export function webhookHeaders(secret: string, { id, sentAtMs, body }: WebhookCall): readonly string[] {
  const seconds = Math.floor(sentAtMs / 1000).toString();
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return ['webhook-id', id, 'webhook-timestamp', seconds, 'webhook-signature', `v1,${signature}`];
}
