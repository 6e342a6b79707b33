// The name that others see. The address cannot be changed: it is what the account was opened with.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { changeProfile } from '../../api/auth.ts';
import { type Session, sessionQuery } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';

export function ProfileCard() {
  const { data: session } = useQuery(sessionQuery);
  const queryClient = useQueryClient();
  const toast = useToast();
  const change = useMutation({
    mutationFn: changeProfile,
    onSuccess: (user) => {
      queryClient.setQueryData<Session | null>(sessionQuery.queryKey, (shown) =>
        shown === null || shown === undefined ? shown : { ...shown, user },
      );
      toast('Your name is changed.');
    },
  });
  if (session === null || session === undefined) return null;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    change.mutate({ name: String(new FormData(event.currentTarget).get('name')) });
  };
  return (
    <Card title="Profile">
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label="Name"
          name="name"
          defaultValue={session.user.name}
          autoComplete="name"
          maxLength={200}
          required
        />
        <TextField label="Email" value={session.user.email} readOnly disabled />
        <ErrorNotice error={change.error} />
        <div>
          <Button type="submit" isBusy={change.isPending}>
            Save the name
          </Button>
        </div>
      </form>
    </Card>
  );
}
