// How far the change of the root secret is, and what to do next. Secrets are named by ids that reveal nothing of them.

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type RootSecret, rootSecretQuery } from '../../../api/operator/system.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Moment } from '../../../ui/moment.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Stat, StatRow } from '../../../ui/stat.tsx';
import { Cell, Table } from '../../../ui/table.tsx';

export function RootSecretPage() {
  const query = useQuery(rootSecretQuery);
  return (
    <Page
      title="Root secret"
      description="Everything that is encrypted here is encrypted with TOLLGATE_SECRET. It can be replaced while the gateways serve."
    >
      <QueryView query={query}>{(status) => <Status status={status} />}</QueryView>
    </Page>
  );
}

function Status({ status }: Readonly<{ status: RootSecret }>) {
  const isChanging = status.phase !== 'steady';
  return (
    <>
      <NextStep status={status} />
      {isChanging && <Progress status={status} />}
      <Processes status={status} />
      {isChanging && status.sealedAnew.length > 0 && <Places status={status} />}
    </>
  );
}

function Progress({ status }: Readonly<{ status: RootSecret }>) {
  const { processes, sealedAnew } = status;
  const done = sealedAnew.filter(({ isDone }) => isDone).length;
  const unreadable = sum(sealedAnew.map((column) => column.unreadable));
  return (
    <StatRow>
      <Stat
        label="Started with it"
        value={`${formatCount(startedWithIt(status))} of ${formatCount(processes.length)}`}
        note="Processes that have the secret of the one that answers."
      />
      {sealedAnew.length > 0 && (
        <>
          <Stat
            label="Gone through"
            value={`${formatCount(done)} of ${formatCount(sealedAnew.length)}`}
            note="Places where something encrypted is kept."
          />
          <Stat
            label="Encrypted anew"
            value={formatCount(sum(sealedAnew.map(({ sealed }) => sealed)))}
            note={`Of ${formatCount(sum(sealedAnew.map(({ seen }) => seen)))} rows looked at in this pass.`}
          />
          <Stat
            label="Unreadable"
            value={formatCount(unreadable)}
            note={unreadable === 0 ? 'Every row opens.' : 'No secret opens these rows, and none did before the change.'}
          />
        </>
      )}
    </StatRow>
  );
}

const startedWithIt = ({ processes, secretId }: RootSecret): number =>
  processes.filter(({ startedWith }) => startedWith === secretId).length;

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

function NextStep({ status }: Readonly<{ status: RootSecret }>): ReactNode {
  const { phase, previousId, processes } = status;
  if (phase === 'spreading') {
    return (
      <Notice tone="warn">
        A new secret is on its way, and the former is still in use.{' '}
        {startedWithIt(status) === processes.length
          ? 'Every process has it: it is taken into use within a minute.'
          : 'Restart the processes below that were started with another one, with the new secret as TOLLGATE_SECRET and the former as TOLLGATE_SECRET_PREVIOUS. It is taken into use within a minute after the last.'}
      </Notice>
    );
  }
  if (phase === 'sealing') {
    return (
      <Notice tone="warn">
        The new secret is in use, and what the former has encrypted is encrypted anew. Leave TOLLGATE_SECRET_PREVIOUS as
        it is until this page says that it can go.
      </Notice>
    );
  }
  if (previousId !== null) {
    return (
      <Notice tone="good">
        Nothing needs the former secret any more: remove TOLLGATE_SECRET_PREVIOUS, at the next restart or whenever you
        like. Keep it with backups from before the change.
      </Notice>
    );
  }
  return (
    <Notice>
      One secret is in use. To replace it, take a backup, make another with{' '}
      <code className="whitespace-nowrap">openssl rand -base64 32</code>, and restart the processes one after the other
      with it as TOLLGATE_SECRET and the present one as TOLLGATE_SECRET_PREVIOUS.
    </Notice>
  );
}

const PROCESS_COLUMNS = [
  { label: 'Process' },
  { label: 'Started' },
  { label: 'Started with' },
  { label: 'Encrypts with' },
];

function Processes({ status: { processes, secretId } }: Readonly<{ status: RootSecret }>) {
  return (
    <Card title="Processes" isFlush>
      <Table label="Processes" columns={PROCESS_COLUMNS}>
        {processes.map((process) => (
          <tr key={process.id}>
            <Cell className="font-mono text-xs">{process.id}</Cell>
            <Cell>
              <Moment at={process.startedAt} />
            </Cell>
            <Cell>
              <SecretId id={process.startedWith} />{' '}
              {process.startedWith !== secretId && <Badge tone="warn">another secret</Badge>}
            </Cell>
            <Cell>
              <SecretId id={process.sealsWith} />
            </Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

const SecretId = ({ id }: Readonly<{ id: string | null }>) =>
  id === null ? <span className="text-quiet">not told yet</span> : <code className="font-mono text-xs">{id}</code>;

const PLACE_COLUMNS = [
  { label: 'Table and column' },
  { label: 'Looked at', isNumber: true },
  { label: 'Encrypted anew', isNumber: true },
  { label: 'Unreadable', isNumber: true },
  { label: 'State' },
];

function Places({ status: { sealedAnew } }: Readonly<{ status: RootSecret }>) {
  return (
    <Card title="This pass" isFlush>
      <Table label="This pass" columns={PLACE_COLUMNS}>
        {sealedAnew.map(({ name, seen, sealed, unreadable, isDone }) => (
          <tr key={name}>
            <Cell className="font-mono text-xs break-all">{name}</Cell>
            <Cell isNumber>{formatCount(seen)}</Cell>
            <Cell isNumber>{formatCount(sealed)}</Cell>
            <Cell isNumber>{formatCount(unreadable)}</Cell>
            <Cell>
              <Badge tone={isDone ? 'good' : 'accent'}>{isDone ? 'done' : 'under way'}</Badge>
            </Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
