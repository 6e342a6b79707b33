// A person who comes back from another site: the user behind the account there, and the page that they wanted.

import type { Exchange } from '../../http/exchange.ts';
import { type HeaderList, sendEmpty } from '../../http/respond.ts';
import { normalizeEmail } from '../../modules/identity/email.ts';
import type { Profile } from '../../modules/signin/oauth/provider.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { openUser } from '../open-user.ts';
import type { AuthServices } from './auth-services.ts';
import { sourceOf } from './visitor.ts';

const NAME_LENGTH_MAX = 200;
const DEFAULT_PAGE = '/console/';
/** A page of this site: nothing that a browser could read as another host. */
const OWN_PAGE = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,499}$/;

/** Why it failed, for the sign-in page. */
export type Problem = 'denied' | 'expired' | 'failed' | 'unverified' | 'suspended' | 'unknown' | 'full' | 'throttled';

export const returnPage = (wish: string | null): string => (wish !== null && OWN_PAGE.test(wish) ? wish : DEFAULT_PAGE);

type ExternalPerson = Readonly<{ provider: string; profile: Profile }>;

/** The user behind an account: the one who used it before, the owner of its verified address, or a new one. */
export async function personOf(
  services: AuthServices,
  transaction: Queryable,
  { provider, profile }: ExternalPerson,
): Promise<string | null> {
  const { signIn } = services;
  const account = { provider, subject: profile.subject };
  const known = await signIn.findByExternal(transaction, account);
  const owner = known ?? (await signIn.findByEmail(transaction, normalizeEmail(profile.email) ?? ''));
  if (owner?.isSuspended === true) return null;
  // The address is verified now: a sign-up that waits for it may have been another person's.
  await signIn.dropSignUps(transaction, normalizeEmail(profile.email) ?? '');
  const newUser = { email: profile.email, name: plainName(profile) };
  const userId = owner?.userId ?? (await openUser(services, transaction, newUser)).id;
  if (known === null) await signIn.linkExternal(transaction, account, userId);
  return userId;
}

function plainName({ name, email }: Profile): string {
  const plain = name
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, NAME_LENGTH_MAX);
  return plain === '' ? email.slice(0, NAME_LENGTH_MAX) : plain;
}

/** Counts a sign-in that begins; false when its network has to wait. */
export const mayBegin = async (exchange: Exchange, { throttle, clientAddress }: AuthServices): Promise<boolean> =>
  (await throttle.take([{ kind: 'token-source', subject: sourceOf(exchange, clientAddress) }])) === 0;

/** A sign-in that comes back is no flood: a whole company may begin theirs from one address. */
export const forgiveBegun = (exchange: Exchange, { throttle, clientAddress }: AuthServices): Promise<void> =>
  throttle.forgive([{ kind: 'token-source', subject: sourceOf(exchange, clientAddress) }]);

export const leadBack = (
  exchange: Exchange,
  { siteUrl }: AuthServices,
  problem: Problem,
  headers: HeaderList = [],
): void => redirect(exchange, `${siteUrl()}/console/sign-in?error=${problem}`, headers);

export function redirect(exchange: Exchange, location: string, headers: HeaderList): void {
  sendEmpty(exchange, 302, ['Location', location, 'Cache-Control', 'no-store', ...headers]);
}
