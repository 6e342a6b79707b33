// The keys that an institution gives to its students. Such a key alone calls nothing: it opens a session by mail.

import { useQuery } from '@tanstack/react-query';
import { GraduationCap } from 'lucide-react';
import { useState } from 'react';
import { createEduKey, deleteEduKey, eduKeysQuery } from '../../../api/orgs/edu.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { Moment } from '../../../ui/moment.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { SecretOnce } from '../../../ui/secret-once.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { useOrg } from '../current-org.ts';
import { Removal } from '../removal.tsx';
import { useOrgChange } from '../use-org-change.ts';

const COLUMNS = [{ label: 'Key' }, { label: 'Made' }, { label: 'Actions', isHidden: true }];

export function KeysCard() {
  const { id: orgId } = useOrg();
  const query = useQuery(eduKeysQuery(orgId));
  const [isCreating, setCreating] = useState(false);
  return (
    <Card
      title="Student keys"
      description="One for a course or a year. A student cannot call with it alone."
      actions={
        <Button isSmall onClick={() => setCreating(true)}>
          New student key
        </Button>
      }
      isFlush
    >
      <QueryView query={query}>
        {(keys) =>
          keys.length === 0 ? (
            <EmptyState icon={<GraduationCap size={22} />} title="No student keys yet">
              Make one and give it to your students. Set below which addresses get in, and how much each may use.
            </EmptyState>
          ) : (
            <Table label="Student keys" columns={COLUMNS}>
              {keys.map(({ id, name, prefix, suffix, createdAt }) => (
                <tr key={id}>
                  <Cell>
                    <p className="font-medium">{name}</p>
                    <code className="font-mono text-xs text-quiet">
                      {prefix}…{suffix}
                    </code>
                  </Cell>
                  <Cell>
                    <Moment at={createdAt} isDateOnly />
                  </Cell>
                  <Cell className="text-right">
                    <Removal
                      label={`Revoke ${name}`}
                      verb="Revoke the key"
                      done="The key is revoked."
                      run={() => deleteEduKey(orgId, id)}
                    >
                      No session can be opened with it any more, and its open sessions end. This cannot be undone.
                    </Removal>
                  </Cell>
                </tr>
              ))}
            </Table>
          )
        }
      </QueryView>
      <NewKeyDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </Card>
  );
}

function NewKeyDialog({ isOpen, onClose }: Readonly<{ isOpen: boolean; onClose: () => void }>) {
  const { id: orgId } = useOrg();
  const [secret, setSecret] = useState<string | null>(null);
  const creation = useOrgChange({
    run: (name: string) => createEduKey(orgId, name),
    onDone: ({ key }) => {
      setSecret(key);
      onClose();
    },
  });
  return (
    <>
      <FormDialog
        title="New student key"
        verb="Create the key"
        isOpen={isOpen}
        sending={creation}
        read={(form) => textIn(form, 'name')}
        onClose={onClose}
      >
        <TextField label="Name" name="name" required maxLength={200} placeholder="Programming 1, winter" />
      </FormDialog>
      <Dialog title="The new student key" isOpen={secret !== null} onClose={() => setSecret(null)}>
        {secret !== null && (
          <>
            <SecretOnce secret={secret} label="The secret of the new student key" />
            <p className="text-sm">
              Or give your students this link. The part after the # is sent to no server, and students need not type the
              key.
            </p>
            <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-sunken p-3">
              <output
                aria-label="The link for students"
                className="min-w-0 flex-1 font-mono text-sm break-all select-all"
              >
                {`${location.origin}/edu#key=${secret}`}
              </output>
              <CopyButton text={`${location.origin}/edu#key=${secret}`} label="Copy the link" />
            </div>
          </>
        )}
        <footer className="flex justify-end">
          <Button kind="primary" onClick={() => setSecret(null)}>
            I have copied it
          </Button>
        </footer>
      </Dialog>
    </>
  );
}
