// Why a call cost what it cost: its tries, its price, the lines that add up to it and the entries in the ledger.

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type Explanation, explainGeneration } from '../../../api/operator/system.ts';
import { OPERATOR_KEY } from '../../../api/operator/token.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { formatCount, formatDateTime, formatDuration } from '../../../ui/format.ts';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { RefundButton } from '../desk/refund-button.tsx';
import { SearchForm } from '../search-form.tsx';

export function Explain() {
  const { id = '' } = useSearch({ from: '/operator/explain' });
  const navigate = useNavigate();
  return (
    <Page title="Explain" description="Why a call cost what it cost, step by step.">
      <SearchForm
        key={id}
        label="Generation id"
        text={id}
        onSearch={(text) => void navigate({ to: '/operator/explain', search: { id: text } })}
      />
      {id !== '' && <Found key={id} id={id} />}
    </Page>
  );
}

function Found({ id }: Readonly<{ id: string }>) {
  const query = useQuery({ queryKey: [OPERATOR_KEY, 'explain', id], queryFn: () => explainGeneration(id) });
  return <QueryView query={query}>{(explanation) => <Steps explanation={explanation} />}</QueryView>;
}

/** What comes by the thousand is priced by the million, as price lists are. */
function rateText({ what, perMillionUsd, unitUsd }: Explanation['lines'][number]): string {
  if (perMillionUsd === null || unitUsd === null) return '–';
  return /token|character/.test(what) ? `${perMillionUsd} per million` : `${unitUsd} each`;
}

function Refund({ explanation: { id, entries, chargedUsd } }: Readonly<{ explanation: Explanation }>) {
  if (entries.some(({ kind }) => kind === 'refund')) return <Badge tone="neutral">refunded</Badge>;
  return entries.length === 0 ? null : <RefundButton id={id} chargedUsd={chargedUsd} />;
}

function Steps({ explanation }: Readonly<{ explanation: Explanation }>) {
  const { price } = explanation;
  return (
    <>
      <Card title="The call" actions={<Refund explanation={explanation} />}>
        <Facts
          facts={[
            ['At', formatDateTime(explanation.createdAt)],
            ['Model', explanation.model],
            ['Served by', `${explanation.provider}, ${explanation.upstreamModel}`],
            [
              'User',
              <Link
                key="user"
                to="/operator/users/$userId"
                params={{ userId: explanation.userId }}
                className={textLinkClass}
              >
                {explanation.userId}
              </Link>,
            ],
            [
              'Key',
              <Link key="key" to="/operator/calls" search={{ key: explanation.keyId }} className={textLinkClass}>
                {explanation.keyId}
              </Link>,
            ],
            [
              'Tokens',
              `${formatCount(explanation.tokens.prompt)} in, ${formatCount(explanation.tokens.completion)} out`,
            ],
            ['Took', formatDuration(explanation.durationMs)],
            ['Cost', `$${explanation.costUsd}`],
            ['Charged', `$${explanation.chargedUsd}`],
            [
              'Absorbed',
              `$${explanation.absorbedUsd}${explanation.absorbedReason === null ? '' : `, ${explanation.absorbedReason}`}`,
            ],
          ]}
        />
      </Card>
      <Card title="How the price makes the cost" isFlush>
        <Table
          label="Lines of the cost"
          columns={[
            { label: 'What' },
            { label: 'Units', isNumber: true },
            { label: 'Rate, USD', isNumber: true },
            { label: 'USD', isNumber: true },
          ]}
        >
          {explanation.lines.map((line) => (
            <tr key={line.what}>
              <Cell>{line.what}</Cell>
              <Cell isNumber>{formatCount(line.units)}</Cell>
              <Cell isNumber>{rateText(line)}</Cell>
              <Cell isNumber>{line.usd}</Cell>
            </tr>
          ))}
        </Table>
        <p className="px-5 py-4 text-sm text-quiet">
          {price === null
            ? 'Nothing was charged.'
            : `Price list ${price.version}, first used ${formatDateTime(price.firstUsedAt)}.`}
        </p>
      </Card>
      <Card title="Tries" isFlush>
        <Table
          label="Tries"
          columns={[
            { label: 'Route' },
            { label: 'Outcome' },
            { label: 'Status', isNumber: true },
            { label: 'Took', isNumber: true },
          ]}
        >
          {explanation.attempts.map((attempt, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tries have no identity but their order.
            <tr key={index}>
              <Cell>{`${attempt.provider}, ${attempt.upstreamModel}`}</Cell>
              <Cell>{attempt.outcome.replaceAll('_', ' ')}</Cell>
              <Cell isNumber>{attempt.status}</Cell>
              <Cell isNumber>{formatDuration(attempt.durationMs)}</Cell>
            </tr>
          ))}
        </Table>
      </Card>
      <Card title="Ledger entries" isFlush>
        <Table
          label="Ledger entries"
          columns={[{ label: 'Kind' }, { label: 'From' }, { label: 'To' }, { label: 'USD', isNumber: true }]}
        >
          {explanation.entries.map((entry) => (
            <tr key={entry.id}>
              <Cell>{entry.kind}</Cell>
              <Cell className="font-mono text-xs">{entry.from}</Cell>
              <Cell className="font-mono text-xs">{entry.to}</Cell>
              <Cell isNumber>{entry.amountUsd}</Cell>
            </tr>
          ))}
        </Table>
      </Card>
    </>
  );
}
