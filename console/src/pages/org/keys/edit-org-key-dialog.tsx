// Changes what a key of the organization may do. The change counts from the next call on.

import { changeOrgKey, type OrgKey } from '../../../api/orgs/keys.ts';
import { EditKeyDialog, type KeyEdit } from '../../keys/key-dialogs.tsx';
import { useOrg } from '../current-org.ts';
import { useOrgChange } from '../use-org-change.ts';

type EditProps = Readonly<{ editedKey: OrgKey | null; onClose: () => void }>;

export function EditOrgKeyDialog({ editedKey, onClose }: EditProps) {
  const { id: orgId } = useOrg();
  const change = useOrgChange({
    run: ({ id, changes }: KeyEdit) => changeOrgKey(orgId, id, changes),
    done: 'The key is changed.',
    onDone: onClose,
  });
  const close = (): void => {
    change.reset();
    onClose();
  };
  return <EditKeyDialog editedKey={editedKey} sending={change} onClose={close} />;
}
