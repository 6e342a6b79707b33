// The ledger's own audit: recomputes every balance from the entries and fails, for scripts too, on any difference.

import { type Command, CommandError } from '../command.ts';
import { queryText } from '../query-text.ts';
import { formatFields } from '../table.ts';

type LedgerCheckAnswer = Readonly<{ ok: boolean; discrepancies: readonly unknown[] }>;

function isLedgerCheck(value: unknown): value is LedgerCheckAnswer {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'ok' in value && typeof value.ok === 'boolean' && 'discrepancies' in value && Array.isArray(value.discrepancies)
  );
}

export const ledgerCommands: readonly Command[] = [
  {
    words: ['ledger', 'check'],
    operands: [],
    options: { month: { value: 'MONTH', summary: 'This closed month, YYYY-MM, by itself.' } },
    summary: 'Recompute all balances from the journal, or a closed month.',
    example: 'ledger check --month 2026-10',
    async run(input) {
      const check = await input.operator().call('GET', `/admin/v1/ledger/check${queryText(input, ['month'])}`);
      if (!isLedgerCheck(check)) throw new CommandError('The gateway answered something that is no ledger check.');
      const found = check.discrepancies.map((it) => (typeof it === 'string' ? it : JSON.stringify(it)));
      return { json: check, text: [formatFields(check), ...found].join('\n'), isFailure: !check.ok };
    },
  },
];
