// The applied documents, newest first, what each changed, and restoring one of them.

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type ConfigRevision,
  previewRestore,
  restoreRevision,
  revisionQuery,
  revisionsQuery,
} from '../../../api/operator/providers.ts';
import { OPERATOR_KEY } from '../../../api/operator/token.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Loading } from '../../../ui/loading.tsx';
import { Moment } from '../../../ui/moment.tsx';
import { MoreButton } from '../../../ui/more-button.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { useToast } from '../../../ui/toast.tsx';
import { ChangeLines } from '../change-lines.tsx';
import { Allowed } from '../role.tsx';
import { isSlip } from './document-text.ts';

const COLUMNS = [
  { label: 'Revision' },
  { label: 'Applied' },
  { label: 'By' },
  { label: 'Note' },
  { label: 'Changes', isNumber: true },
  { label: 'Actions', isHidden: true },
];

export function Revisions() {
  const list = useInfiniteQuery(revisionsQuery);
  const [shown, setShown] = useState<number | null>(null);
  const [wanted, setWanted] = useState<number | null>(null);
  if (list.data === undefined) {
    return list.error === null ? <Loading /> : <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  }
  const revisions = list.data.pages.flatMap((page) => page.data);
  return (
    <Card isFlush>
      <Table label="Revisions" columns={COLUMNS}>
        {revisions.map((revision) => (
          <RevisionRow key={revision.revision} revision={revision} onShow={setShown} onRestore={setWanted} />
        ))}
      </Table>
      <MoreButton list={list} />
      <Dialog title={`Revision ${shown ?? ''}`} isOpen={shown !== null} onClose={() => setShown(null)}>
        {shown !== null && <RevisionChanges revision={shown} />}
      </Dialog>
      <Dialog title={`Bring revision ${wanted ?? ''} back`} isOpen={wanted !== null} onClose={() => setWanted(null)}>
        {wanted !== null && <Restore key={wanted} revision={wanted} onDone={() => setWanted(null)} />}
      </Dialog>
    </Card>
  );
}

type RowProps = Readonly<{
  revision: ConfigRevision;
  onShow: (revision: number) => void;
  onRestore: (revision: number) => void;
}>;

function RevisionRow({ revision, onShow, onRestore }: RowProps) {
  const { revision: number, at, author, note, restored, changes, isLive } = revision;
  return (
    <tr>
      <Cell className="whitespace-nowrap">
        <span className="font-medium">{number}</span> {isLive && <Badge tone="good">live</Badge>}
      </Cell>
      <Cell>
        <Moment at={at} />
      </Cell>
      <Cell className="break-all">{author}</Cell>
      <Cell>
        {restored !== null && <span className="block">brings {restored} back</span>}
        {note ?? (restored === null ? <span className="text-quiet">none</span> : null)}
      </Cell>
      <Cell isNumber>{formatCount(changes)}</Cell>
      <Cell className="text-right whitespace-nowrap">
        <Button isSmall kind="ghost" aria-label={`Changes of revision ${number}`} onClick={() => onShow(number)}>
          Changes
        </Button>
        {!isLive && (
          <Allowed least="owner">
            <Button isSmall aria-label={`Bring back revision ${number}`} onClick={() => onRestore(number)}>
              Bring back
            </Button>
          </Allowed>
        )}
      </Cell>
    </tr>
  );
}

function RevisionChanges({ revision }: Readonly<{ revision: number }>) {
  const query = useQuery(revisionQuery(revision));
  return (
    <QueryView query={query}>
      {({ changes }) =>
        changes.length === 0 ? (
          <p className="text-sm text-quiet">It changed nothing.</p>
        ) : (
          <ChangeLines lines={changes} />
        )
      }
    </QueryView>
  );
}

function Restore({ revision, onDone }: Readonly<{ revision: number; onDone: () => void }>) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const preview = useQuery({
    queryKey: [OPERATOR_KEY, 'revisions', revision, 'restore'],
    queryFn: () => previewRestore(revision),
    gcTime: 0,
    staleTime: 0,
  });
  const restoring = useMutation({
    mutationFn: ({ live, isConfirmed }: Readonly<{ live: number; isConfirmed: boolean }>) =>
      restoreRevision(revision, live, isConfirmed),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [OPERATOR_KEY] });
      void queryClient.invalidateQueries({ queryKey: ['models'] });
      toast(`Revision ${revision} is live again.`);
      onDone();
    },
  });
  return (
    <QueryView query={preview}>
      {({ changes, revision: live }) => (
        <>
          {changes.length === 0 ? (
            <p className="text-sm text-quiet">This revision is live already.</p>
          ) : (
            <ChangeLines lines={changes} />
          )}
          <ErrorNotice error={restoring.error} />
          <footer className="flex justify-end gap-2">
            <Button onClick={onDone}>Back</Button>
            {isSlip(restoring.error) && (
              <Button
                kind="danger"
                isBusy={restoring.isPending}
                onClick={() => restoring.mutate({ live, isConfirmed: true })}
              >
                These prices are correct
              </Button>
            )}
            <Button
              kind="primary"
              disabled={changes.length === 0}
              isBusy={restoring.isPending}
              onClick={() => restoring.mutate({ live, isConfirmed: false })}
            >
              Bring it back
            </Button>
          </footer>
        </>
      )}
    </QueryView>
  );
}
