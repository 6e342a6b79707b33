// The ledger's self-check, which also fails for scripts on any difference, and closed months: checked by themselves,
// from the database or from the file that they were archived to.

import { type Command, CommandError, type CommandInput, type CommandResult, UsageError } from '../command.ts';
import { type FileSums, readJournalFile, writeJournalFile } from '../journal-file.ts';
import { queryOf, queryText } from '../query-text.ts';
import { formatFields, formatTable } from '../table.ts';

type LedgerCheckAnswer = Readonly<{ ok: boolean; discrepancies: readonly unknown[] }>;

function isLedgerCheck(value: unknown): value is LedgerCheckAnswer {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'ok' in value && typeof value.ok === 'boolean' && 'discrepancies' in value && Array.isArray(value.discrepancies)
  );
}

async function check(input: CommandInput): Promise<CommandResult> {
  const { month, file } = input.options;
  if (file !== undefined) {
    if (month === undefined) throw new UsageError('--file needs --month.');
    return checkFile(input, month, file);
  }
  const answer = await input.operator().call('GET', `/admin/v1/ledger/check${queryText(input, ['month', 'full'])}`);
  if (!isLedgerCheck(answer)) throw new CommandError('The gateway answered something that is no ledger check.');
  const found = answer.discrepancies.map((it) => (typeof it === 'string' ? it : JSON.stringify(it)));
  return { json: answer, text: [formatFields(answer), ...found].join('\n'), isFailure: !answer.ok };
}

type Month = Readonly<{ month: string; entries: number; sealedAt: string; archiveSha256: string | null }>;
type Checkpoint = Readonly<Record<keyof FileSums, string>> & Readonly<{ accountId: string }>;

async function months(input: CommandInput): Promise<readonly Month[]> {
  const answer = await input.operator().call('GET', '/admin/v1/ledger/months');
  return (answer as { months: readonly Month[] }).months;
}

/** Checks the file against its digest, and account by account against the checkpoints of the month. */
async function checkFile(input: CommandInput, month: string, path: string): Promise<CommandResult> {
  const known = (await months(input)).find((it) => it.month === month);
  if (known === undefined) throw new CommandError(`${month} is not sealed.`);
  const { sha256, entries, sums } = await readJournalFile(path);
  const discrepancies: string[] = [];
  if (known.archiveSha256 !== null && known.archiveSha256 !== sha256) {
    discrepancies.push(`the file has the digest ${sha256}, the month was archived with ${known.archiveSha256}`);
  }
  if (known.entries !== entries) {
    discrepancies.push(`the file has ${entries} entries, the month was sealed with ${known.entries}`);
  }
  const left = new Map(sums);
  let afterId: string | null = null;
  do {
    const path = `/admin/v1/ledger/months/${month}/checkpoints${queryOf({ after: afterId })}`;
    const page = (await input.operator().call('GET', path)) as {
      checkpoints: readonly Checkpoint[];
      next: string | null;
    };
    for (const { accountId, ...kept } of page.checkpoints) {
      const own = left.get(accountId);
      left.delete(accountId);
      for (const name of Object.keys(kept) as (keyof FileSums)[]) {
        if (`${own?.[name] ?? 0n}` === kept[name]) continue;
        discrepancies.push(`account ${accountId}: ${name} is ${kept[name]}, the file says ${own?.[name] ?? 0n}`);
      }
    }
    afterId = page.next;
  } while (afterId !== null);
  for (const accountId of left.keys()) discrepancies.push(`account ${accountId}: is in the file and has no checkpoint`);
  const json = { ok: discrepancies.length === 0, month, entries, accounts: sums.size, sha256, discrepancies };
  return { json, text: [formatFields(json), ...discrepancies].join('\n'), isFailure: !json.ok };
}

async function* pagesOf(input: CommandInput, month: string): AsyncGenerator<readonly string[]> {
  let afterId: string | null = null;
  do {
    const path = `/admin/v1/ledger/months/${month}/entries${queryOf({ after: afterId })}`;
    const page = (await input.operator().call('GET', path)) as { lines: readonly string[]; next: string | null };
    yield page.lines;
    afterId = page.next;
  } while (afterId !== null);
}

/** Writes the file, reads it again, and makes the database remove what the file has. An existing file is used. */
async function archive(input: CommandInput): Promise<CommandResult> {
  const { month = '', file = `tollgate-journal-${month}.jsonl.gz` } = input.options;
  const known = (await months(input)).find((it) => it.month === month);
  if (known === undefined) throw new CommandError(`${month} is not sealed.`);
  // An archiving that was interrupted is continued: some entries are only in the file by then.
  if (known.archiveSha256 === null) await writeJournalFile(file, pagesOf(input, month));
  const { sha256, entries } = await readJournalFile(file);
  let removed = 0;
  for (let isDone = false; !isDone; ) {
    const path = `/admin/v1/ledger/months/${month}/archive`;
    const answer = (await input.operator().call('POST', path, { sha256 })) as { removed: number; isDone: boolean };
    removed += answer.removed;
    isDone = answer.isDone;
  }
  const json = { month, file, entries, removedCharges: removed, sha256 };
  return { json, text: formatFields(json) };
}

const month = { value: 'MONTH', summary: 'This closed month, YYYY-MM.' };

export const ledgerCommands: readonly Command[] = [
  {
    words: ['ledger', 'check'],
    operands: [],
    options: {
      month,
      file: { value: 'FILE', summary: 'From the file that the month was archived to.' },
      full: { summary: 'Everything since the last sealed month, however much that is.' },
    },
    summary: 'Recompute all balances from the journal, or a closed month.',
    example: 'ledger check --month 2026-10',
    run: check,
  },
  {
    words: ['ledger', 'months'],
    operands: [],
    options: {},
    summary: 'List the months of the journal that are sealed, and those that are archived.',
    example: 'ledger months',
    async run(input) {
      const rows = await months(input);
      return { json: { months: rows }, text: formatTable(['month', 'entries', 'sealedAt', 'archiveSha256'], rows) };
    },
  },
  {
    words: ['ledger', 'archive'],
    operands: [],
    options: {
      month: { ...month, isRequired: true },
      file: { value: 'FILE', summary: 'Where to; tollgate-journal-MONTH.jsonl.gz by default.' },
    },
    summary: 'Move the charges of a closed month to a file, the oldest month first.',
    example: 'ledger archive --month 2025-01',
    run: archive,
  },
];
