// Changes what a person's key may do. The change counts from the next call on.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changeKey, type Key, keysQuery } from '../../api/keys.ts';
import { useToast } from '../../ui/toast.tsx';
import { EditKeyDialog, type KeyEdit } from './key-dialogs.tsx';

type EditOwnKeyDialogProps = Readonly<{ editedKey: Key | null; onClose: () => void }>;

export function EditOwnKeyDialog({ editedKey, onClose }: EditOwnKeyDialogProps) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const change = useMutation({
    mutationFn: ({ id, changes }: KeyEdit) => changeKey(id, changes),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
      toast('The key is changed.');
      onClose();
    },
  });
  const close = (): void => {
    change.reset();
    onClose();
  };
  return <EditKeyDialog editedKey={editedKey} sending={change} onClose={close} />;
}
