// Upkeep of usage: the sums that every report is read from, and the records that they were made from.

import { type Command, operand } from '../command.ts';
import { formatFields } from '../table.ts';

export const usageCommands: readonly Command[] = [
  {
    words: ['usage', 'rebuild'],
    operands: [],
    options: {
      from: { value: 'YYYY-MM-DD', summary: 'The first day.', isRequired: true },
      to: { value: 'YYYY-MM-DD', summary: 'The last day.', isRequired: true },
    },
    summary: 'Make the sums of usage again from the records of calls.',
    async run(input) {
      const { from, to } = input.options;
      const rebuilt = await input.operator().call('POST', '/admin/v1/usage/rebuild', { from, to });
      return { json: rebuilt, text: formatFields(rebuilt) };
    },
  },
  {
    words: ['usage', 'drop'],
    operands: ['MONTH'],
    options: {},
    summary: 'Drop the records of calls before a month, YYYY-MM, for ever. Sums stay.',
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
