// Copies a link that restores the conversation. It is made on demand, because a conversation may be too long for a
// link.

import { useMutation } from '@tanstack/react-query';
import { Link2 } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useToast } from '../../ui/toast.tsx';
import type { Conversation } from './conversation.ts';
import { fragmentOf } from './conversation-link.ts';

export function LinkButton({ conversation }: Readonly<{ conversation: Conversation }>) {
  const toast = useToast();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const fragment = await fragmentOf(conversation);
      if (fragment === null) throw new Error('The conversation is too long for a link. Copy what matters from it.');
      await copyText(location.origin + location.pathname + fragment);
    },
    onSuccess: () => toast('The link is copied. It holds all that was said, without pictures.'),
  });
  return (
    <>
      <ErrorNotice error={error} />
      <Button isBusy={isPending} onClick={() => mutate()}>
        <Link2 size={15} aria-hidden="true" /> Copy a link
      </Button>
    </>
  );
}
