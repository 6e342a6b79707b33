// The providers that are connected, and the way to connect another.

import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plug } from 'lucide-react';
import {
  type ProviderTestAnswer,
  type ProviderView,
  providersQuery,
  testProvider,
} from '../../../api/operator/providers.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { Allowed } from '../role.tsx';
import { ProviderKeys } from './provider-keys.tsx';

const COLUMNS = [
  { label: 'Provider' },
  { label: 'Address' },
  { label: 'Key' },
  { label: 'Models', isNumber: true },
  { label: 'Actions', isHidden: true },
];

const connectLink = (
  <Allowed least="owner">
    <Link to="/operator/providers/connect" className={buttonClass('primary')}>
      Connect a provider
    </Link>
  </Allowed>
);

export function Providers() {
  const query = useQuery(providersQuery);
  return (
    <Page title="Providers" description="The companies whose models are called here." actions={connectLink}>
      <QueryView query={query}>{(providers) => <ProviderCards providers={providers} />}</QueryView>
    </Page>
  );
}

function ProviderCards({ providers }: Readonly<{ providers: readonly ProviderView[] }>) {
  const testing = useMutation({ mutationFn: testProvider });
  if (providers.length === 0) {
    return (
      <EmptyState icon={<Plug size={22} />} title="No provider is connected yet" action={connectLink}>
        Paste the key of a vendor, choose its models, and they can be called.
      </EmptyState>
    );
  }
  return (
    <>
      {providers.some(({ isSimulated }) => isSimulated) && (
        <Notice tone="warn">
          Answers of {formatCount(simulatedModels(providers))} models come from a simulator. Connect a provider to get
          real ones.
        </Notice>
      )}
      {testing.data !== undefined && <TestReport report={testing.data} />}
      <ErrorNotice error={testing.error} />
      <Card isFlush>
        <Table label="Providers" columns={COLUMNS}>
          {providers.map((provider) => (
            <tr key={provider.name}>
              <Cell>
                <span className="font-medium">{provider.name}</span>
                <span className="block text-xs text-quiet">
                  {provider.isSimulated ? 'simulator' : (provider.title ?? provider.protocol)}
                </span>
              </Cell>
              <Cell className="font-mono text-xs break-all">{provider.baseUrl}</Cell>
              <Cell>
                <KeyBadge provider={provider} />
              </Cell>
              <Cell isNumber>
                {formatCount(provider.models)}
                {provider.unpricedModels.length > 0 && (
                  <span className="block text-xs text-warn">{provider.unpricedModels.length} without a price</span>
                )}
              </Cell>
              <Cell className="text-right">
                <span className="inline-flex gap-2">
                  <ProviderKeys provider={provider} />
                  <Allowed least="owner">
                    <Button
                      isSmall
                      aria-label={`Test ${provider.name}`}
                      isBusy={testing.isPending && testing.variables === provider.name}
                      onClick={() => testing.mutate(provider.name)}
                    >
                      Test
                    </Button>
                  </Allowed>
                </span>
              </Cell>
            </tr>
          ))}
        </Table>
      </Card>
    </>
  );
}

const simulatedModels = (providers: readonly ProviderView[]): number =>
  providers.filter(({ isSimulated }) => isSimulated).reduce((sum, { models }) => sum + models, 0);

function KeyBadge({ provider: { hasKey, keys } }: Readonly<{ provider: ProviderView }>) {
  const aside = keys.filter(({ state }) => state !== 'usable').length;
  if (keys.length < 2 && aside === 0) {
    return <Badge tone={hasKey ? 'good' : 'neutral'}>{hasKey ? 'stored' : 'none'}</Badge>;
  }
  const words = keys.length < 2 ? 'refused' : `${keys.length} keys${aside === 0 ? '' : `, ${aside} not used for now`}`;
  return <Badge tone={aside === 0 ? 'good' : 'warn'}>{words}</Badge>;
}

function TestReport({ report }: Readonly<{ report: ProviderTestAnswer }>) {
  return (
    <Notice tone={report.ok ? 'good' : 'warn'}>
      <p className="font-medium">
        {report.name} {report.ok ? 'passed its test.' : 'did not pass its test.'}
      </p>
      <ul className="mt-1 grid gap-0.5">
        {report.checks.map(({ name, message }) => (
          <li key={name + message}>{message}</li>
        ))}
        {report.gone.map((id) => (
          <li key={id}>{id} is not listed any more; its calls will fail.</li>
        ))}
        {report.otherPrices.map(({ model, message }) => (
          <li key={model}>
            {model}: {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
