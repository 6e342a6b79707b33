// Where an application sends a user to ask for a key. The page says who asks, by the address that the key's code goes
// to, and the user decides what it may spend and for how long. Nothing is given before that.

import { useMutation } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { GrantBody } from '../../../../gateway/src/contract/applications.ts';
import { grantApplication } from '../../api/applications.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../ui/form.tsx';
import { amountIn, textOrNull } from '../../ui/form-values.ts';
import { Notice } from '../../ui/notice.tsx';

const LIMIT_DEFAULT = '10';
const DAYS_DEFAULT = '90';

export function Connect() {
  const search = useSearch({ from: '/signed-in/connect' });
  const asker = askerOf(search.callback_url);
  return (
    <GuestFrame title="An application asks for a key">
      {asker === null || search.code_challenge === undefined || search.code_challenge_method !== 'S256' ? (
        <Notice tone="warn">
          This request is incomplete: it needs callback_url, code_challenge and code_challenge_method=S256. Start again
          from the application.
        </Notice>
      ) : (
        <Agreement
          asker={asker}
          callbackUrl={search.callback_url ?? ''}
          codeChallenge={search.code_challenge}
          wish={search.limit}
        />
      )}
    </GuestFrame>
  );
}

type AgreementProps = Readonly<{
  asker: string;
  callbackUrl: string;
  codeChallenge: string;
  wish: string | undefined;
}>;

function Agreement({ asker, callbackUrl, codeChallenge, wish }: AgreementProps) {
  const [limit, setLimit] = useState(Number(wish) > 0 ? String(wish) : LIMIT_DEFAULT);
  const grant = useMutation({
    mutationFn: grantApplication,
    onSuccess: ({ redirectTo }) => location.assign(redirectTo),
  });
  const read = (form: FormData): GrantBody => ({
    callbackUrl,
    codeChallenge,
    codeChallengeMethod: 'S256',
    limitUsd: amountIn(form, 'limitUsd'),
    limitReset: textOrNull(form, 'limitReset'),
    expiresInDays: amountIn(form, 'expiresInDays'),
  });
  return (
    <Form sending={grant} read={read} className="grid gap-3">
      <p className="text-sm text-quiet">
        <strong className="break-all text-ink">{asker}</strong> would call models on your account, at your expense. It
        cannot see your other keys or change anything.
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Spend limit, USD"
          name="limitUsd"
          type="number"
          min={0}
          step="any"
          placeholder="No limit"
          value={limit}
          onChange={(event) => setLimit(event.target.value)}
        />
        <SelectField label="The limit starts again" name="limitReset" defaultValue="monthly" disabled={limit === ''}>
          <option value="">Never</option>
          <option value="daily">Every day</option>
          <option value="weekly">Every week</option>
          <option value="monthly">Every month</option>
        </SelectField>
      </div>
      <SelectField label="For how long" name="expiresInDays" defaultValue={DAYS_DEFAULT}>
        <option value="1">One day</option>
        <option value="30">30 days</option>
        <option value="90">90 days</option>
        <option value="365">One year</option>
        <option value="">Until I delete the key</option>
      </SelectField>
      <FormError />
      <SubmitButton kind="primary">Give it a key</SubmitButton>
      <Link to="/" className={buttonClass('ghost')}>
        Refuse
      </Link>
      <p className="text-xs text-quiet">
        You will find the key among your keys as “Application: {asker}”. Delete it there to end the access.
      </p>
    </Form>
  );
}

/** The gateway checks the address; this is what the user is shown of it. */
function askerOf(callbackUrl: string | undefined): string | null {
  if (callbackUrl === undefined || !URL.canParse(callbackUrl)) return null;
  const { protocol, host } = new URL(callbackUrl);
  return protocol === 'https:' ? host : `${protocol}//${host}`;
}
