// Adds an upstream key or changes one. A new key shows at once which of its models the upstream knows; the secret
// cannot be changed, because a person who may change a key may not read it.

import { useState } from 'react';
import {
  type ByokChanges,
  type ByokKey,
  type ByokSync,
  type ByokWish,
  changeByokKey,
  createByokKey,
} from '../../../api/orgs/byok.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { useOrg } from '../current-org.ts';
import { useOrgChange } from '../use-org-change.ts';
import { SyncResult } from './sync-result.tsx';
import { UpstreamFields } from './upstream-fields.tsx';
import { changesOf, wishOf } from './upstream-values.ts';

type UpstreamDialogProps = Readonly<{ upstream: ByokKey | 'new' | null; onClose: () => void }>;

export function UpstreamDialog({ upstream, onClose }: UpstreamDialogProps) {
  const { id: orgId } = useOrg();
  const known = upstream === 'new' ? null : upstream;
  const [sync, setSync] = useState<ByokSync | null>(null);
  const saving = useOrgChange({
    run: async (wish: ByokWish | ByokChanges): Promise<ByokSync | null> => {
      if (known === null) return (await createByokKey(orgId, wish as ByokWish)).sync;
      await changeByokKey(orgId, known.id, wish);
      return null;
    },
    done: known === null ? 'The upstream key is added.' : 'The upstream key is changed.',
    onDone: (answer) => {
      setSync(answer);
      onClose();
    },
  });
  return (
    <>
      <FormDialog
        title={known === null ? 'Add an upstream key' : `Edit ${known.name}`}
        verb={known === null ? 'Add the key' : 'Save'}
        isOpen={upstream !== null}
        sending={saving}
        read={(form) => (known === null ? wishOf(form) : changesOf(form, known))}
        onClose={onClose}
      >
        <UpstreamFields upstream={known} />
      </FormDialog>
      <Dialog title="What the upstream says" isOpen={sync !== null} onClose={() => setSync(null)}>
        {sync !== null && <SyncResult sync={sync} />}
        <footer className="flex justify-end">
          <Button kind="primary" onClick={() => setSync(null)}>
            Good
          </Button>
        </footer>
      </Dialog>
    </>
  );
}
