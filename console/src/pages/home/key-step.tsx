// Making a key on the start page: a whole card for a person without one, a small form for the others.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { createKey, keysQuery, PLAYGROUND_KEY_NAME } from '../../api/keys.ts';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../ui/form.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { textLinkClass } from '../../ui/text-link.ts';

type KeyStepProps = Readonly<{ secret: string | null; onSecret: (secret: string) => void }>;

export function KeyStep({ secret, onSecret }: KeyStepProps) {
  const { data: keys } = useQuery(keysQuery);
  const [isFirst, setFirst] = useState<boolean | null>(null);
  const hasNone = keys?.every(({ name }) => name === PLAYGROUND_KEY_NAME) ?? false;
  if (secret !== null) {
    return (
      <Card title={isFirst === true ? 'Your first key' : 'Your new key'}>
        <div className="grid gap-3">
          <SecretOnce secret={secret} label="The secret of the new key" />
          <p className="text-sm text-quiet">
            Limit it, switch it off or delete it under{' '}
            <Link to="/keys" className={textLinkClass}>
              Keys
            </Link>
            .
          </p>
        </div>
      </Card>
    );
  }
  return (
    <Card
      title={hasNone ? 'Create your first key' : 'Create a key'}
      description="Your programs call with it. Its secret will be in the lines below, ready to run."
    >
      <NewKeyForm
        onMade={(made) => {
          setFirst(hasNone);
          onSecret(made);
        }}
      />
    </Card>
  );
}

function NewKeyForm({ onMade }: Readonly<{ onMade: (secret: string) => void }>) {
  const queryClient = useQueryClient();
  const creation = useMutation({
    mutationFn: (name: string) => createKey({ name }),
    onSuccess: ({ key }) => {
      onMade(key);
      return queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
    },
  });
  return (
    <Form sending={creation} read={(form) => String(form.get('name'))} className="grid gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-48 flex-1 sm:max-w-xs">
          <TextField label="Name of the key" name="name" required maxLength={200} defaultValue="My program" />
        </div>
        <SubmitButton kind="primary">Create key</SubmitButton>
      </div>
      <FormError />
    </Form>
  );
}
