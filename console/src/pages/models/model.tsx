// One model: what it takes and gives, what it costs at every length of prompt, and how to call it.

import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type Model, modelRoutesQuery, modelsQuery, purposeOf, slugOf } from '../../api/models.ts';
import { sessionQuery } from '../../api/session.ts';
import type { Coming } from '../../page-route.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatCount } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { NotFound } from '../not-found.tsx';
import { isPlayable } from '../playground/call-body.ts';
import { callExample } from './call-example.ts';
import { ModelBadges } from './model-badges.tsx';
import { ModelRoutes } from './model-routes.tsx';
import { extraLines, perMillion, priceLines, priceText, tierColumns } from './price-text.ts';

export function ahead({ queryClient, params: { slug } }: Coming): void {
  const isSignedIn = queryClient.getQueryData(sessionQuery.queryKey) != null;
  void queryClient.prefetchQuery(modelsQuery);
  void queryClient.prefetchQuery(modelRoutesQuery(slug, isSignedIn));
}

export function ModelPage() {
  const { slug } = useParams({ from: '/reader/models/$slug' });
  const query = useQuery(modelsQuery);
  return (
    <QueryView query={query}>
      {(models) => {
        const model = models.find((candidate) => slugOf(candidate) === slug || candidate.id === slug);
        return model === undefined ? <NotFound /> : <ModelDetails model={model} />;
      }}
    </QueryView>
  );
}

function ModelDetails({ model }: Readonly<{ model: Model }>) {
  // The health of routes is for signed-in people.
  const isSignedIn = useQuery(sessionQuery).data != null;
  return (
    <Page
      title={model.name}
      description={model.description ?? undefined}
      actions={
        isPlayable(purposeOf(model)) && (
          <Link to="/playground" search={{ model: model.id }} className={buttonClass('primary')}>
            Try it
          </Link>
        )
      }
    >
      <div className="flex flex-wrap items-center gap-3">
        <code className="font-mono text-sm">{model.id}</code>
        <CopyButton text={model.id} label="Copy the id" />
        <ModelBadges model={model} />
      </div>
      <div className="grid gap-5 lg:grid-cols-2">
        <Card title="Price">
          <Facts facts={priceLines(model.pricing)} />
        </Card>
        <Card title="Abilities">
          <Facts facts={abilities(model)} />
        </Card>
      </div>
      {model.pricing_tiers !== undefined && <Tiers tiers={model.pricing_tiers} />}
      {model.extras !== undefined && <Extras extras={model.extras} />}
      <ModelRoutes slug={slugOf(model)} isSignedIn={isSignedIn} />
      <Card title="Call it">
        <CodeBlock label="An example call" code={callExample(model, location.origin)} />
      </Card>
    </Page>
  );
}

function abilities(model: Model): readonly (readonly [string, string])[] {
  const facts: (readonly [string, string])[] = [
    ['Takes', model.architecture.input_modalities.join(', ')],
    ['Makes', model.modality.slice(model.modality.indexOf('->') + 2).replaceAll('+', ', ')],
  ];
  if (model.context_length !== null) facts.push(['Context', `${formatCount(model.context_length)} tokens`]);
  const outputMax = model.top_provider.max_completion_tokens;
  if (outputMax !== undefined) facts.push(['Longest answer', `${formatCount(outputMax)} tokens`]);
  if (model.supported_parameters.length > 0) facts.push(['Parameters', model.supported_parameters.join(', ')]);
  if (model.video !== undefined) {
    facts.push(['Durations', model.video.durations.map((seconds) => `${seconds} s`).join(', ')]);
    facts.push(['Resolutions', model.video.resolutions.join(', ')]);
  }
  return facts;
}

type Tier = NonNullable<Model['pricing_tiers']>[number];

function Tiers({ tiers }: Readonly<{ tiers: readonly Tier[] }>) {
  const prices = tierColumns(tiers);
  const columns = [{ label: 'Prompt longer than' }, ...prices.map(([, label]) => ({ label, isNumber: true }))];
  return (
    <Card title="Longer prompts" description="The whole call is priced by the length of its prompt." isFlush>
      <Table label="Prices by length of prompt" columns={columns}>
        {tiers.map((tier) => (
          <tr key={tier.above_prompt_tokens}>
            <Cell>{formatCount(tier.above_prompt_tokens)} tokens</Cell>
            {prices.map(([key]) => (
              <Cell key={key} isNumber>
                {tier[key] === undefined ? '–' : priceText(perMillion(tier[key]))}
              </Cell>
            ))}
          </tr>
        ))}
      </Table>
    </Card>
  );
}

function Extras({ extras }: Readonly<{ extras: NonNullable<Model['extras']> }>) {
  return (
    <Card
      title="Extras"
      description="Options that a request may ask for, and what they cost. An option that is not listed is not offered."
      isFlush
    >
      <Table label="Extras" columns={[{ label: 'In the request' }, { label: 'Price' }]}>
        {extraLines(extras).map(([name, price]) => (
          <tr key={name}>
            <Cell className="font-mono text-xs break-all">{name}</Cell>
            <Cell>{price}</Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
