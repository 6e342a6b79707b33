// `npm run bench:routing`: what it costs a call to find its candidates, from the name in its body on, with the stages
// of the pipeline themselves and catalogs of growing size. Nothing is sent.

import type { Caller } from '../../gateway/src/canonical/caller.ts';
import { AUTO_TIERS, type ConfigDocument } from '../../gateway/src/contract/config.ts';
import { parseChatRequest } from '../../gateway/src/dialects/chat/parse-request.ts';
import { readFamilies } from '../../gateway/src/modules/catalog/families.ts';
import { resolve as resolveName } from '../../gateway/src/modules/catalog/resolve.ts';
import { buildSnapshot, routesOf } from '../../gateway/src/modules/catalog/snapshot.ts';
import { createRouting } from '../../gateway/src/modules/routing/routing.ts';
import { resolve } from '../../gateway/src/pipeline/resolve.ts';
import { route } from '../../gateway/src/pipeline/route.ts';
import { systemClock } from '../../gateway/src/platform/clock.ts';
import { silentLogger } from '../../gateway/src/platform/logger.ts';
import { loadClassifier } from './auto-accuracy.ts';
import { median } from './load/quantiles.ts';

const GOAL_MICROS = 100;
const MODEL_COUNTS = [10, 1_000, 10_000];
const ROUNDS = 15;
const CALLS_PER_ROUND = 2_000;

const TIER_MODELS = ['bench/model-0', 'bench/model-1'];

/** Every tenth model has five routes with their own prices, the others have one. */
function documentOf(modelCount: number): ConfigDocument {
  const names = ['north', 'east', 'south', 'west', 'centre'];
  const models = Array.from({ length: modelCount }, (_, index) => {
    const providers = index % 10 === 0 ? names : names.slice(index % 5, (index % 5) + 1);
    const routes = providers.map((provider, place) => ({
      provider,
      upstream_model: `model-${index}`,
      pricing: { prompt: String(1 + place), completion: String(2 + place) },
    }));
    return [`bench/model-${index}`, { pricing: { prompt: '1', completion: '2' }, routes }] as const;
  });
  return {
    providers: Object.fromEntries(
      names.map((name) => [name, { protocol: 'openai', base_url: `https://${name}.example/v1`, api_key: 'bench' }]),
    ),
    models: Object.fromEntries(models),
    auto: { paid: Object.fromEntries(AUTO_TIERS.map((tier) => [tier, { enabled: true, models: TIER_MODELS }])) },
  };
}

const messages = [{ role: 'user', content: 'What is the capital of France, and how many people live there?' }];

const REQUESTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'one route': { model: 'bench/model-1' },
  'five routes, price-weighted': { model: 'bench/model-0' },
  'five routes, order and filters': {
    model: 'bench/model-0',
    provider: { order: ['west', 'south'], ignore: ['north'], max_price: { prompt: 4, completion: 5 } },
  },
  'five routes, sorted by latency, one fallback': {
    model: 'bench/model-0',
    models: ['bench/model-0', 'bench/model-1'],
    provider: { sort: 'latency' },
  },
  'auto, scored and routed': { model: 'auto' },
};

function measure(modelCount: number): ReadonlyMap<string, number> {
  const document = documentOf(modelCount);
  const snapshot = buildSnapshot({ revision: 1n, document, history: [], families: readFamilies(), lateVariables: {} });
  const catalog = {
    current: () => snapshot,
    resolve: (name: string, options: Parameters<typeof resolveName>[2]) => resolveName(snapshot, name, options),
    routesOf: (model: Parameters<typeof routesOf>[1]) => routesOf(snapshot, model),
  };
  const routing = createRouting({
    clock: systemClock,
    logger: silentLogger,
    metrics: { routeIsolated: () => {} },
    random: Math.random,
  });
  const services = { catalog, routing, autoClassifier: loadClassifier() };
  // Routing reads only these fields of a caller.
  const caller = { accountId: 'bench', userId: 'bench', keyId: 'bench' } as Caller;
  const figures = new Map<string, number>();
  for (const [name, fields] of Object.entries(REQUESTS)) {
    const request = parseChatRequest({ ...fields, messages });
    const serve = (): void => {
      for (let call = 0; call < CALLS_PER_ROUND; call += 1) {
        const resolution = resolve(request, services, systemClock.nowMs());
        route({ request, resolution, caller }, services);
      }
    };
    serve();
    const rounds = Array.from({ length: ROUNDS }, () => {
      const before = process.cpuUsage();
      serve();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / CALLS_PER_ROUND;
    });
    figures.set(name, median(rounds));
  }
  return figures;
}

const measured = MODEL_COUNTS.map((count) => ({ count, figures: measure(count) }));
console.log('CPU time to find out who serves a call, in microseconds (median of rounds)\n');
console.log(`${''.padEnd(46)}${MODEL_COUNTS.map((count) => `${count} models`.padStart(14)).join('')}`);
for (const name of Object.keys(REQUESTS)) {
  const cells = measured.map(({ figures }) => (figures.get(name) ?? 0).toFixed(1).padStart(14));
  console.log(`${name.padEnd(46)}${cells.join('')}`);
}
const worst = Math.max(...measured.flatMap(({ figures }) => [...figures.values()]));
console.log(`\nThe dearest takes ${worst.toFixed(1)}; the goal is under ${GOAL_MICROS}.`);
