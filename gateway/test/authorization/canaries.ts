// The secrets that are searched for. When you add a kind of secret to the gateway, add it here.

import { ADMIN_TOKEN } from '../harness.ts';
import { BYOK_SECRET, FEED_SECRET, GUARD_SECRET, NOTICE_SECRET } from './things.ts';
import { PASSWORD, type World } from './world.ts';

export type Canary = Readonly<{ name: string; secret: string }>;

export function canaries({ headers, operators, factors }: World): readonly Canary[] {
  const ofPrincipals = Object.entries(headers).flatMap(([kind, { Authorization, Cookie }]) => {
    const secret = Authorization?.replace('Bearer ', '') ?? Cookie?.slice(Cookie.indexOf('=') + 1);
    return secret === undefined ? [] : [{ name: kind, secret }];
  });
  const ofOperators = [...operators].map(([role, { Cookie = '' }]) => ({
    name: `the session of an operator, ${role}`,
    secret: Cookie.slice(Cookie.indexOf('=') + 1),
  }));
  return [
    ...ofOperators,
    ...ofPrincipals.filter(({ name }) => name !== 'bad' && name !== 'operator'),
    { name: 'the operator token', secret: ADMIN_TOKEN },
    { name: "a provider's key", secret: 'upstream-secret-key' },
    { name: "an organization's own upstream key", secret: BYOK_SECRET },
    { name: 'the address of a webhook', secret: NOTICE_SECRET },
    { name: 'the key of a guard', secret: GUARD_SECRET },
    { name: 'the header of a feed', secret: FEED_SECRET },
    { name: 'a password', secret: PASSWORD },
    ...factors.map((secret) => ({ name: 'a second factor', secret })),
  ];
}

/** Which secrets are in a text, plainly or in one of the encodings of bytes. */
export function foundIn(text: string, looked: readonly Canary[]): string[] {
  return looked
    .filter(({ secret }) => {
      const bytes = Buffer.from(secret);
      const base64 = bytes.toString('base64').replace(/=+$/, '').slice(0, -1);
      return [secret, bytes.toString('hex'), base64].some((spelling) => text.includes(spelling));
    })
    .map(({ name }) => name);
}
