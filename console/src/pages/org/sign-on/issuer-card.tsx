// The issuer of an organization: its address, this gateway's client id there, and which roles and teams its claims
// give.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SignOnBody } from '../../../../../gateway/src/contract/sign-on.ts';
import { changeSignOn, removeSignOn, type SignOn, signOnQuery } from '../../../api/orgs/sign-on.ts';
import { type Team, teamsQuery } from '../../../api/orgs/teams.ts';
import { Card } from '../../../ui/card.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { AreaField, TextField } from '../../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../../ui/form.tsx';
import { textIn, textOrNull } from '../../../ui/form-values.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { useOrg } from '../current-org.ts';
import { Removal } from '../removal.tsx';
import { useOrgChange } from '../use-org-change.ts';
import { roleLines, rolesIn, teamLines, teamsIn } from './role-lines.ts';

export function IssuerCard() {
  const { id: orgId } = useOrg();
  const query = useQuery(signOnQuery(orgId));
  const teams = useQuery(teamsQuery(orgId));
  return (
    <Card
      title="Issuer"
      description="It can sign in people with an address at one of your confirmed domains, and nobody else."
    >
      <QueryView query={query}>
        {(signOn) => <QueryView query={teams}>{(all) => <IssuerForm signOn={signOn} teams={all} />}</QueryView>}
      </QueryView>
    </Card>
  );
}

type IssuerFormProps = Readonly<{ signOn: SignOn; teams: readonly Team[] }>;

function IssuerForm({ signOn: { signOn, redirectUri }, teams }: IssuerFormProps) {
  const { id: orgId } = useOrg();
  const [isRequired, setRequired] = useState(signOn?.required ?? false);
  const [trustsEmail, setTrustsEmail] = useState(signOn?.trustsEmail ?? false);
  const change = useOrgChange({
    run: (body: SignOnBody) => changeSignOn(orgId, body),
    done: 'Single sign-on is saved.',
  });
  const read = (form: FormData): SignOnBody => {
    const clientSecret = textOrNull(form, 'clientSecret');
    return {
      issuer: textIn(form, 'issuer'),
      clientId: textIn(form, 'clientId'),
      ...(clientSecret === null ? {} : { clientSecret }),
      required: isRequired,
      trustsEmail,
      roles: rolesIn(textIn(form, 'roles')),
      teams: teamsIn(textIn(form, 'teams'), teams),
    };
  };
  return (
    <Form sending={change} read={read}>
      <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-sunken p-3 text-sm">
        <span className="min-w-0 flex-1">
          Redirect address, for the issuer: <span className="font-mono text-xs break-all">{redirectUri}</span>
        </span>
        <CopyButton text={redirectUri} />
      </div>
      <TextField
        label="Issuer"
        name="issuer"
        type="url"
        required
        placeholder="https://login.example.com"
        defaultValue={signOn?.issuer ?? ''}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Client id"
          name="clientId"
          required
          autoComplete="off"
          defaultValue={signOn?.clientId ?? ''}
        />
        <TextField
          label="Client secret"
          name="clientSecret"
          type="password"
          autoComplete="off"
          required={signOn === null}
          placeholder={signOn === null ? '' : 'unchanged'}
        />
      </div>
      <AreaField
        label="Roles from claims"
        name="roles"
        rows={3}
        defaultValue={roleLines(signOn?.roles ?? [])}
        placeholder="groups gateway-admins org_admin"
        hint="One on each line: claim, value, role (org_admin, billing_viewer, team_admin, member). The first line that matches decides; people without one become members."
      />
      <AreaField
        label="Teams from claims"
        name="teams"
        rows={2}
        defaultValue={teamLines(signOn?.teams ?? [], teams)}
        placeholder="groups data-science = Data Science"
        hint="One on each line: claim, value = the team's name. The first line that matches decides; without one the team stays as it is."
      />
      <Switch label="Members must sign in this way to open these pages" isOn={isRequired} onChange={setRequired} />
      <Switch
        label="Trust addresses although the issuer does not say that they are verified (Entra)"
        isOn={trustsEmail}
        onChange={setTrustsEmail}
      />
      <FormError />
      <div className="flex gap-2">
        <SubmitButton kind="primary">Save</SubmitButton>
        {signOn !== null && (
          <Removal
            label="Remove the issuer"
            verb="Remove the issuer"
            done="Single sign-on is removed."
            run={() => removeSignOn(orgId)}
            text="Remove"
          >
            People who signed in through it are signed out and need a password, or a link by mail to set one. Members
            stay.
          </Removal>
        )}
      </div>
    </Form>
  );
}
