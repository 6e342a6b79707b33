// Whether the books balance, and what the gateway paid itself because nobody could be charged.

import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { absorbedQuery, checkLedger } from '../../../api/operator/system.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { formatCount, formatUsd } from '../../../ui/format.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { ExposureCard } from './exposure-card.tsx';

export function LedgerPage() {
  return (
    <Page title="Ledger" description="Every balance, recomputed from every entry; and cost that nobody paid.">
      <CheckCard />
      <ExposureCard />
      <AbsorbedCard />
    </Page>
  );
}

function CheckCard() {
  const check = useMutation({ mutationFn: checkLedger });
  return (
    <Card
      title="Check"
      description="Reads the whole ledger. On a large one this takes a while."
      actions={
        <Button kind="primary" isBusy={check.isPending} onClick={() => check.mutate()}>
          Check the ledger
        </Button>
      }
    >
      <ErrorNotice error={check.error} />
      {check.data !== undefined && (
        <div className="grid gap-4">
          {check.data.ok ? (
            <Notice tone="good">The books balance.</Notice>
          ) : (
            <Notice tone="warn">
              <p>The books do not balance:</p>
              <ul className="mt-1 list-disc pl-5">
                {check.data.discrepancies.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </Notice>
          )}
          <Facts
            facts={[
              ['Accounts', formatCount(check.data.accounts)],
              ['Entries', formatCount(check.data.entries)],
              ['Reservations held now', formatCount(check.data.heldReservations)],
            ]}
          />
        </div>
      )}
    </Card>
  );
}

const COLUMNS = [
  { label: 'User' },
  { label: 'Absorbed', isNumber: true },
  { label: 'Calls', isNumber: true },
  { label: 'Why' },
];

function AbsorbedCard() {
  const query = useQuery(absorbedQuery);
  return (
    <Card title="Absorbed cost" description="What calls cost that nobody could be charged for." isFlush>
      <QueryView query={query}>
        {({ totalUsd, users }) => (
          <>
            <p className="px-5 pb-4 text-sm">
              {users.length === 0 && 'Nothing so far: every call was charged to somebody. '}
              In all <span className="font-semibold tabular-nums">{formatUsd(totalUsd)}</span>
            </p>
            {users.length > 0 && (
              <Table label="Absorbed cost by user" columns={COLUMNS}>
                {users.map(({ userId, absorbedUsd, calls, models }) => (
                  <tr key={userId}>
                    <Cell>
                      <Link to="/operator/users/$userId" params={{ userId }} className={textLinkClass}>
                        {userId}
                      </Link>
                    </Cell>
                    <Cell isNumber>{formatUsd(absorbedUsd)}</Cell>
                    <Cell isNumber>{formatCount(calls)}</Cell>
                    <Cell className="text-xs">
                      {models.map(({ reason, model, absorbedUsd: usd }) => (
                        <span key={`${reason} ${model}`} className="block">
                          {`${reason.replaceAll('_', ' ')} ${formatUsd(usd)}${model === null ? '' : ` on ${model}`}`}
                        </span>
                      ))}
                    </Cell>
                  </tr>
                ))}
              </Table>
            )}
          </>
        )}
      </QueryView>
    </Card>
  );
}
