// What answers from the cache have saved, and emptying it. The shared cache of an organization is emptied by its
// administrators, on its settings page.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { DatabaseZap } from 'lucide-react';
import { useState } from 'react';
import { cacheQuery, purgeCache } from '../../api/cache.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatCount, formatDate, formatUsd } from '../../ui/format.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { Stat, StatRow } from '../../ui/stat.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';

const COLUMNS = [{ label: 'Model' }, { label: 'Answers', isNumber: true }, { label: 'Saved', isNumber: true }];

export function CacheView({ orgId }: Readonly<{ orgId: string | undefined }>) {
  const query = useQuery(cacheQuery(orgId));
  return (
    <QueryView query={query}>
      {({ since, hits, savedUsd, models }) => (
        <div className="grid grid-cols-1 gap-5">
          <StatRow>
            <Stat label="Answers from the cache" value={formatCount(hits)} note={`Since ${formatDate(since)}.`} />
            <Stat label="Saved" value={formatUsd(savedUsd)} note="What they would have cost." />
          </StatRow>
          <Card title="By model" isFlush>
            {models.length === 0 ? (
              <EmptyState icon={<DatabaseZap size={22} />} title="Nothing saved yet">
                Let a key keep answers, or send a call with the header X-Tollgate-Cache.
              </EmptyState>
            ) : (
              <Table label="Saved by model" columns={COLUMNS}>
                {models.map((entry) => (
                  <tr key={entry.model}>
                    <Cell>{entry.model}</Cell>
                    <Cell isNumber>{formatCount(entry.hits)}</Cell>
                    <Cell isNumber>{formatUsd(entry.savedUsd)}</Cell>
                  </tr>
                ))}
              </Table>
            )}
          </Card>
          {orgId === undefined && <Purge />}
        </div>
      )}
    </QueryView>
  );
}

function Purge() {
  const [isAsking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const toast = useToast();
  const purge = useMutation({
    mutationFn: purgeCache,
    onSuccess: async () => {
      setAsking(false);
      toast('The cache is empty.');
      await queryClient.invalidateQueries({ queryKey: ['cache'] });
    },
  });
  return (
    <div>
      <Button onClick={() => setAsking(true)}>Empty the cache</Button>
      <ConfirmDialog
        title="Empty the cache"
        verb="Empty it"
        isOpen={isAsking}
        isBusy={purge.isPending}
        error={purge.error}
        onConfirm={() => purge.mutate()}
        onClose={() => setAsking(false)}
      >
        Answers that were kept for your account are not used again. The next calls go to the models, and are charged.
      </ConfirmDialog>
    </div>
  );
}
