// An account's books at the operator's desk: its statement, corrections of its balance, and the refund of a call.

import { CALL_OUTCOMES, type CallLogAnswer, type OperatorOverviewAnswer } from '../../contract/overview.ts';
import type { AccountStatementAnswer } from '../../contract/statement.ts';
import { type Command, type CommandInput, checkedAmount, operand } from '../command.ts';
import { queryText } from '../query-text.ts';
import { formatFields, formatTable } from '../table.ts';
import { moveOnce } from './accounts.ts';

const accountPath = (input: CommandInput): string => {
  const id = operand(input, 'ACCOUNT_ID');
  return `/admin/v1/${id.startsWith('org-') ? 'orgs' : 'users'}/${encodeURIComponent(id)}`;
};

function statementText({
  openingBalanceUsd,
  closingBalanceUsd,
  totals,
  entries,
  next,
}: AccountStatementAnswer): string {
  const sums = [
    ...(openingBalanceUsd === null ? [] : [{ sum: 'opening balance', usd: openingBalanceUsd }]),
    ...totals.map(({ kind, amountUsd }) => ({ sum: kind, usd: amountUsd })),
    ...(closingBalanceUsd === null ? [] : [{ sum: 'closing balance', usd: closingBalanceUsd }]),
  ];
  const rows = entries.map((entry) => ({
    ...entry,
    about: entry.note ?? (entry.calls === null ? entry.model : `${entry.calls} calls`),
    reference: entry.reference ?? entry.generationId,
  }));
  const columns = ['at', 'kind', 'amountUsd', 'balanceUsd', 'about', 'reference'];
  return [
    sums.length === 0 ? '' : formatTable(['sum', 'usd'], sums),
    entries.length === 0 ? 'There are no entries.' : formatTable(columns, rows),
    next === null ? '' : `There are more: --cursor ${next}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The text as it was given, with its sign. */
function signedAmount(input: CommandInput): string {
  const text = operand(input, 'AMOUNT');
  checkedAmount('AMOUNT', text.replace(/^-/, ''), 1n);
  return text;
}

function overviewText(answer: OperatorOverviewAnswer): string {
  const { from, to, totals, money, balances, topAccounts, topModels, attention } = answer;
  const parts = [
    `${from} to ${to}\n\n${formatFields({ ...totals, ...balances })}`,
    ...(money.length === 0 ? [] : [formatTable(['kind', 'amountUsd', 'entries'], money)]),
    ...(topAccounts.length === 0 ? [] : [formatTable(['name', 'accountId', 'revenueUsd', 'calls'], topAccounts)]),
    ...(topModels.length === 0 ? [] : [formatTable(['model', 'revenueUsd', 'calls', 'failedCalls'], topModels)]),
    ['Needs attention:', ...(attention.length === 0 ? ['nothing'] : attention.map(({ text }) => text))].join('\n  '),
  ];
  return parts.join('\n\n');
}

const CALL_COLUMNS = ['at', 'outcome', 'status', 'who', 'model', 'provider', 'costUsd', 'durationMs', 'id', 'code'];
const CALL_FILTERS = ['user', 'org', 'key', 'model', 'provider', 'outcome', 'status', 'from', 'to', 'limit', 'cursor'];

function callsText({ calls, next }: CallLogAnswer): string {
  const rows = calls.map((call) => ({ ...call, who: call.userEmail ?? call.userId }));
  const table = calls.length === 0 ? 'No calls were found.' : formatTable(CALL_COLUMNS, rows);
  return next === null ? table : `${table}\n\nThere may be more: --cursor ${next}`;
}

export const deskCommands: readonly Command[] = [
  {
    words: ['overview'],
    operands: [],
    options: {
      from: { value: 'YYYY-MM-DD', summary: 'The first day; by default 30 days before the last.' },
      to: { value: 'YYYY-MM-DD', summary: 'The last day; today by default.' },
    },
    summary: 'Show revenue, cost, calls, the largest customers and what needs attention.',
    example: 'overview --from 2026-02-01 --to 2026-02-28',
    async run(input) {
      const path = `/admin/v1/overview${queryText(input, ['from', 'to'])}`;
      const answer = (await input.operator().call('GET', path)) as OperatorOverviewAnswer;
      return { json: answer, text: overviewText(answer) };
    },
  },
  {
    words: ['calls'],
    operands: [],
    options: {
      user: { value: 'USER_ID', summary: 'Only calls of this user.' },
      org: { value: 'ORG_ID', summary: 'Only calls that this organization pays for.' },
      key: { value: 'KEY_ID', summary: 'Only calls with this key.' },
      model: { value: 'MODEL', summary: 'Only calls of this model.' },
      provider: { value: 'NAME', summary: 'Only calls that this provider answered.' },
      outcome: { value: CALL_OUTCOMES.join('|'), summary: 'Only calls with this outcome.', choices: CALL_OUTCOMES },
      status: { value: 'N', summary: 'Only calls with this status.' },
      from: { value: 'YYYY-MM-DD', summary: 'The first day; 31 days ago by default.' },
      to: { value: 'YYYY-MM-DD', summary: 'The last day.' },
      limit: { value: 'N', summary: 'How many; 50 by default.' },
      cursor: { value: 'TEXT', summary: 'Where the previous page ended.' },
    },
    summary: 'List calls of everybody, answered, failed and refused, the newest first.',
    example: 'calls --outcome refused --limit 20',
    async run(input) {
      const path = `/admin/v1/calls${queryText(input, CALL_FILTERS)}`;
      const answer = (await input.operator().call('GET', path)) as CallLogAnswer;
      return { json: answer, text: callsText(answer) };
    },
  },
  {
    words: ['statement'],
    operands: ['ACCOUNT_ID'],
    options: {
      from: { value: 'YYYY-MM-DD', summary: 'The first day.' },
      to: { value: 'YYYY-MM-DD', summary: 'The last day.' },
      by: { value: 'call|day', summary: 'With day, the charges of a day are one row.', choices: ['call', 'day'] },
      limit: { value: 'N', summary: 'How many entries; 50 by default.' },
      cursor: { value: 'TEXT', summary: 'Where the previous page ended.' },
    },
    summary: 'Show the entries of a user or an organization with the balance after each.',
    example: 'statement usr-1 --from 2026-02-01 --to 2026-02-28',
    async run(input) {
      const path = `${accountPath(input)}/entries${queryText(input, ['from', 'to', 'by', 'limit', 'cursor'])}`;
      const answer = (await input.operator().call('GET', path)) as AccountStatementAnswer;
      return { json: answer, text: statementText(answer) };
    },
  },
  {
    words: ['adjust'],
    operands: ['ACCOUNT_ID', 'AMOUNT'],
    options: {
      reason: { value: 'TEXT', summary: 'Why; the holder of the account reads it.', isRequired: true },
      reference: { value: 'TEXT', summary: 'The same one counts once, so that repeating is safe.' },
    },
    summary: 'Correct the balance of a user or an organization; below zero takes back.',
    example: 'adjust usr-1 -5 --reason "credited twice" --reference ticket-7',
    async run(input) {
      const amountUsd = signedAmount(input);
      const { reason } = input.options;
      const answer = await moveOnce(input, (reference) =>
        input.operator().call('POST', `${accountPath(input)}/adjustments`, { amountUsd, reason, reference }),
      );
      return { json: answer, text: formatFields(answer) };
    },
  },
  {
    words: ['refund'],
    operands: ['GENERATION_ID'],
    options: { reason: { value: 'TEXT', summary: 'Why; the holder of the account reads it.', isRequired: true } },
    summary: 'Give back what a call was charged, once.',
    example: 'refund gen-1 --reason "the answer was cut off"',
    async run(input) {
      const path = `/admin/v1/generations/${encodeURIComponent(operand(input, 'GENERATION_ID'))}/refund`;
      const answer = await input.operator().call('POST', path, { reason: input.options.reason });
      return { json: answer, text: formatFields(answer) };
    },
  },
];
