// Usage as the operator sees and maintains it: what calls cost at the providers, absorbed cost, the sums that reports
// are read from, and the records that they were made from.

import { dayStartMs, daysFrom } from '../../canonical/calendar.ts';
import type { UpstreamCostsAnswer } from '../../contract/explanation.ts';
import type { AbsorbedAnswer, RebuildAnswer } from '../../contract/usage.ts';
import { type Command, CommandError, type CommandInput, type CommandResult, operand, UsageError } from '../command.ts';
import { queryText } from '../query-text.ts';
import { formatFields, formatTable } from '../table.ts';

const spanOptions: Command['options'] = {
  from: { value: 'YYYY-MM-DD', summary: 'The first day.', isRequired: true },
  to: { value: 'YYYY-MM-DD', summary: 'The last day.', isRequired: true },
};

function daysOf(input: CommandInput): string[] {
  const given = ['from', 'to'].map((name) => {
    const day = input.options[name] ?? '';
    if (dayStartMs(day) === null) throw new UsageError(`--${name} is a date, YYYY-MM-DD, not ${day}.`);
    return day;
  });
  const [first = '', last = ''] = given;
  if (last < first) throw new UsageError('--to must not be before --from.');
  return [...daysFrom(first, last)];
}

/** One request for each day: no request is long, progress can be shown, and finished days stay done. */
async function rebuild(input: CommandInput): Promise<CommandResult> {
  const days = daysOf(input);
  const operator = input.operator();
  let correctedRows = 0;
  for (const [index, day] of days.entries()) {
    input.progress.step('Making sums again', index, days.length);
    const answer = await operator.call('POST', '/admin/v1/usage/rebuild', { from: day, to: day }).catch((cause) => {
      if (!(cause instanceof CommandError) || index === 0) throw cause;
      throw new CommandError(`${cause.message}\nThe days before ${day} are done.`, { cause });
    });
    correctedRows += (answer as RebuildAnswer).correctedRows;
  }
  const result: RebuildAnswer = { days: days.length, correctedRows };
  return { json: result, text: formatFields(result) };
}

function absorbedText({ totalUsd, users }: AbsorbedAnswer): string {
  const rows = users.flatMap(({ userId, models }) => models.map((part) => ({ user: userId, ...part })));
  if (rows.length === 0) return 'Every call was paid for.';
  const table = formatTable(['user', 'reason', 'model', 'absorbedUsd', 'calls'], rows);
  return `${table}\n\nNobody paid ${totalUsd} USD in all.`;
}

const COST_COLUMNS = ['date', 'provider', 'upstreamModel', 'requests', 'tokens', 'upstreamUsd', 'chargedUsd'];

export const usageCommands: readonly Command[] = [
  {
    words: ['usage', 'costs'],
    operands: [],
    options: { ...spanOptions, provider: { value: 'NAME', summary: 'Of this provider alone.' } },
    summary: 'Show what calls cost by day, provider and upstream model.',
    example: 'usage costs --from 2026-02-01 --to 2026-02-28',
    async run(input) {
      const path = `/admin/v1/upstream-costs${queryText(input, ['from', 'to', 'provider'])}`;
      const answer = (await input.operator().call('GET', path)) as UpstreamCostsAnswer;
      const text = answer.costs.length === 0 ? 'There were no calls.' : formatTable(COST_COLUMNS, answer.costs);
      return { json: answer, text };
    },
  },
  {
    words: ['usage', 'absorbed'],
    operands: [],
    options: {},
    summary: 'Show absorbed cost, which nobody paid, by user, reason and model.',
    example: 'usage absorbed',
    async run(input) {
      const answer = (await input.operator().call('GET', '/admin/v1/absorbed')) as AbsorbedAnswer;
      return { json: answer, text: absorbedText(answer) };
    },
  },
  {
    words: ['usage', 'rebuild'],
    operands: [],
    options: spanOptions,
    summary: 'Make the sums of usage again from the records of calls, day by day.',
    example: 'usage rebuild --from 2026-02-01 --to 2026-02-28',
    run: rebuild,
  },
  {
    words: ['usage', 'drop'],
    operands: ['MONTH'],
    options: {},
    summary: 'Drop the records of calls before a month, YYYY-MM, forever. Sums stay.',
    example: 'usage drop 2025-06',
    async run(input) {
      const before = operand(input, 'MONTH');
      const answer = await input.operator().call('POST', '/admin/v1/usage/drop-months', { before });
      return { json: answer, text: `Dropped: ${droppedOf(answer).join(', ') || 'nothing'}.` };
    },
  },
];

function droppedOf(answer: unknown): readonly string[] {
  if (typeof answer !== 'object' || answer === null || !('dropped' in answer)) return [];
  return Array.isArray(answer.dropped) ? answer.dropped.map(String) : [];
}
