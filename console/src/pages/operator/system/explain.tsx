// Why a call cost what it cost: its attempts, its price, the lines that add up to it and the entries in the ledger.

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type Explanation, explainGeneration } from '../../../api/operator/system.ts';
import { OPERATOR_KEY } from '../../../api/operator/token.ts';
import { isStudent, studentName } from '../../../api/students.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { formatCount, formatDuration } from '../../../ui/format.ts';
import { Moment } from '../../../ui/moment.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { CostTable } from '../../generations/cost-table.tsx';
import { exactUsd } from '../../generations/price-terms.ts';
import { Reviews } from '../../generations/reviews.tsx';
import { RefundButton } from '../desk/refund-button.tsx';
import { Allowed } from '../role.tsx';
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

function Refund({ explanation: { id, entries, chargedUsd, archived } }: Readonly<{ explanation: Explanation }>) {
  if (entries.some(({ kind }) => kind === 'refund')) return <Badge tone="neutral">refunded</Badge>;
  if (archived) return <Badge tone="neutral">archived</Badge>;
  if (entries.length === 0) return null;
  return (
    <Allowed least="support">
      <RefundButton id={id} chargedUsd={chargedUsd} />
    </Allowed>
  );
}

function whoFacts({ accountId, accountName, userId, userEmail, keyId, keyName }: Explanation): readonly Fact[] {
  const user: Fact = [
    'User',
    isStudent(userId) ? (
      studentName(userId)
    ) : (
      <Link key="user" to="/operator/users/$userId" params={{ userId }} className={textLinkClass}>
        {userEmail ?? userId}
      </Link>
    ),
  ];
  const key: Fact = [
    'Key',
    <Link key="key" to="/operator/calls" search={{ key: keyId }} className={textLinkClass}>
      {keyName ?? keyId}
    </Link>,
  ];
  if (accountId === userId) return [user, key];
  const payer: Fact = [
    'Paid by',
    <Link key="payer" to="/operator/orgs/$orgId" params={{ orgId: accountId }} className={textLinkClass}>
      {accountName ?? accountId}
    </Link>,
  ];
  return [user, payer, key];
}

/** A charge belongs to the month in which its call ended, or to the next. */
const unpricedWords = ({ archived, createdAt }: Explanation): string =>
  archived
    ? `The charge and its price are in the archive of ${createdAt.slice(0, 7)}, or of the month after: look for the id in its file. Such a call cannot be refunded; adjust the balance instead.`
    : 'Nothing was charged.';

function Steps({ explanation }: Readonly<{ explanation: Explanation }>) {
  const { price } = explanation;
  return (
    <>
      <Card title="The call" actions={<Refund explanation={explanation} />}>
        <Facts
          facts={[
            ['At', <Moment key="at" at={explanation.createdAt} />],
            [
              'Model',
              <Link key="model" to="/models/$slug" params={{ slug: explanation.model }} className={textLinkClass}>
                {explanation.model}
              </Link>,
            ],
            ['Served by', `${explanation.provider}, ${explanation.upstreamModel}`],
            ...whoFacts(explanation),
            [
              'Tokens',
              `${formatCount(explanation.tokens.prompt)} in, ${formatCount(explanation.tokens.completion)} out`,
            ],
            ['Took', formatDuration(explanation.durationMs)],
            ['Price', exactUsd(explanation.costUsd)],
            ['Charged', exactUsd(explanation.chargedUsd)],
            ['Cost', exactUsd(explanation.upstreamUsd)],
            ['Margin', exactUsd(explanation.marginUsd)],
            [
              'Absorbed',
              `${exactUsd(explanation.absorbedUsd)}${explanation.absorbedReason === null ? '' : `, ${explanation.absorbedReason}`}`,
            ],
          ]}
        />
      </Card>
      <Card title="How the price makes the cost" isFlush>
        {price === null ? (
          <p className="px-5 py-4 text-sm text-quiet">{unpricedWords(explanation)}</p>
        ) : (
          <>
            <CostTable lines={explanation.lines} terms={price} totalUsd={exactUsd(explanation.costUsd)} />
            <p className="px-5 pb-4 text-sm text-quiet">
              Price list <code className="font-mono text-xs break-all">{price.version}</code>, first used{' '}
              <Moment at={price.firstUsedAt} />.
            </p>
          </>
        )}
      </Card>
      <Card title="Attempts" isFlush>
        <Table
          label="Attempts"
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
      <Reviews reviews={explanation.reviews} />
      <Card title="Ledger entries" isFlush>
        {explanation.archived && (
          <p className="px-5 pt-4 text-sm text-quiet">The charge is not here any more: its month is archived.</p>
        )}
        <Table
          label="Ledger entries"
          columns={[
            { label: 'Kind' },
            { label: 'At' },
            { label: 'From' },
            { label: 'To' },
            { label: 'Amount', isNumber: true },
          ]}
        >
          {explanation.entries.map((entry) => (
            <tr key={entry.id}>
              <Cell>{entry.kind}</Cell>
              <Cell>
                <Moment at={entry.createdAt} />
              </Cell>
              <Cell className="font-mono text-xs">{entry.from}</Cell>
              <Cell className="font-mono text-xs">{entry.to}</Cell>
              <Cell isNumber>{exactUsd(entry.amountUsd)}</Cell>
            </tr>
          ))}
        </Table>
      </Card>
    </>
  );
}
