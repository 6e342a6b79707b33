// Batches with their progress, and the files that they are made from and have made.

import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { File, Layers } from 'lucide-react';
import { useState } from 'react';
import { batchesQuery, cancelBatch, filesQuery, type OwnBatch } from '../../api/batches.ts';
import { AccountSwitch, EVERY_ROLE } from '../../layout/account-switch.tsx';
import type { Coming } from '../../page-route.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatCount } from '../../ui/format.ts';
import { Meter } from '../../ui/meter.tsx';
import { Moment } from '../../ui/moment.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { Cell, Table } from '../../ui/table.tsx';

const BATCH_COLUMNS = [
  { label: 'Batch' },
  { label: 'Calls' },
  { label: 'State' },
  { label: 'Progress' },
  { label: 'Made' },
  { label: 'Cancel', isHidden: true },
];
const FILE_COLUMNS = [
  { label: 'File' },
  { label: 'Purpose' },
  { label: 'Bytes', isNumber: true },
  { label: 'Made' },
  { label: 'Removed' },
];

const TONES: Readonly<Record<string, Tone>> = {
  completed: 'good',
  failed: 'bad',
  expired: 'warn',
  cancelled: 'neutral',
};
const OPEN = ['validating', 'in_progress'];

export function ahead({ queryClient, search: { orgId } }: Coming): void {
  void queryClient.prefetchInfiniteQuery(batchesQuery(orgId));
  void queryClient.prefetchInfiniteQuery(filesQuery(orgId));
}

export function Batches() {
  const { orgId } = useSearch({ from: '/member/batches' });
  const navigate = useNavigate({ from: '/batches' });
  return (
    <Page
      title="Batches"
      description="Many calls at once, run within a day. Those that you made with your keys."
      actions={
        <AccountSwitch
          orgId={orgId}
          roles={EVERY_ROLE}
          onChange={(chosen) => void navigate({ search: { orgId: chosen }, replace: true })}
        />
      }
    >
      <BatchCard orgId={orgId} />
      <FileCard orgId={orgId} />
    </Page>
  );
}

function BatchCard({ orgId }: Readonly<{ orgId: string | undefined }>) {
  const query = useInfiniteQuery(batchesQuery(orgId));
  const [doomed, setDoomed] = useState<OwnBatch | null>(null);
  return (
    <Card title="Batches" isFlush>
      <QueryView query={query}>
        {({ pages }) => {
          const batches = pages.flatMap(({ data }) => data);
          return batches.length === 0 ? (
            <EmptyState icon={<Layers size={22} />} title="No batches yet">
              Make one with /v1/batches or /v1/messages/batches.
            </EmptyState>
          ) : (
            <>
              <Table label="Batches" columns={BATCH_COLUMNS}>
                {batches.map((batch) => (
                  <BatchRow key={batch.id} batch={batch} onCancel={() => setDoomed(batch)} />
                ))}
              </Table>
              <MoreButton list={query} verb="Show older ones" />
            </>
          );
        }}
      </QueryView>
      <CancelDialog doomed={doomed} orgId={orgId} onClose={() => setDoomed(null)} />
    </Card>
  );
}

function BatchRow({ batch, onCancel }: Readonly<{ batch: OwnBatch; onCancel: () => void }>) {
  return (
    <tr>
      <Cell>
        <ShortId id={batch.id} />
      </Cell>
      <Cell className="font-mono text-xs">{batch.endpoint}</Cell>
      <Cell>
        <Badge tone={TONES[batch.status] ?? 'accent'}>{batch.status.replace('_', ' ')}</Badge>
      </Cell>
      <Cell>
        {batch.problem === null ? (
          <Progress batch={batch} />
        ) : (
          <span className="text-sm text-bad">{batch.problem}</span>
        )}
        <Handed batch={batch} />
      </Cell>
      <Cell>
        <Moment at={batch.createdAt} />
      </Cell>
      <Cell className="text-right">
        {OPEN.includes(batch.status) && (
          <Button isSmall aria-label={`Cancel ${batch.id}`} onClick={onCancel}>
            Cancel
          </Button>
        )}
      </Cell>
    </tr>
  );
}

type CancelDialogProps = Readonly<{ doomed: OwnBatch | null; orgId: string | undefined; onClose: () => void }>;

function CancelDialog({ doomed, orgId, onClose }: CancelDialogProps) {
  const queryClient = useQueryClient();
  const cancel = useMutation({
    mutationFn: (id: string) => cancelBatch(id, orgId),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['batches'] });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title="Cancel the batch?"
      verb="Cancel the batch"
      no="Let it run"
      isOpen={doomed !== null}
      isBusy={cancel.isPending}
      error={cancel.error}
      onConfirm={() => doomed !== null && cancel.mutate(doomed.id)}
      onClose={() => {
        cancel.reset();
        onClose();
      }}
    >
      Calls that have not run yet will not run. What has been answered stays, and stays charged. This cannot be undone.
    </ConfirmDialog>
  );
}

function Progress({ batch }: Readonly<{ batch: OwnBatch }>) {
  const { id, lines, succeeded, failed } = batch;
  const done = succeeded + failed;
  const text = `${formatCount(done)} of ${formatCount(lines)}${failed === 0 ? '' : `, ${formatCount(failed)} failed`}`;
  return <Meter label={`Progress of ${id}`} used={done} limit={Math.max(lines, 1)} text={text} isProgress />;
}

/** Lines that run at a provider, and what they cost there. */
function Handed({ batch: { handed } }: Readonly<{ batch: OwnBatch }>) {
  if (handed.length === 0) return null;
  return (
    <ul className="mt-1 text-xs text-quiet">
      {handed.map(({ provider, model, lines, status, pricing }) => (
        <li key={`${provider} ${model} ${pricing?.prompt}`}>
          {`${formatCount(lines)} ${status === 'completed' ? 'run by' : 'handed to'} ${provider}`}
          {pricing !== null && `, $${pricing.prompt} in and $${pricing.completion} out per million tokens`}
        </li>
      ))}
    </ul>
  );
}

function FileCard({ orgId }: Readonly<{ orgId: string | undefined }>) {
  const query = useInfiniteQuery(filesQuery(orgId));
  return (
    <Card title="Files" description="Uploads and results, read with a key at /v1/files/ID/content." isFlush>
      <QueryView query={query}>
        {({ pages }) => {
          const files = pages.flatMap(({ data }) => data);
          return files.length === 0 ? (
            <EmptyState icon={<File size={22} />} title="No files">
              Upload one with /v1/files.
            </EmptyState>
          ) : (
            <>
              <Table label="Files" columns={FILE_COLUMNS}>
                {files.map((file) => (
                  <tr key={file.id}>
                    <Cell>{file.filename}</Cell>
                    <Cell>{file.purpose}</Cell>
                    <Cell isNumber>{formatCount(file.bytes)}</Cell>
                    <Cell>
                      <Moment at={new Date(file.created_at * 1_000).toISOString()} />
                    </Cell>
                    <Cell>
                      <Moment at={new Date(file.expires_at * 1_000).toISOString()} />
                    </Cell>
                  </tr>
                ))}
              </Table>
              <MoreButton list={query} verb="Show older ones" />
            </>
          );
        }}
      </QueryView>
    </Card>
  );
}
