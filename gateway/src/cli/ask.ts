// Questions at a terminal, and the one that every change of the catalog asks first. Questions go to standard error:
// standard output is for the result.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Ask, CommandError, type CommandInput, isSaid } from './command.ts';

export function createAsk(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Ask {
  const ask = async (question: string, isShown: boolean): Promise<string> => {
    if (!isShown) output.write(question);
    // readline itself echoes what is typed; for a secret it echoes into nothing.
    const echo = isShown ? output : new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input, output: echo, terminal: true });
    // Interrupting a question ends the command.
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    try {
      return (await lines.question(isShown ? question : '')).trim();
    } finally {
      lines.close();
      if (!isShown) output.write('\n');
    }
  };
  return {
    line: (question) => ask(question, true),
    secret: (question) => ask(question, false),
  };
}

type Proposal = Readonly<{ changes: readonly string[]; removals: readonly string[] }>;

/**
 * Whether a change is wanted: `--yes`, or the answer to a question. Without a terminal a change that removes nothing is
 * made, and one that removes something is refused.
 */
export async function isWanted(input: CommandInput, { changes, removals }: Proposal): Promise<boolean> {
  if (isSaid(input, 'yes')) return true;
  if (input.ask === null) {
    if (removals.length === 0) return true;
    const shown = removals.slice(0, 20).map((line) => `  ${line}`);
    const more = removals.length > shown.length ? [`  and ${removals.length - shown.length} more`] : [];
    throw new CommandError(
      ['Nothing was changed: this would take something away, and --yes was not said.', ...shown, ...more].join('\n'),
    );
  }
  input.tell(changes.join('\n'));
  const answer = await input.ask.line(removals.length === 0 ? 'Apply this? [y/N] ' : removalQuestion(removals.length));
  return /^y(es)?$/i.test(answer);
}

const removalQuestion = (count: number): string =>
  `${count === 1 ? 'One of these changes takes' : `${count} of these changes take`} something away. Apply? [y/N] `;
