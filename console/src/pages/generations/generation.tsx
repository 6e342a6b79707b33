// One call: how it went, which providers were tried, how long each part took, what it used and what it cost.

import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type Generation, generationQuery } from '../../api/generations.ts';
import type { Coming } from '../../page-route.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { formatCount, formatDuration, formatExactUsd, formatUsd } from '../../ui/format.ts';
import { Moment } from '../../ui/moment.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Stat, StatRow } from '../../ui/stat.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { Attempts } from './attempts.tsx';
import { AutoChoice } from './auto-choice.tsx';
import { ContentCard } from './content-card.tsx';
import { CostTable } from './cost-table.tsx';
import { costFacts, tokenFacts } from './generation-facts.ts';
import { outcomeOf } from './outcome.ts';
import { Reviews } from './reviews.tsx';

export function ahead({ queryClient, params: { id }, search: { orgId } }: Coming): void {
  void queryClient.prefetchQuery(generationQuery(id, orgId));
}

export function GenerationPage() {
  const { id } = useParams({ from: '/member/generations/$id' });
  const { orgId } = useSearch({ from: '/member/generations/$id' });
  const query = useQuery(generationQuery(id, orgId));
  return (
    <Page
      title="Generation"
      description={
        <Link to="/generations" search={{ orgId }} className={textLinkClass}>
          All generations
        </Link>
      }
    >
      <QueryView query={query}>
        {(generation) => <Details key={generation.id} generation={generation} orgId={orgId} />}
      </QueryView>
    </Page>
  );
}

type DetailsProps = Readonly<{ generation: Generation; orgId: string | undefined }>;

function Details({ generation, orgId }: DetailsProps) {
  const { id, duration_ms: durationMs, first_token_ms: firstMs, throughput, usage } = generation;
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <code className="font-mono text-sm break-all">{id}</code>
        <CopyButton text={id} label="Copy the id" />
        <Badges generation={generation} />
      </div>
      <StatRow>
        <Stat label="Cost" value={formatUsd(usage.cost)} />
        <Stat label="In all" value={formatDuration(durationMs)} />
        <Stat label="First token" value={firstMs === null ? 'not streamed' : formatDuration(firstMs)} />
        <Stat
          label="Speed"
          value={throughput === 0 ? '–' : formatCount(Math.round(throughput))}
          note="tokens a second"
        />
      </StatRow>
      {generation.error !== null && (
        <Notice tone="warn">
          The client was told ({generation.error.status}, {generation.error.code}): {generation.error.message}
        </Notice>
      )}
      {firstMs !== null && <Timeline firstMs={firstMs} durationMs={durationMs} />}
      <div className="grid items-start gap-5 lg:grid-cols-3">
        <Card title="Call">
          <Facts facts={callFacts(generation, orgId)} />
        </Card>
        <Card title="Tokens">
          <Facts facts={tokenFacts(usage)} />
        </Card>
        <Card title="Cost">
          <Facts facts={costFacts(generation)} />
        </Card>
      </div>
      {generation.pricing !== null && <Pricing generation={generation} pricing={generation.pricing} />}
      {orgId !== undefined && generation.operation === 'chat' && <ContentCard orgId={orgId} id={id} />}
      <Attempts attempts={generation.attempts} />
      <Reviews reviews={generation.reviews} />
      {generation.auto !== null && <AutoChoice auto={generation.auto} />}
    </>
  );
}

function Badges({ generation }: Readonly<{ generation: Generation }>) {
  const { text, tone } = outcomeOf(generation);
  return (
    <span className="flex flex-wrap gap-1.5">
      <Badge tone={tone}>{text}</Badge>
      {generation.streamed && <Badge>streamed</Badge>}
      {generation.is_failover && <Badge tone="warn">another provider took over</Badge>}
      {generation.is_free && <Badge tone="good">free</Badge>}
    </span>
  );
}

const callFacts = (generation: Generation, orgId: string | undefined): readonly Fact[] => [
  [
    'Model',
    <Link key="model" to="/models/$slug" params={{ slug: generation.model }} className={textLinkClass}>
      {generation.model}
    </Link>,
  ],
  ['Provider', generation.provider],
  ['Kind', generation.operation],
  [
    'Key',
    <Link key="key" to="/generations" search={{ orgId, key: generation.key_id }} className={textLinkClass}>
      {generation.key_name ?? generation.key_id}
    </Link>,
  ],
  ['App', generation.app_name ?? 'not named'],
  ['At', <Moment key="at" at={generation.created_at} />],
];

type PricingProps = Readonly<{ generation: Generation; pricing: NonNullable<Generation['pricing']> }>;

function Pricing({ generation, pricing }: PricingProps) {
  const lines = pricing.lines.map(({ what, units, usd, usd_per_million, usd_per_unit }) => ({
    what,
    units,
    usd,
    perMillionUsd: usd_per_million,
    unitUsd: usd_per_unit,
  }));
  const terms = {
    tierAbovePromptTokens: pricing.tier_above_prompt_tokens,
    completionMultiplier: pricing.completion_multiplier,
    extras: pricing.extras,
  };
  return (
    <Card title="How the price makes the cost" isFlush>
      <CostTable lines={lines} terms={terms} totalUsd={formatExactUsd(generation.usage.cost)} />
    </Card>
  );
}

function Timeline({ firstMs, durationMs }: Readonly<{ firstMs: number; durationMs: number }>) {
  const share = durationMs === 0 ? 0 : Math.min(1, firstMs / durationMs);
  return (
    <div className="grid gap-1.5">
      <div aria-hidden="true" className="flex h-2.5 overflow-hidden rounded-full bg-accent">
        <div className="bg-[var(--chart-2)]" style={{ width: `${share * 100}%` }} />
      </div>
      <p className="flex flex-wrap justify-between gap-3 text-xs text-quiet">
        <span>{formatDuration(firstMs)} until the first token</span>
        <span>{formatDuration(Math.max(0, durationMs - firstMs))} of answer</span>
      </p>
    </div>
  );
}
