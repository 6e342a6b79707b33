// The fields of an upstream key.

import { useQuery } from '@tanstack/react-query';
import { type ByokKey, byokProtocolsQuery } from '../../../api/orgs/byok.ts';
import { orgKeysQuery } from '../../../api/orgs/keys.ts';
import { AreaField, SelectField, TextField } from '../../../ui/field.tsx';
import { useOrg } from '../current-org.ts';
import { mappingText } from './upstream-values.ts';

export function UpstreamFields({ upstream }: Readonly<{ upstream: ByokKey | null }>) {
  return (
    <>
      <TextField label="Name" name="name" required maxLength={200} defaultValue={upstream?.name ?? ''} />
      <div className="grid gap-3 sm:grid-cols-[1fr_10rem]">
        <TextField
          label="Base URL"
          name="baseUrl"
          type="url"
          required
          placeholder="https://api.example.com/v1"
          hint={upstream === null ? undefined : 'Only the path can change: the stored key goes to no other host.'}
          defaultValue={upstream?.baseUrl ?? ''}
        />
        <ProtocolField protocol={upstream?.protocol} />
      </div>
      {upstream === null && (
        <TextField
          label="The upstream’s key"
          name="apiKey"
          type="password"
          required
          autoComplete="off"
          hint="It is stored encrypted and never shown again."
        />
      )}
      <SelectField
        label="When the upstream fails"
        name="fallbackMode"
        defaultValue={upstream?.fallbackMode ?? 'seamless'}
      >
        <option value="seamless">Go on with the gateway’s providers, and pay for it</option>
        <option value="strict">Let the call fail</option>
      </SelectField>
      <AreaField
        label="Models"
        name="modelMappings"
        rows={4}
        className="font-mono"
        placeholder="provider/model = name at the upstream"
        hint="One on each line. Without “= name”, the upstream gets the name after the slash."
        defaultValue={mappingText(upstream?.modelMappings ?? [])}
      />
      <ScopeFields chosen={upstream?.scopedApiKeyIds ?? []} />
    </>
  );
}

function ProtocolField({ protocol }: Readonly<{ protocol: string | undefined }>) {
  const { id: orgId } = useOrg();
  const { data: protocols = [] } = useQuery(byokProtocolsQuery(orgId));
  return (
    <SelectField label="Protocol" name="protocol" defaultValue={protocol ?? protocols[0]}>
      {protocols.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

function ScopeFields({ chosen }: Readonly<{ chosen: readonly string[] }>) {
  const { id: orgId } = useOrg();
  const { data: keys } = useQuery(orgKeysQuery(orgId));
  // One that is revoked, or not read yet, stays chosen: with none, the upstream would serve every key.
  const others = chosen
    .filter((id) => keys?.some((key) => key.id === id) !== true)
    .map((id) => ({ id, name: keys === undefined ? '…' : 'A revoked key' }));
  const offered = [...(keys ?? []), ...others];
  if (offered.length === 0) return null;
  return (
    <fieldset className="grid gap-1">
      <legend className="text-sm font-medium">Only for these keys</legend>
      <p className="text-xs text-quiet">None chosen: every key of the organization.</p>
      <div className="grid max-h-36 gap-1 overflow-y-auto rounded-lg border border-line p-2">
        {offered.map(({ id, name }) => (
          <label key={id} className="flex items-center gap-2 text-sm">
            <input type="checkbox" name="scopedApiKeyIds" value={id} defaultChecked={chosen.includes(id)} />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
