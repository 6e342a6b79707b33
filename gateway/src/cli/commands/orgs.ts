// Organizations that the operator manages: opening one, its terms, its credit, its keys and what it owes for a month.

import { type Command, type CommandInput, checkedAmount, operand, UsageError } from '../command.ts';
import { queryText } from '../query-text.ts';
import { formatFields, formatTable, type Row } from '../table.ts';
import { creditOptions, giveCredit } from './accounts.ts';
import { keyTypeOption } from './keys.ts';
import { userIdOf } from './users.ts';

const MONTH = /^(\d{4})-(\d{2})$/;

const orgPath = (input: CommandInput): string => `/admin/v1/orgs/${encodeURIComponent(operand(input, 'ORG_ID'))}`;

/** The terms that were named; the gateway checks which of them go together. */
function terms(input: CommandInput): Readonly<{ billingPlan?: string; creditLineUsd?: string }> {
  const { plan, line } = input.options;
  return {
    ...(plan === undefined ? {} : { billingPlan: plan }),
    ...(line === undefined ? {} : { creditLineUsd: checkedAmount('--line', line, 0n) }),
  };
}

function seats(input: CommandInput): Readonly<{ seats?: number }> {
  const text = input.options.seats;
  if (text === undefined) return {};
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new UsageError(`--seats is a whole number above 0, not ${text}.`);
  return { seats: Number(text) };
}

const termOptions: Command['options'] = {
  plan: {
    value: 'prepaid|monthly',
    summary: 'Paid beforehand, or by statement at the end of the month.',
    choices: ['prepaid', 'monthly'],
  },
  line: { value: 'USD', summary: 'How far a monthly organization may go below zero.' },
};

function orgList(answer: unknown): string {
  const { orgs, next } = answer as { orgs: readonly Row[]; next: string | null };
  if (orgs.length === 0) return 'No organizations were found.';
  const table = formatTable(['id', 'name', 'balanceUsd', 'suspended', 'createdAt'], orgs);
  return next === null ? table : `${table}\n\nThere are more: --cursor ${next}`;
}

function statementText(answer: unknown): string {
  const { lines } = answer as { lines: readonly Row[] };
  const fields = formatFields(answer);
  return lines.length === 0 ? fields : `${fields}\n\n${formatTable(['model', 'requests', 'amountUsd'], lines)}`;
}

function statementQuery(input: CommandInput): string {
  const month = operand(input, 'MONTH');
  const [, year, number] = MONTH.exec(month) ?? [];
  if (year === undefined) throw new UsageError(`MONTH is YYYY-MM, not ${month}.`);
  return `?year=${year}&month=${Number(number)}`;
}

const setSuspended = (isSuspended: boolean): Command['run'] => {
  return async (input) => {
    const org = await input.operator().call('PATCH', orgPath(input), { suspended: isSuspended });
    const state = isSuspended ? 'suspended: its keys are refused from now on' : 'active again';
    return { json: org, text: `${operand(input, 'ORG_ID')} is ${state}.` };
  };
};

const openingCommands: readonly Command[] = [
  {
    words: ['org', 'create'],
    operands: ['NAME', 'OWNER_USER_ID'],
    options: termOptions,
    summary: 'Open an organization; the owner becomes its administrator.',
    example: 'org create Acme ann@example.com --plan monthly --line 500',
    async run(input) {
      const ownerUserId = await userIdOf(input, operand(input, 'OWNER_USER_ID'));
      const body = { name: operand(input, 'NAME'), ownerUserId, ...terms(input) };
      const org = await input.operator().call('POST', '/admin/v1/orgs', body);
      return { json: org, text: formatFields(org) };
    },
  },
  {
    words: ['org', 'list'],
    operands: [],
    options: {
      query: { value: 'TEXT', summary: 'Any part of the name or the id; or the end of a key.' },
      sort: { value: 'COLUMN', summary: 'created, name or balance.' },
      limit: { value: 'NUMBER', summary: 'How many at once: 50 by default, 100 at most.' },
      cursor: { value: 'ID', summary: 'Where the previous page ended.' },
    },
    summary: 'List or search organizations, the newest first.',
    example: 'org list --query Ac',
    async run(input) {
      const path = `/admin/v1/orgs${queryText(input, ['query', 'sort', 'limit', 'cursor'])}`;
      const answer = await input.operator().call('GET', path);
      return { json: answer, text: orgList(answer) };
    },
  },
  {
    words: ['org', 'suspend'],
    operands: ['ORG_ID'],
    options: {},
    summary: "Refuse all calls of an organization's keys.",
    example: 'org suspend org-1',
    run: setSuspended(true),
  },
  {
    words: ['org', 'resume'],
    operands: ['ORG_ID'],
    options: {},
    summary: 'Let a suspended organization call again.',
    example: 'org resume org-1',
    run: setSuspended(false),
  },
  {
    words: ['org', 'show'],
    operands: ['ORG_ID'],
    options: {},
    summary: "Show an organization's terms and balance.",
    example: 'org show org-1',
    async run(input) {
      const org = await input.operator().call('GET', orgPath(input));
      return { json: org, text: formatFields(org) };
    },
  },
];

const moneyCommands: readonly Command[] = [
  {
    words: ['org', 'terms'],
    operands: ['ORG_ID'],
    options: { ...termOptions, seats: { value: 'NUMBER', summary: 'How many members it has room for.' } },
    summary: 'Change how an organization is billed, and its seats.',
    example: 'org terms org-1 --plan monthly --line 1000',
    async run(input) {
      const body = { ...terms(input), ...seats(input) };
      if (Object.keys(body).length === 0) throw new UsageError('Say --plan, --line or --seats.');
      const org = await input.operator().call('PATCH', orgPath(input), body);
      return { json: org, text: formatFields(org) };
    },
  },
  {
    words: ['org', 'credit'],
    operands: ['ORG_ID', 'AMOUNT'],
    options: creditOptions,
    summary: 'Add USD to the balance of an organization.',
    example: 'org credit org-1 100 --note "invoice 8" --reference wire-8',
    async run(input) {
      const account = await giveCredit(input, orgPath(input));
      return { json: account, text: formatFields(account) };
    },
  },
  {
    words: ['org', 'key'],
    operands: ['ORG_ID', 'USER_ID'],
    options: { name: { value: 'TEXT', summary: 'What the key is for.', isRequired: true }, type: keyTypeOption },
    summary: 'Create a key that the organization pays for, for one of its members.',
    example: 'org key org-1 usr-1 --name build-server',
    async run(input) {
      const { name, type: keyType = 'standard' } = input.options;
      const body = { name, keyType, userId: await userIdOf(input, operand(input, 'USER_ID')) };
      const key = await input.operator().call('POST', `${orgPath(input)}/keys`, body);
      return { json: key, text: `${formatFields(key)}\n\nThe key is shown this once.` };
    },
  },
  {
    words: ['org', 'statement'],
    operands: ['ORG_ID', 'MONTH'],
    options: {},
    summary: 'Show what an organization owes for a month, YYYY-MM.',
    example: 'org statement org-1 2026-02',
    async run(input) {
      const statement = await input.operator().call('GET', `${orgPath(input)}/statements${statementQuery(input)}`);
      return { json: statement, text: statementText(statement) };
    },
  },
  {
    words: ['org', 'paid'],
    operands: ['ORG_ID', 'MONTH'],
    options: {
      reference: { value: 'TEXT', summary: 'Names the payment; the same one counts once.', isRequired: true },
      note: { value: 'TEXT', summary: 'Kept with the entry.' },
    },
    summary: "Mark a month's statement as paid.",
    example: 'org paid org-1 2026-02 --reference wire-9',
    async run(input) {
      const { reference, note } = input.options;
      const path = `${orgPath(input)}/statements/${encodeURIComponent(operand(input, 'MONTH'))}/paid`;
      const body = { reference, ...(note === undefined ? {} : { note }) };
      const statement = await input.operator().call('POST', path, body);
      return { json: statement, text: statementText(statement) };
    },
  },
];

export const orgCommands: readonly Command[] = [...openingCommands, ...moneyCommands];
