// The text of a notice, made from its facts. Names in facts were typed by customers: programs get them unchanged, chats
// get them with control characters escaped, and in mails, which go out in our name, nothing becomes a link.

import { harmlessName } from '../../platform/mail/mailer.ts';
import type { NoticeFacts } from './owner.ts';

type NoticeWords = Readonly<{ title: string; text: string }>;

type Tell = (facts: NoticeFacts) => NoticeWords;

const usd = (value: unknown): string => `USD ${String(value)}`;

const TELLINGS: Readonly<Record<string, Tell>> = {
  'balance.low': ({ balanceUsd, thresholdUsd }) => ({
    title: `The balance is below ${usd(thresholdUsd)}`,
    text: `The balance is ${usd(balanceUsd)}. Calls are refused when it is used up.`,
  }),
  'budget.reached': ({ scope, name, percent, spentUsd, limitUsd, window }) => ({
    title: `${percent} % of a budget is used: ${scope} "${name}"`,
    text:
      `The ${scope} "${name}" has spent ${usd(spentUsd)} of ${usd(limitUsd)} (${window}).` +
      (percent === 100 ? ' Its calls are refused until the window ends or the budget is raised.' : ''),
  }),
  'breaker.tripped': ({ scope, window, thresholdUsd, resetsAt }) => ({
    title: `A spend breaker has tripped (${scope}, ${window})`,
    text: `More than ${usd(thresholdUsd)} was spent in one ${window}. Calls are let through again at ${resetsAt}.`,
  }),
  'key.unused': ({ name, key, days }) => ({
    title: `The key "${name}" is unused`,
    text: `The key "${name}" (${key}) has not been used for ${days} days. Revoke it if nobody needs it.`,
  }),
  'key.expiring': ({ name, key, expiresAt }) => ({
    title: `The key "${name}" is about to expire`,
    text: `The key "${name}" (${key}) expires at ${expiresAt}. Calls with it are refused from then on.`,
  }),
  'key.leaked': ({ name, key, place, state }) => ({
    title: `The key "${name}" was seen in public`,
    text:
      `The key "${name}" (${key}) was seen ${place === null ? 'in public' : `here: ${place}`}. ` +
      (state === 'enabled' ? 'It still works: make a new one and delete it.' : 'It is switched off.'),
  }),
  'top_up.failed': ({ orderId, amountUsd, reason }) => ({
    title: 'A top-up failed',
    text: `The top-up ${orderId}${amountUsd === null ? '' : ` of ${usd(amountUsd)}`} was not credited: ${reason}.`,
  }),
  'top_up.ceiling': ({ boughtUsd, monthMaxUsd, balanceUsd }) => ({
    title: 'Automatic top-ups have reached what they may buy in a month',
    text:
      `${usd(boughtUsd)} of at most ${usd(monthMaxUsd)} were bought this month, and the balance is ${usd(balanceUsd)}. ` +
      'Nothing more is bought before the next month: raise the amount, or buy credit by hand.',
  }),
  'account.restricted': ({ userId, accountId, until, reason }) => ({
    title: 'Calls are restricted for what was left unpaid',
    text:
      `Calls of ${userId} in the account ${accountId} are refused ` +
      `${until === null ? 'until an operator lifts it' : `until ${until}`} (${reason}).`,
  }),
  'provider.failing': ({ provider, upstreamModel, reason }) => ({
    title: `A provider is in trouble: ${provider}`,
    text: `The route to ${upstreamModel} at ${provider} is not asked for now (${reason}).`,
  }),
  'upstream.failing': ({ name, error }) => ({
    title: `Your own upstream "${name}" does not answer as it should`,
    text: `The last check of "${name}" failed: ${error ?? 'no reason was given'}.`,
  }),
  'feed.failing': ({ name, error, waiting }) => ({
    title: `The feed "${name}" is not taken`,
    text: `Records of calls are not taken by "${name}": ${error}. ${waiting} wait; what waits for three days is lost.`,
  }),
  'books.differ': ({ discrepancies, first }) => ({
    title: 'The books differ',
    text: `The check of the ledger found ${discrepancies} differences. The first: ${first}`,
  }),
  'batch.ended': ({ batchId, status, lines }) => ({
    title: `A batch has ended: ${status}`,
    text: `The batch ${batchId} with ${lines} lines is ${status}.`,
  }),
  'video.ended': ({ jobId, model, status }) => ({
    title: `A video is ${status}`,
    text: `The video ${jobId} by ${model} is ${status}.`,
  }),
  test: () => ({ title: 'A test', text: 'This is what a notice looks like here. Nothing has happened.' }),
};

export function wordsOf(kind: string, facts: NoticeFacts): NoticeWords {
  // A kind that a newer build has raised is shown by its name.
  return TELLINGS[kind]?.(facts) ?? { title: kind, text: JSON.stringify(facts) };
}

/** Facts whose text comes from customers, their upstreams or reporters. */
const TYPED = ['name', 'error', 'place'] as const;

export function mailWordsOf(kind: string, facts: NoticeFacts): NoticeWords {
  const harmless: Record<string, string | number | null> = { ...facts };
  for (const fact of TYPED) {
    const value = facts[fact];
    if (typeof value === 'string') harmless[fact] = harmlessName(value);
  }
  return wordsOf(kind, harmless);
}
