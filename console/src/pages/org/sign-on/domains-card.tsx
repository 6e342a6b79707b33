// The domains of an organization, and the record that proves each of them.

import { useQuery } from '@tanstack/react-query';
import { checkDomain, claimDomain, domainsQuery, dropDomain, type OrgDomain } from '../../../api/orgs/sign-on.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../../ui/form.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { useOrg } from '../current-org.ts';
import { Removal } from '../removal.tsx';
import { useOrgChange } from '../use-org-change.ts';

export function DomainsCard() {
  const { id: orgId } = useOrg();
  const query = useQuery(domainsQuery(orgId));
  const claim = useOrgChange({ run: (domain: string) => claimDomain(orgId, domain) });
  return (
    <Card
      title="Domains"
      description="Publish the TXT record of a domain to prove that it is yours. People with an address there can then be added without an invitation, and can get codes as students."
    >
      <QueryView query={query}>
        {(domains) => (
          <ul className="grid gap-4">
            {domains.map((domain) => (
              <Domain key={domain.domain} domain={domain} />
            ))}
          </ul>
        )}
      </QueryView>
      <Form sending={claim} read={(form) => textIn(form, 'domain')} isEmptiedAfter className="mt-4 grid gap-4">
        <div className="flex flex-wrap items-end gap-3">
          <TextField
            label="Domain"
            name="domain"
            placeholder="example.com"
            required
            maxLength={253}
            autoComplete="off"
          />
          <SubmitButton>Add the domain</SubmitButton>
        </div>
        <FormError />
      </Form>
    </Card>
  );
}

function Domain({ domain: { domain, confirmedAt, recordName, recordValue } }: Readonly<{ domain: OrgDomain }>) {
  const { id: orgId } = useOrg();
  const check = useOrgChange({ run: () => checkDomain(orgId, domain), done: `${domain} is confirmed.` });
  return (
    <li className="grid gap-2 text-sm">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="font-medium break-all">
          {domain}{' '}
          {confirmedAt === null ? <Badge tone="neutral">not confirmed</Badge> : <Badge tone="good">confirmed</Badge>}
        </span>
        <span className="flex gap-2">
          {confirmedAt === null && (
            <Button isSmall isBusy={check.isPending} aria-label={`Check now: ${domain}`} onClick={() => check.mutate()}>
              Check now
            </Button>
          )}
          <Removal
            label={`Remove ${domain}`}
            verb="Remove the domain"
            done={`${domain} is removed.`}
            run={() => dropDomain(orgId, domain)}
            text="Remove"
          >
            People with an address there can no longer be signed in by your issuer or changed by your directory, and
            another organization can prove that the domain is theirs. Members stay.
          </Removal>
        </span>
      </div>
      {confirmedAt === null && (
        <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-sunken p-3">
          <span className="min-w-0 flex-1 font-mono text-xs break-all">
            {recordName} TXT "{recordValue}"
          </span>
          <CopyButton text={recordValue} />
        </div>
      )}
      <ErrorNotice error={check.error} />
    </li>
  );
}
