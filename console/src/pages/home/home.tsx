// The first page after signing in: what there is to spend, and how to make the first call from whatever one uses.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Model, makesText, modelsQuery } from '../../api/models.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { snippets } from './snippets.ts';

export function Home() {
  const models = useQuery(modelsQuery);
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
      <Card title="Connect a client" description="Set TOLLGATE_API_KEY to one of your keys, then:">
        <QueryView query={models}>{(list) => <SnippetTabs models={list} />}</QueryView>
      </Card>
    </Page>
  );
}

function SnippetTabs({ models }: Readonly<{ models: readonly Model[] }>) {
  const texts = models.filter(makesText);
  const model = texts[0]?.id ?? 'provider/model';
  const claudeModel = texts.find(({ id }) => id.includes('claude'))?.id ?? model;
  const tabs = snippets({ origin: location.origin, model, claudeModel }).map(({ id, label, code, note }) => ({
    id,
    label,
    content: (
      <div className="grid gap-2">
        <CodeBlock label={`Settings for ${label}`} code={code} />
        {note !== undefined && <p className="text-sm text-quiet">{note}</p>}
      </div>
    ),
  }));
  return <Tabs label="Clients" tabs={tabs} />;
}
