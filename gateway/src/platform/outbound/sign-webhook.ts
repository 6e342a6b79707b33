// The signature of a webhook, as Standard Webhooks has it: the id and the time are signed along, so that what was heard
// once cannot be said again later, and a receiver needs no word from us to verify it.

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
