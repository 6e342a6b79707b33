// The name that others see. The address cannot be changed, because the account was opened with it.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { changeProfile } from '../../api/auth.ts';
import { type Session, sessionQuery } from '../../api/session.ts';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../ui/form.tsx';
import { textIn } from '../../ui/form-values.ts';
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
  return (
    <Card title="Profile">
      <Form sending={change} read={(form) => ({ name: textIn(form, 'name') })}>
        <TextField
          label="Name"
          name="name"
          defaultValue={session.user.name}
          autoComplete="name"
          maxLength={200}
          required
        />
        <TextField label="Email" value={session.user.email} readOnly disabled />
        <FormError />
        <div>
          <SubmitButton>Save the name</SubmitButton>
        </div>
      </Form>
    </Card>
  );
}
