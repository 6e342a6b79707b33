// Whether the books balance, and absorbed cost.

import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { absorbedQuery, checkLedger } from '../../../api/operator/system.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { formatCount, formatUsd } from '../../../ui/format.ts';
import { Moment } from '../../../ui/moment.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { UserLink } from '../user-link.tsx';
import { readDiscrepancy } from './discrepancy.ts';
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
      description="Checks every balance, and the entries that no check has read yet. A check of everything since the last sealed month takes a while on a large ledger."
      actions={
        <div className="flex flex-wrap gap-2">
          <Button isBusy={check.isPending && check.variables} onClick={() => check.mutate(true)}>
            Check everything
          </Button>
          <Button kind="primary" isBusy={check.isPending && !check.variables} onClick={() => check.mutate(false)}>
            Check the ledger
          </Button>
        </div>
      }
    >
      <ErrorNotice error={check.error} />
      {check.data !== undefined && (
        <div className="grid gap-4">
          {check.data.ok ? (
            <Notice tone="good">The books balance.</Notice>
          ) : (
            <Discrepancies lines={check.data.discrepancies} />
          )}
          <Facts
            facts={[
              ['Accounts', formatCount(check.data.accounts)],
              ['Entries', formatCount(check.data.entries)],
              ['Read by earlier checks', formatCount(check.data.entriesBefore ?? 0)],
              ['Reservations held now', formatCount(check.data.heldReservations)],
              [
                'Everything was checked',
                check.data.everythingAt ? <Moment key="at" at={check.data.everythingAt} /> : 'not yet',
              ],
            ]}
          />
        </div>
      )}
    </Card>
  );
}

function Discrepancies({ lines }: Readonly<{ lines: readonly string[] }>) {
  return (
    <div className="grid gap-3">
      <Notice tone="warn">
        <p>{`The books do not balance: ${formatCount(lines.length)} ${lines.length === 1 ? 'difference' : 'differences'}.`}</p>
        <p>Nothing was changed. Credit can be corrected on the page of each account, with a reason.</p>
      </Notice>
      <Table label="Differences" columns={[{ label: 'Where' }, { label: 'What differs' }]}>
        {lines.map((line) => {
          const { kind, id, words } = readDiscrepancy(line);
          return (
            <tr key={line}>
              <Cell className="break-all">
                <Where kind={kind} id={id} />
              </Cell>
              <Cell>{words}</Cell>
            </tr>
          );
        })}
      </Table>
    </div>
  );
}

function Where({ kind, id }: Readonly<{ kind: string; id: string }>) {
  const text = `${kind} ${id}`.trim();
  if (kind === 'account' && id.startsWith('org-')) {
    return (
      <Link to="/operator/orgs/$orgId" params={{ orgId: id }} className={textLinkClass}>
        {text}
      </Link>
    );
  }
  if (kind === 'account') {
    return (
      <Link to="/operator/users/$userId" params={{ userId: id }} className={textLinkClass}>
        {text}
      </Link>
    );
  }
  if (kind === 'generation' || kind === 'reservation') {
    return (
      <Link to="/operator/explain" search={{ id }} className={textLinkClass}>
        {text}
      </Link>
    );
  }
  return text;
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
              {users.length === 0 && 'Nothing so far. '}
              In all <span className="font-semibold tabular-nums">{formatUsd(totalUsd)}</span>
            </p>
            {users.length > 0 && (
              <Table label="Absorbed cost by user" columns={COLUMNS}>
                {users.map(({ userId, absorbedUsd, calls, models }) => (
                  <tr key={userId}>
                    <Cell>
                      <UserLink userId={userId}>{userId}</UserLink>
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
