import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { ByokKey } from '../../../api/orgs/byok.ts';
import { orgKeysQuery } from '../../../api/orgs/keys.ts';
import type { Membership } from '../../../api/orgs/organizations.ts';
import { CurrentOrg } from '../current-org.ts';
import { UpstreamFields } from './upstream-fields.tsx';

const org = { id: 'org-1', role: 'org_admin' } as Membership;
const upstream = { modelMappings: [], scopedApiKeyIds: ['key-gone'] } as unknown as ByokKey;

test('a key that is revoked, or not read yet, stays chosen: with none, the upstream would serve every key', () => {
  const queryClient = new QueryClient();
  const drawn = (): string =>
    renderToStaticMarkup(
      <QueryClientProvider client={queryClient}>
        <CurrentOrg value={org}>
          <UpstreamFields upstream={upstream} />
        </CurrentOrg>
      </QueryClientProvider>,
    );
  const isChosen = /name="scopedApiKeyIds"[^>]*checked=""[^>]*value="key-gone"|value="key-gone"[^>]*checked=""/;
  expect(drawn()).toMatch(isChosen);
  queryClient.setQueryData(orgKeysQuery(org.id).queryKey, []);
  expect(drawn()).toMatch(isChosen);
  expect(drawn()).toContain('A revoked key');
});
