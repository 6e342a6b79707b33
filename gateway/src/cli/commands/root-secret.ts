// How far the change of the root secret is. It fails for scripts while the previous one is still needed.

import type { Command } from '../command.ts';
import { formatFields, formatTable, type Row } from '../table.ts';

type Status = Readonly<{
  isPreviousNeeded: boolean;
  secrets: readonly Row[];
  processes: readonly Row[];
  sealedAnew: readonly Row[];
}>;

export const rootSecretCommands: readonly Command[] = [
  {
    words: ['secret', 'status'],
    operands: [],
    options: {},
    summary: 'Show how far the change of the root secret is, and whether the previous one can be removed.',
    example: 'secret status',
    async run(input) {
      const answer = (await input.operator().call('GET', '/admin/v1/secret')) as Status;
      const { secrets, processes, sealedAnew, ...rest } = answer;
      const parts = [formatFields(rest), formatTable(['id', 'announcedAt', 'isUsed'], secrets)];
      parts.push(formatTable(['id', 'startedAt', 'startedWith', 'sealsWith'], processes));
      if (sealedAnew.length > 0) {
        parts.push(formatTable(['name', 'isDone', 'seen', 'sealed', 'unreadable'], sealedAnew));
      }
      return { json: answer, text: parts.join('\n\n'), isFailure: answer.isPreviousNeeded };
    },
  },
];
