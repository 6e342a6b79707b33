// One upstream key: its health, whose calls it serves, and its models, each with a switch.

import { useQuery } from '@tanstack/react-query';
import { type ByokChanges, type ByokKey, changeByokKey, deleteByokKey } from '../../../api/orgs/byok.ts';
import { orgKeysQuery } from '../../../api/orgs/keys.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { Moment } from '../../../ui/moment.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { useOrg } from '../current-org.ts';
import { EditButton } from '../edit-button.tsx';
import { Removal } from '../removal.tsx';
import { useOrgChange } from '../use-org-change.ts';

const HEALTH: Readonly<Record<ByokKey['health']['status'], readonly [Tone, string]>> = {
  unknown: ['neutral', 'not checked yet'],
  healthy: ['good', 'healthy'],
  unhealthy: ['bad', 'unhealthy'],
};

export function UpstreamCard({ upstream, onEdit }: Readonly<{ upstream: ByokKey; onEdit: () => void }>) {
  const { id: orgId } = useOrg();
  const { id, name, enabled, health } = upstream;
  const change = useOrgChange({ run: (body: ByokChanges) => changeByokKey(orgId, id, body) });
  const [tone, words] = HEALTH[health.status];
  return (
    <Card
      title={name}
      description={<code className="font-mono text-xs break-all">{upstream.baseUrl}</code>}
      actions={
        <>
          <Badge tone={tone}>{words}</Badge>
          <Switch
            label={`${name} is on`}
            isLabelHidden
            isOn={change.isPending ? (change.variables.enabled ?? enabled) : enabled}
            onChange={(isOn) => change.mutate({ enabled: isOn })}
          />
          <EditButton label={`Edit ${name}`} onClick={onEdit} />
          <Removal
            label={`Delete ${name}`}
            verb="Delete the key"
            done="The upstream key is deleted."
            run={() => deleteByokKey(orgId, id)}
          >
            Calls go through the gateway’s own providers from the next one on, and are charged. The stored secret is
            erased. This cannot be undone.
          </Removal>
        </>
      }
      isFlush
    >
      <div className="grid max-w-2xl gap-4 px-5 pb-5">
        <ErrorNotice error={change.error} />
        <UpstreamFacts upstream={upstream} />
      </div>
      <MappingTable
        upstream={upstream}
        onSwitch={(model, isOn) => change.mutate({ modelToggles: { [model]: isOn } })}
      />
    </Card>
  );
}

function UpstreamFacts({ upstream }: Readonly<{ upstream: ByokKey }>) {
  const { keyMask, protocol, fallbackMode, health } = upstream;
  return (
    <Facts
      facts={[
        ['Key', <code key="mask">{keyMask}</code>],
        ['Protocol', protocol],
        [
          'When the upstream fails',
          fallbackMode === 'seamless' ? 'goes on with the gateway’s providers' : 'the call fails',
        ],
        ['For', <ScopeText key="scope" keyIds={upstream.scopedApiKeyIds} />],
        ['Checked', health.lastCheckedAt === null ? 'never' : <Moment key="checked" at={health.lastCheckedAt} />],
        ...(health.lastError === null ? [] : [['Last error', health.lastError] as const]),
      ]}
    />
  );
}

function ScopeText({ keyIds }: Readonly<{ keyIds: readonly string[] }>) {
  const { id: orgId } = useOrg();
  const { data: keys = [] } = useQuery(orgKeysQuery(orgId));
  if (keyIds.length === 0) return 'every key of the organization';
  return keyIds.map((id) => keys.find((key) => key.id === id)?.name ?? 'a revoked key').join(', ');
}

const COLUMNS = [{ label: 'Model' }, { label: 'Name at the upstream' }, { label: 'On' }];

type MappingTableProps = Readonly<{ upstream: ByokKey; onSwitch: (model: string, isOn: boolean) => void }>;

function MappingTable({ upstream, onSwitch }: MappingTableProps) {
  if (upstream.modelMappings.length === 0) {
    return <p className="px-5 pb-5 text-sm text-warn">No model is mapped to it yet, so it gets no calls.</p>;
  }
  return (
    <Table label={`Models of ${upstream.name}`} columns={COLUMNS}>
      {upstream.modelMappings.map(({ model, upstreamModel, enabled }) => (
        <tr key={model}>
          <Cell className="font-mono text-xs break-all">{model}</Cell>
          <Cell className="font-mono text-xs break-all">{upstreamModel}</Cell>
          <Cell>
            <Switch
              label={`${model} goes to ${upstream.name}`}
              isLabelHidden
              isOn={enabled}
              onChange={(isOn) => onSwitch(model, isOn)}
            />
          </Cell>
        </tr>
      ))}
    </Table>
  );
}
