// Top-ups that run by themselves: a balance below the holder's threshold makes one order, and that order charges the
// saved card once, however many processes see it and whatever answer is lost. A declined card stops automatic top-ups.

import { ApiError } from '../../errors/api-error.ts';
import { isConnectionFailure } from '../../platform/db/connection-failure.ts';
import type { Database } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import { stoppedMail } from './mails.ts';
import { priceOrder, USD_CHANNEL } from './price-order.ts';
import type { CardEvent, CardKeeper, PaymentProvider, SavedCard, SessionEvent } from './provider.ts';
import * as store from './store/automatic.ts';
import { expireOrder, insertEvent, type OrderOwner, type OrderRow } from './store/orders.ts';

/** For one order, where the provider does not answer. */
const TRIES_MAX = 5;

export type AutomaticTerms = store.AutomaticRow;

export type AutomaticTopUps = Readonly<{
  /** Whether one of the configured providers keeps cards. */
  isOffered: boolean;
  read(accountId: string): Promise<AutomaticTerms | null>;
  save(owner: OrderOwner, settings: store.AutomaticSettings): Promise<void>;
  /** The page on which a card is entered. 409 before `save`. */
  openCardPage(owner: OrderOwner, returnUrl: string): Promise<string>;
  forgetCard(accountId: string): Promise<void>;
  /** Takes over what a provider has told of a card. */
  receive(providerName: string, event: CardEvent): Promise<void>;
  /** Buys for all accounts whose balance is low. */
  run(): Promise<void>;
}>;

export type AutomaticOptions = Readonly<{
  database: Database;
  providers: readonly PaymentProvider[];
  mailer: Mailer;
  addressOf(userId: string): Promise<string | null>;
  /** The person who gave the card may have left since. */
  mayPay(owner: OrderOwner): Promise<boolean>;
  /** Applies an event as if the provider had sent it. */
  apply(providerName: string, event: SessionEvent): Promise<void>;
  logger: Logger;
}>;

export function createAutomaticTopUps(options: AutomaticOptions): AutomaticTopUps {
  const { database } = options;
  const keepers = keepersOf(options.providers);
  const [first] = keepers.keys();
  return {
    isOffered: first !== undefined,
    read: (accountId) => store.readAutomatic(database, accountId),
    async save(owner, settings) {
      if (first === undefined) throw notOffered();
      await store.saveAutomatic(database, owner, first, settings);
    },
    openCardPage: (owner, returnUrl) => openCardPage(owner, returnUrl, { options, keepers }),
    forgetCard: (accountId) => forgetCard(accountId, { options, keepers }),
    async receive(provider, { eventId, setupId, reference }) {
      const keeper = keepers.get(provider);
      if (keeper === undefined) return;
      const isKept = await store.keepCard(database, { setupId, provider }, await keeper.read(reference));
      if (!isKept)
        options.logger.info({ provider, eventId }, 'a card was saved for an account that does not ask for one');
    },
    async run() {
      for (const accountId of await store.listDue(database))
        await orLog(accountId, buy(accountId, { options, keepers }), options);
      for (let order = await claim(options); order !== null; order = await claim(options)) {
        await orLog(order.accountId, pay(order, { options, keepers }), options);
      }
    },
  };
}

type Keepers = ReadonlyMap<string, CardKeeper>;
type Parts = Readonly<{ options: AutomaticOptions; keepers: Keepers }>;

const keepersOf = (providers: readonly PaymentProvider[]): Keepers =>
  new Map(providers.flatMap(({ name, cards }) => (cards === null ? [] : [[name, cards]])));

const notOffered = (): ApiError =>
  new ApiError('http_503', 'Cards are not kept here. Buy credit by hand, or ask the operator for it.', {
    isTerminal: true,
  });

async function openCardPage(owner: OrderOwner, returnUrl: string, { options, keepers }: Parts): Promise<string> {
  const [entry] = keepers;
  if (entry === undefined) throw notOffered();
  const [provider, keeper] = entry;
  const setupId = newId('crd');
  if (!(await store.beginCard(options.database, owner, { setupId, provider }))) {
    throw new ApiError('http_409', 'First set the balance at which credit is bought, and how much.');
  }
  try {
    return (await keeper.openPage({ setupId, returnUrl })).url;
  } catch (error) {
    options.logger.error({ provider, error: asError(error) }, 'no page for a card was opened');
    throw new ApiError('http_502', 'The payment provider did not answer as expected. Try again.', { cause: error });
  }
}

async function forgetCard(accountId: string, { options, keepers }: Parts): Promise<void> {
  const forgotten = await store.forgetCard(options.database, accountId);
  if (forgotten === null || forgotten.cardId === null) return;
  try {
    await keepers.get(forgotten.provider)?.forget(forgotten.cardId);
  } catch (error) {
    // This gateway never charges the card again, even if the provider still keeps it.
    options.logger.warn(
      { accountId, error: asError(error) },
      'the payment provider could not be asked to remove a card',
    );
  }
}

async function buy(accountId: string, parts: Parts): Promise<void> {
  const { options } = parts;
  const order = await options.database.transaction(async (transaction) => {
    const due = await store.lockDue(transaction, accountId);
    if (due === null) return null;
    const { userId, provider, amountNanoUsd } = due;
    const price = priceOrder(amountNanoUsd, USD_CHANNEL);
    return store.insertAutomatic(transaction, { id: newId('ord'), accountId, userId, provider, price });
  });
  if (order !== null) await pay({ ...order, tries: 1, isForgotten: false }, parts);
}

/** One account whose top-up fails must not hold up the others. */
async function orLog(accountId: string, work: Promise<void>, { logger }: AutomaticOptions): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (isConnectionFailure(error)) throw error;
    logger.error({ alert: 'payment', accountId, error: asError(error) }, 'an automatic top-up could not be made');
  }
}

type ChargedCard = Pick<SavedCard, 'customerId' | 'cardId'>;

const claim = ({ database }: AutomaticOptions): Promise<store.TriedRow | null> => store.claimUnknown(database);

const UNANSWERED = 'the payment provider did not answer';

async function pay(order: store.TriedRow, parts: Parts): Promise<void> {
  const { options, keepers } = parts;
  if (order.isForgotten) return stop(order, UNANSWERED, options);
  const card = await cardOf(order, options);
  // The holder has removed the card since.
  if (card === null) {
    await expireOrder(options.database, order.id);
    return;
  }
  if (!(await options.mayPay(order))) {
    return stop(order, 'the person who gave the card may no longer buy for the account', options);
  }
  const keeper = keepers.get(order.provider);
  if (keeper === undefined) return stop(order, 'the payment provider is no longer offered', options);
  try {
    const outcome = await keeper.charge({ orderId: order.id, price: order, card });
    if (outcome.kind === 'declined') await stop(order, outcome.reason, options);
    else if (outcome.kind === 'paid') await options.apply(order.provider, outcome);
    else await store.awaitWord(options.database, order.id, outcome.sessionId);
  } catch (error) {
    options.logger.error(
      { alert: 'payment', orderId: order.id, tries: order.tries, error: asError(error) },
      'the result of an automatic top-up is not known',
    );
    if (order.tries >= TRIES_MAX) await stop(order, UNANSWERED, options);
  }
}

async function cardOf({ accountId }: OrderRow, { database }: AutomaticOptions): Promise<ChargedCard | null> {
  const found = await store.readAutomatic(database, accountId);
  if (found === null || !found.isEnabled || found.customerId === null || found.cardId === null) return null;
  return { customerId: found.customerId, cardId: found.cardId };
}

type StopOptions = Pick<AutomaticOptions, 'database' | 'mailer' | 'addressOf' | 'logger'>;

/** The bank was slow, and its word is no. */
export const endUnpaid = (order: OrderRow, options: StopOptions): Promise<void> =>
  stop(order, 'the bank did not carry out the payment', options);

/** Once for each order. A payment that is reported later is credited all the same: an expired order may still be paid. */
async function stop(order: OrderRow, reason: string, options: StopOptions): Promise<void> {
  const { database, mailer, logger } = options;
  const { id: orderId, accountId, userId, provider } = order;
  const to = await options.addressOf(userId);
  const isFirst = await database.transaction(async (transaction) => {
    if (!(await expireOrder(transaction, orderId))) return false;
    const event = { provider, eventId: `${orderId}/declined`, orderId, kind: 'failed', outcome: 'accepted' };
    await insertEvent(transaction, event);
    await store.stopAutomatic(transaction, accountId, reason);
    if (to !== null) await mailer.send(stoppedMail({ to, amountNanoUsd: order.creditNanoUsd, reason }), transaction);
    return true;
  });
  if (isFirst) logger.warn({ orderId, accountId, reason }, 'automatic top-ups of an account have stopped');
}
