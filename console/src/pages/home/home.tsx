// The first page after signing in: the balance, a first key, and how to make the first call with any client. A secret
// that is made here is in the snippets until the page is left.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { accountQuery, usageQuery } from '../../api/account.ts';
import { keysQuery } from '../../api/keys.ts';
import { isFree, type Model, makesText, modelsQuery } from '../../api/models.ts';
import { siteQuery } from '../../api/site.ts';
import type { Coming } from '../../page-route.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AccountFigures } from './account-figures.tsx';
import { KeyStep } from './key-step.tsx';
import { NoMoneyNotice } from './no-money-notice.tsx';
import { snippets } from './snippets.ts';

export function ahead({ queryClient }: Coming): void {
  void queryClient.prefetchQuery(modelsQuery);
  void queryClient.prefetchQuery(accountQuery());
  void queryClient.prefetchQuery(usageQuery({ period: 'day' }));
  void queryClient.prefetchQuery(usageQuery({ period: 'month' }));
  void queryClient.prefetchQuery(keysQuery);
  void queryClient.prefetchQuery(siteQuery);
}

export function Home() {
  const models = useQuery(modelsQuery);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page
      title="Start"
      description="Point any OpenAI or Anthropic client at this gateway. One key, every model, one balance."
      actions={
        <Link to="/playground" className={buttonClass('primary')}>
          Open the playground
        </Link>
      }
    >
      <AccountFigures />
      <NoMoneyNotice />
      <KeyStep secret={secret} onSecret={setSecret} />
      <Card
        title="Connect a client"
        description={
          secret === null
            ? 'Set TOLLGATE_API_KEY to one of your keys, then:'
            : 'Your new key is in these lines until you leave the page.'
        }
      >
        <QueryView query={models}>{(list) => <SnippetTabs models={list} secret={secret} />}</QueryView>
      </Card>
    </Page>
  );
}

type SnippetTabsProps = Readonly<{ models: readonly Model[]; secret: string | null }>;

function SnippetTabs({ models, secret }: SnippetTabsProps) {
  const texts = models.filter(makesText);
  const account = useQuery(accountQuery());
  // Without money every other model would refuse the first call.
  const free = account.data?.balance === 0 ? texts.find(isFree)?.id : undefined;
  const model = free ?? texts[0]?.id ?? 'provider/model';
  const claudeModel = free ?? texts.find(({ id }) => id.includes('claude'))?.id ?? model;
  const tabs = snippets({ origin: location.origin, model, claudeModel, secret }).map(({ id, label, code, note }) => ({
    id,
    label,
    content: (
      <div className="grid grid-cols-1 gap-2">
        <CodeBlock label={`Settings for ${label}`} code={code} />
        {note !== undefined && <p className="text-sm text-quiet">{note}</p>}
      </div>
    ),
  }));
  return <Tabs label="Clients" tabs={tabs} />;
}
