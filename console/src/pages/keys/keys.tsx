// A person's own keys: make them, limit them, switch them off, delete them.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { deleteKey, type Key, keysQuery, PLAYGROUND_KEY_NAME } from '../../api/keys.ts';
import type { Coming } from '../../page-route.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Switch } from '../../ui/switch.tsx';
import { useToast } from '../../ui/toast.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { EditOwnKeyDialog } from './edit-key-dialog.tsx';
import { KeyTable } from './key-table.tsx';
import { isExpired } from './key-values.ts';
import { useSwitchKey } from './use-switch-key.ts';

export function ahead({ queryClient }: Coming): void {
  void queryClient.prefetchQuery(keysQuery);
}

export function Keys() {
  const query = useQuery(keysQuery);
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button kind="primary" onClick={() => setCreating(true)}>
      <Plus size={16} aria-hidden="true" /> New key
    </Button>
  );
  return (
    <Page
      title="Keys"
      description="What your programs call with. Give each its own, so that you can limit it and switch it off."
      actions={create}
    >
      <QueryView query={query}>
        {(keys) => (keys.every(isOfPlayground) ? <NoKeys action={create} /> : <KeyList keys={keys} />)}
      </QueryView>
      <CreateKeyDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

/** The playground makes and deletes its keys by itself. */
const isOfPlayground = ({ name }: Key): boolean => name === PLAYGROUND_KEY_NAME;

function NoKeys({ action }: Readonly<{ action: React.ReactNode }>) {
  return (
    <Card>
      <EmptyState icon={<KeyRound size={22} />} title="No keys yet" action={action}>
        A key lets a program call models on your balance. Its secret is shown once, when you make it.
      </EmptyState>
    </Card>
  );
}

function KeyList({ keys }: Readonly<{ keys: readonly Key[] }>) {
  const [edited, setEdited] = useState<Key | null>(null);
  const [doomed, setDoomed] = useState<Key | null>(null);
  const [isWhole, setWhole] = useState(false);
  const switching = useSwitchKey();
  const nowMs = Date.now();
  const aside = keys.filter((key) => isExpired(key, nowMs) || isOfPlayground(key));
  const shown = isWhole ? keys : keys.filter((key) => !aside.includes(key));
  return (
    <>
      <ErrorNotice error={switching.error} />
      <Card isFlush>
        <KeyTable
          keys={shown}
          nowMs={nowMs}
          onSwitch={({ id }, enabled) => switching.mutate({ id, enabled })}
          onEdit={setEdited}
          onDelete={setDoomed}
        />
        {shown.length === 0 && <p className="px-5 py-8 text-center text-sm text-quiet">Every key has expired.</p>}
      </Card>
      {aside.length > 0 && (
        <Switch
          label={`Show expired keys and those of the playground (${aside.length})`}
          isOn={isWhole}
          onChange={setWhole}
        />
      )}
      <EditOwnKeyDialog editedKey={edited} onClose={() => setEdited(null)} />
      <DeleteKeyDialog doomedKey={doomed} onClose={() => setDoomed(null)} />
    </>
  );
}

function DeleteKeyDialog({ doomedKey, onClose }: Readonly<{ doomedKey: Key | null; onClose: () => void }>) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const deletion = useMutation({
    mutationFn: deleteKey,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
      toast('The key is deleted.');
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${doomedKey?.name ?? 'the key'}?`}
      verb="Delete the key"
      isOpen={doomedKey !== null}
      isBusy={deletion.isPending}
      error={deletion.error}
      onConfirm={() => doomedKey !== null && deletion.mutate(doomedKey.id)}
      onClose={() => {
        deletion.reset();
        onClose();
      }}
    >
      Every program that uses it is refused from the next call on. This cannot be undone. What it has used stays in your
      reports.
    </ConfirmDialog>
  );
}
