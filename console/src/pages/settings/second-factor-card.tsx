// A person's second factors: an authenticator app, passkeys, and how many recovery codes are left.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  factorsQuery,
  type Passkey,
  type Proof,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
} from '../../api/factors.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { formatDate } from '../../ui/format.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { AppDialog } from './app-dialog.tsx';
import { PasskeyDialog } from './passkey-dialog.tsx';
import { ProofDialog } from './proof-dialog.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';

type Open = 'app' | 'passkey' | null;
/** A change that waits for the password. */
type Wish = Readonly<{
  title: string;
  verb: string;
  run: (proof: Proof) => Promise<Readonly<{ recoveryCodes: readonly string[] | null }>>;
}>;

const removal = ({ id, name }: Passkey): Wish => ({
  title: `Remove ${name}?`,
  verb: 'Remove the passkey',
  run: (proof) => removePasskey(proof, id),
});
const APP_REMOVAL: Wish = { title: 'Remove the authenticator app?', verb: 'Remove the app', run: removeTotp };
const RENEWAL: Wish = { title: 'New recovery codes', verb: 'Make new codes', run: renewRecoveryCodes };

export function SecondFactorCard() {
  const queryClient = useQueryClient();
  const query = useQuery(factorsQuery);
  const [open, setOpen] = useState<Open>(null);
  const [wish, setWish] = useState<Wish | null>(null);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const finish = async (recoveryCodes: readonly string[] | null): Promise<void> => {
    setOpen(null);
    setWish(null);
    setCodes(recoveryCodes ?? []);
    await queryClient.invalidateQueries({ queryKey: factorsQuery.queryKey });
  };
  return (
    <Card
      title="Second factor"
      description="Asked for after your password when you sign in. Organizations may ask their members for one."
    >
      <QueryView query={query}>
        {({ totp, passkeys, recoveryCodes }) => (
          <ul className="grid gap-4 text-sm">
            <Factor
              name="Authenticator app"
              state={totp ? 'on' : 'off'}
              action={
                <Button isSmall onClick={() => (totp ? setWish(APP_REMOVAL) : setOpen('app'))}>
                  {totp ? 'Remove the app' : 'Set up an app'}
                </Button>
              }
            />
            {passkeys.map((passkey) => (
              <Factor
                key={passkey.id}
                name={passkey.name}
                note={`Passkey, added ${formatDate(passkey.createdAt)}`}
                state="on"
                action={
                  <Button isSmall aria-label={`Remove ${passkey.name}`} onClick={() => setWish(removal(passkey))}>
                    Remove
                  </Button>
                }
              />
            ))}
            <Factor
              name={passkeys.length === 0 ? 'Passkey' : 'Another passkey'}
              state={passkeys.length === 0 ? 'off' : null}
              action={
                <Button isSmall onClick={() => setOpen('passkey')}>
                  Add a passkey
                </Button>
              }
            />
            {(totp || passkeys.length > 0) && (
              <Factor
                name="Recovery codes"
                note={`${recoveryCodes} of 10 left, each good once`}
                state={null}
                action={
                  <Button isSmall onClick={() => setWish(RENEWAL)}>
                    Make new codes
                  </Button>
                }
              />
            )}
          </ul>
        )}
      </QueryView>
      <AppDialog isOpen={open === 'app'} onClose={() => setOpen(null)} onDone={finish} />
      <PasskeyDialog isOpen={open === 'passkey'} onClose={() => setOpen(null)} onDone={finish} />
      <ProofDialog wish={wish} onClose={() => setWish(null)} onDone={finish} />
      <RecoveryCodesDialog codes={codes} onClose={() => setCodes([])} />
    </Card>
  );
}

type FactorProps = Readonly<{
  name: string;
  note?: string;
  state: 'on' | 'off' | null;
  action: ReactNode;
}>;

function Factor({ name, note, state, action }: FactorProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-3">
      <span className="min-w-0">
        <span className="font-medium break-words">{name}</span>{' '}
        {state !== null && <Badge tone={state === 'on' ? 'good' : 'neutral'}>{state}</Badge>}
        {note !== undefined && <span className="block text-quiet">{note}</span>}
      </span>
      {action}
    </li>
  );
}
