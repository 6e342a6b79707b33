// The directory of an organization: the address to which it sends people and groups, and its tokens.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  createProvisioningToken,
  type Provisioning,
  provisioningQuery,
  removeProvisioningToken,
} from '../../../api/orgs/sign-on.ts';
import { Card } from '../../../ui/card.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../../ui/form.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { Moment } from '../../../ui/moment.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { SecretOnce } from '../../../ui/secret-once.tsx';
import { useOrg } from '../current-org.ts';
import { Removal } from '../removal.tsx';
import { useOrgChange } from '../use-org-change.ts';

export function ProvisioningCard() {
  const { id: orgId } = useOrg();
  const query = useQuery(provisioningQuery(orgId));
  return (
    <Card
      title="Provisioning"
      description="Your directory adds people, puts them into teams and takes them out again, by SCIM 2.0 (Entra, Okta). It can change people with an address at one of your confirmed domains, and nobody else. A person whom it deactivates loses the membership, its keys and all sessions."
    >
      <QueryView query={query}>{(provisioning) => <Tokens provisioning={provisioning} />}</QueryView>
    </Card>
  );
}

function Tokens({ provisioning: { baseUrl, tokens, users, groups } }: Readonly<{ provisioning: Provisioning }>) {
  const { id: orgId } = useOrg();
  const [secret, setSecret] = useState<string | null>(null);
  const creation = useOrgChange({
    run: (name: string) => createProvisioningToken(orgId, name),
    onDone: ({ token }) => setSecret(token),
  });
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-sunken p-3 text-sm">
        <span className="min-w-0 flex-1">
          Address, for the directory: <span className="font-mono text-xs break-all">{baseUrl}</span>
        </span>
        <CopyButton text={baseUrl} />
      </div>
      <p className="text-sm text-quiet">
        The directory has sent {users} {users === 1 ? 'person' : 'people'} and {groups}{' '}
        {groups === 1 ? 'group' : 'groups'} so far.
      </p>
      {tokens.length > 0 && (
        <ul className="grid gap-3">
          {tokens.map((token) => (
            <Token key={token.id} token={token} />
          ))}
        </ul>
      )}
      <Form sending={creation} read={(form) => textIn(form, 'name')} isEmptiedAfter>
        <div className="flex flex-wrap items-end gap-3">
          <TextField
            label="Name of the token"
            name="name"
            placeholder="Entra"
            required
            maxLength={100}
            autoComplete="off"
          />
          <SubmitButton>Make a token</SubmitButton>
        </div>
        <FormError />
      </Form>
      <Dialog title="The directory’s token" isOpen={secret !== null} onClose={() => setSecret(null)}>
        <SecretOnce secret={secret ?? ''} label="Token" />
      </Dialog>
    </div>
  );
}

function Token({ token: { id, name, suffix, lastUsedAt } }: Readonly<{ token: Provisioning['tokens'][number] }>) {
  const { id: orgId } = useOrg();
  return (
    <li className="grid gap-2 text-sm">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="min-w-0 break-words">
          <span className="font-medium">{name}</span> <span className="font-mono text-xs">…{suffix}</span>{' '}
          <span className="text-quiet">
            {lastUsedAt === null ? (
              'not used yet'
            ) : (
              <>
                used <Moment at={lastUsedAt} />
              </>
            )}
          </span>
        </span>
        <Removal
          label={`Remove the token ${name}`}
          verb="Remove the token"
          done={`${name} is removed.`}
          run={() => removeProvisioningToken(orgId, id)}
          text="Remove"
        >
          The directory is refused from its next call on. The people whom it has added stay. This cannot be undone.
        </Removal>
      </div>
    </li>
  );
}
