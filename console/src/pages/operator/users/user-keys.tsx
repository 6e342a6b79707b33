// A user's keys: switch them off, delete them, make one for the user. Its secret is shown once.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Key } from '../../../api/keys.ts';
import { createUserKey, deleteUserKey, switchUserKey, userKeysQuery, usersKey } from '../../../api/operator/users.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { formatCount, formatUsd } from '../../../ui/format.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { SecretOnce } from '../../../ui/secret-once.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { KeyLimit, KeyName } from '../../keys/key-table.tsx';
import { Allowed, useMay } from '../role.tsx';
import { useOperation } from '../use-operation.ts';

const COLUMNS = [
  { label: 'Key' },
  { label: 'Limit' },
  { label: 'Spent', isNumber: true },
  { label: 'Requests', isNumber: true },
  { label: 'On' },
  { label: 'Actions', isHidden: true },
];

export function UserKeys({ userId }: Readonly<{ userId: string }>) {
  const query = useQuery(userKeysQuery(userId));
  return (
    <Card
      title="Keys"
      actions={
        <Allowed least="owner">
          <NewKey userId={userId} />
        </Allowed>
      }
      isFlush
    >
      <QueryView query={query}>
        {(keys) =>
          keys.length === 0 ? (
            <p className="px-5 pb-5 text-sm text-quiet">This user has no keys.</p>
          ) : (
            <KeyRows keys={keys} touches={usersKey} />
          )
        }
      </QueryView>
    </Card>
  );
}

export function KeyRows({ keys, touches }: Readonly<{ keys: readonly Key[]; touches: readonly unknown[] }>) {
  const mayChange = useMay('support');
  const [doomed, setDoomed] = useState<Key | null>(null);
  const switching = useOperation({
    run: ({ id, enabled }: { id: string; enabled: boolean }) => switchUserKey(id, enabled),
    touches,
  });
  const deletion = useOperation({
    run: deleteUserKey,
    touches,
    done: 'The key is deleted.',
    onDone: () => setDoomed(null),
  });
  return (
    <>
      <ErrorNotice error={switching.error} />
      <Table label="Keys" columns={COLUMNS}>
        {keys.map((key) => (
          <tr key={key.id}>
            <Cell>
              <KeyName shownKey={key} nowMs={Date.now()} />
            </Cell>
            <Cell>
              <KeyLimit shownKey={key} />
            </Cell>
            <Cell isNumber>{formatUsd(key.spentUsd)}</Cell>
            <Cell isNumber>{formatCount(key.requestCount)}</Cell>
            <Cell>
              <Switch
                label={`Key ${key.name} is on`}
                isLabelHidden
                isOn={key.enabled}
                isDisabled={!mayChange}
                onChange={(enabled) => switching.mutate({ id: key.id, enabled })}
              />
            </Cell>
            <Cell>
              {mayChange && (
                <Button kind="danger" isSmall aria-label={`Delete ${key.name}`} onClick={() => setDoomed(key)}>
                  Delete
                </Button>
              )}
            </Cell>
          </tr>
        ))}
      </Table>
      <ConfirmDialog
        title={`Delete ${doomed?.name ?? 'the key'}?`}
        verb="Delete the key"
        isOpen={doomed !== null}
        isBusy={deletion.isPending}
        error={deletion.error}
        onConfirm={() => doomed !== null && deletion.mutate(doomed.id)}
        onClose={() => setDoomed(null)}
      >
        Every program that uses it is refused from the next call on. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}

function NewKey({ userId }: Readonly<{ userId: string }>) {
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const creation = useOperation({
    run: (name: string) => createUserKey(userId, { name, keyType: 'standard' }),
    touches: usersKey,
    onDone: ({ key }) => {
      setSecret(key);
      setOpen(false);
    },
  });
  return (
    <>
      <Button isSmall onClick={() => setOpen(true)}>
        New key
      </Button>
      <FormDialog
        title="New key"
        verb="Create key"
        isOpen={isOpen}
        sending={creation}
        read={(form) => textIn(form, 'name')}
        onClose={() => setOpen(false)}
      >
        <TextField label="Name" name="name" required maxLength={200} />
      </FormDialog>
      <Dialog title="The new key" isOpen={secret !== null} onClose={() => setSecret(null)}>
        {secret !== null && <SecretOnce secret={secret} label="The secret of the new key" />}
      </Dialog>
    </>
  );
}
