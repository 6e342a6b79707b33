// Changes the config document from the command line: shows the difference, asks, and then applies it to exactly the
// revision that was shown.

import type { AppliedConfig } from '../contract/config-revisions.ts';
import { isWanted } from './ask.ts';
import { type CommandInput, type CommandResult, isSaid } from './command.ts';

type ChangeQuery = Readonly<{
  dry_run: true | null;
  revision: number | null;
  note: string | null;
  author: string | null;
}>;

type ProposedChange = Readonly<{
  send(query: ChangeQuery): Promise<unknown>;
  isTrial: boolean;
  note: string | null;
}>;

export async function applyChange(input: CommandInput, change: ProposedChange): Promise<CommandResult> {
  const author = input.environment.USER ?? null;
  const shown = (await change.send({ dry_run: true, revision: null, note: null, author })) as AppliedConfig;
  if (change.isTrial || shown.changes.length === 0) return outcomeOf(shown);
  if (!(await isWanted(input, shown))) return { json: shown, text: 'Nothing was changed.', isFailure: true };
  // `--yes` agrees to the file, whatever is live; a person agrees to the difference that was shown.
  const revision = isSaid(input, 'yes') ? null : shown.revision;
  return outcomeOf((await change.send({ dry_run: null, revision, note: change.note, author })) as AppliedConfig);
}

function outcomeOf(applied: AppliedConfig): CommandResult {
  const { changes } = applied;
  if (changes.length === 0) return { json: applied, text: 'Applied; nothing differs.' };
  const last = applied.applied
    ? `Applied as revision ${applied.revision}.`
    : 'Nothing was changed: this was a dry run.';
  return { json: applied, text: [...changes, last].join('\n') };
}
