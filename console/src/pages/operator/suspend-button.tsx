// Whether an account is suspended, and the button that suspends it or ends the suspension. Suspending asks first,
// because it stops everything at once.

import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useOperation } from './use-operation.ts';

export function SuspensionBadge({ isSuspended }: Readonly<{ isSuspended: boolean }>) {
  return isSuspended ? <Badge tone="bad">suspended</Badge> : <Badge tone="good">active</Badge>;
}

type SuspendButtonProps = Readonly<{
  name: string;
  isSuspended: boolean;
  touches: readonly unknown[];
  run: (suspended: boolean) => Promise<unknown>;
}>;

export function SuspendButton({ name, isSuspended, touches, run }: SuspendButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const change = useOperation({
    run,
    touches,
    done: isSuspended ? `${name} may call again.` : `${name} is suspended.`,
    onDone: () => setAsking(false),
  });
  if (isSuspended) {
    return (
      <>
        <ErrorNotice error={change.error} />
        <Button isBusy={change.isPending} onClick={() => change.mutate(false)}>
          Resume
        </Button>
      </>
    );
  }
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        Suspend
      </Button>
      <ConfirmDialog
        title={`Suspend ${name}?`}
        verb="Suspend"
        isOpen={isAsking}
        isBusy={change.isPending}
        error={change.error}
        onConfirm={() => change.mutate(true)}
        onClose={() => setAsking(false)}
      >
        Every call is refused from now on, with every key. Nothing is lost: you can resume at any time.
      </ConfirmDialog>
    </>
  );
}
