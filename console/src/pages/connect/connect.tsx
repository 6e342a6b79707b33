// Where an application sends a user to ask for a key. The page says who asks, by the address that the key's code goes to,
// and the user decides what it may spend and for how long. Nothing is given before that.

import { useMutation } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { grantApplication } from '../../api/applications.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
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
          This request is not whole: it needs callback_url, code_challenge and code_challenge_method=S256. Start again
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
  const [reset, setReset] = useState('monthly');
  const [days, setDays] = useState(DAYS_DEFAULT);
  const grant = useMutation({
    mutationFn: grantApplication,
    onSuccess: ({ redirectTo }) => location.assign(redirectTo),
  });
  const agree = (event: FormEvent): void => {
    event.preventDefault();
    grant.mutate({
      callbackUrl,
      codeChallenge,
      codeChallengeMethod: 'S256',
      limitUsd: limit === '' ? null : Number(limit),
      limitReset: limit === '' || reset === '' ? null : reset,
      expiresInDays: days === '' ? null : Number(days),
    });
  };
  return (
    <form className="grid gap-3" onSubmit={agree}>
      <p className="text-sm text-quiet">
        <strong className="break-all text-ink">{asker}</strong> would call models on your account, at your expense. It
        cannot see your other keys or change anything.
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="It may spend, USD"
          type="number"
          min={0}
          step="any"
          placeholder="No limit"
          value={limit}
          onChange={(event) => setLimit(event.target.value)}
        />
        <SelectField
          label="Starts again"
          value={reset}
          disabled={limit === ''}
          onChange={(event) => setReset(event.target.value)}
        >
          <option value="">Never</option>
          <option value="daily">Every day</option>
          <option value="weekly">Every week</option>
          <option value="monthly">Every month</option>
        </SelectField>
      </div>
      <SelectField label="For how long" value={days} onChange={(event) => setDays(event.target.value)}>
        <option value="1">One day</option>
        <option value="30">30 days</option>
        <option value="90">90 days</option>
        <option value="365">One year</option>
        <option value="">Until I delete the key</option>
      </SelectField>
      <ErrorNotice error={grant.error} />
      <Button kind="primary" type="submit" isBusy={grant.isPending}>
        Give it a key
      </Button>
      <Link to="/" className={buttonClass('ghost')}>
        No
      </Link>
      <p className="text-xs text-quiet">
        The key stands among your keys as “Application: {asker}”. Delete it there to end this.
      </p>
    </form>
  );
}

/** The gateway checks the address; this is what the user is shown of it. */
function askerOf(callbackUrl: string | undefined): string | null {
  if (callbackUrl === undefined || !URL.canParse(callbackUrl)) return null;
  const { protocol, host } = new URL(callbackUrl);
  return protocol === 'https:' ? host : `${protocol}//${host}`;
}
