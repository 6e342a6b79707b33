// The emergency brake over everybody's spending. A value of 0 stops all calls, so none of its figures has a default
// here.

import { type Command, type CommandInput, checkedAmount, UsageError } from '../command.ts';
import { formatFields } from '../table.ts';

const PATH = '/admin/v1/brake';
const UNWATCHED = 'none';

/** The gateway takes numbers, and null for a window that is not watched. */
function limit(input: CommandInput, name: string): number | null | undefined {
  const text = input.options[name];
  if (text === undefined) return undefined;
  return text === UNWATCHED ? null : Number(checkedAmount(`--${name}`, text, 0n));
}

export const brakeCommands: readonly Command[] = [
  {
    words: ['brake', 'show'],
    operands: [],
    options: {},
    summary: "Show the emergency brake over everybody's spending.",
    example: 'brake show',
    async run(input) {
      const brake = await input.operator().call('GET', PATH);
      return { json: brake, text: formatFields(brake) };
    },
  },
  {
    words: ['brake', 'set'],
    operands: [],
    options: {
      enabled: { value: 'yes|no', summary: 'Whether the brake is on.', choices: ['yes', 'no'] },
      minute: {
        value: 'USD',
        summary: `What all may spend in a minute; ${UNWATCHED} for no limit, 0 stops all calls.`,
      },
      hour: { value: 'USD', summary: 'What all may spend in an hour; the same.' },
    },
    summary: 'Change the emergency brake.',
    example: 'brake set --enabled yes --minute 50 --hour 600',
    async run(input) {
      const { enabled } = input.options;
      const changes = {
        enabled: enabled === undefined ? undefined : enabled === 'yes',
        minuteUsd: limit(input, 'minute'),
        hourUsd: limit(input, 'hour'),
      };
      if (Object.values(changes).every((value) => value === undefined)) {
        throw new UsageError('Say --enabled, --minute or --hour.');
      }
      const brake = await input.operator().call('PATCH', PATH, changes);
      return { json: brake, text: formatFields(brake) };
    },
  },
];
