// Who may report a payment: whoever signed with the secret within the last five minutes of the gateway's own clock.

import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../../platform/clock.ts';
import { createStripeProvider } from './stripe.ts';

const SECRET = 'whsec_of_this_test';
const BODY = Buffer.from('{"id":"evt_1","object":"event","type":"customer.created","data":{"object":{}}}');
const settings = { secretKey: 'sk_test', webhookSecret: SECRET, apiBase: null };

/** Far from the real time, so that only the given clock can tell the age. */
const NOW_SECONDS = 2_000_000_000;
const clock = { ...systemClock, nowMs: () => NOW_SECONDS * 1000 };

function signed(atSeconds: number, secret = SECRET): string {
  const digest = createHmac('sha256', secret).update(`${atSeconds}.${BODY}`).digest('hex');
  return `t=${atSeconds},v1=${digest}`;
}

test('a signature counts for five minutes of the gateway’s clock', async () => {
  const provider = await createStripeProvider(settings, clock);
  const read = (signature: string) => provider.readNotification({ body: BODY, header: () => signature });
  expect(read(signed(NOW_SECONDS))).toBeNull();
  expect(read(signed(NOW_SECONDS - 299))).toBeNull();
  expect(() => read(signed(NOW_SECONDS - 302))).toThrow('its signature is not valid');
  expect(() => read(signed(NOW_SECONDS, 'whsec_other'))).toThrow('its signature is not valid');
  expect(() => read(signed(NOW_SECONDS).replace(/.$/, (last) => (last === '0' ? '1' : '0')))).toThrow(
    'its signature is not valid',
  );
});

test.each([
  ['no key', { ...settings, secretKey: ' ' }],
  ['no secret for notifications, with which anybody could sign', { ...settings, webhookSecret: ' \n' }],
])('there is no provider with %s', async (_, wrong) => {
  await expect(createStripeProvider(wrong, clock)).rejects.toThrow('the secrets are not empty');
});
