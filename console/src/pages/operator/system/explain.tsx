// Why a call cost what it cost: its tries, its price, the lines that add up to it and the entries in the ledger.

import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type Explanation, explainGeneration } from '../../../api/operator/system.ts';
import { OPERATOR_KEY } from '../../../api/operator/token.ts';
import { Card } from '../../../ui/card.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { formatCount, formatDateTime, formatDuration } from '../../../ui/format.ts';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
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

function Steps({ explanation }: Readonly<{ explanation: Explanation }>) {
  const { price } = explanation;
  return (
    <>
      <Card title="The call">
        <Facts
          facts={[
            ['At', formatDateTime(explanation.createdAt)],
            ['Model', explanation.model],
            ['Served by', `${explanation.provider}, ${explanation.upstreamModel}`],
            ['User', explanation.userId],
            ['Key', explanation.keyId],
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
          columns={[{ label: 'What' }, { label: 'Units', isNumber: true }, { label: 'USD', isNumber: true }]}
        >
          {explanation.lines.map(({ what, units, usd }) => (
            <tr key={what}>
              <Cell>{what}</Cell>
              <Cell isNumber>{formatCount(units)}</Cell>
              <Cell isNumber>{usd}</Cell>
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
