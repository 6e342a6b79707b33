// The credit that a new person gets, where the operator gives one. A person gets it once, after verifying an address,
// and a network gets no more than ten a day, so that hundreds of mailboxes are of little use.

import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { Throttle } from '../../modules/signin/throttle.ts';
import { asError, type Logger } from '../../platform/logger.ts';

type WelcomeServices = Readonly<{
  catalog: Pick<Catalog, 'current'>;
  ledger: Pick<Ledger, 'credit'>;
  throttle: Throttle;
  logger: Logger;
}>;

/** Called after the user was created. `source` is the network that the request came from. */
export async function giveWelcomeCredit(
  { catalog, ledger, throttle, logger }: WelcomeServices,
  userId: string,
  source: string,
): Promise<void> {
  const { welcomeNanoUsd: amountNanoUsd } = catalog.current().accounts;
  if (amountNanoUsd === 0n) return;
  try {
    if ((await throttle.take([{ kind: 'welcome-source', subject: source }])) > 0) {
      logger.warn({ userId }, 'no welcome credit: the network has had its share for today');
      return;
    }
    await ledger.credit({ accountId: userId, amountNanoUsd, note: 'Welcome', reference: `welcome:${userId}` });
  } catch (error) {
    // The user exists all the same, and an operator can give the credit.
    logger.error({ userId, error: asError(error) }, 'the welcome credit was not given');
  }
}
