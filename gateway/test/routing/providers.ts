// A gateway with several providers, all played by one simulator: a test says what each does at the moment and sees how
// often each was asked.

import type { StartOptions } from '../../src/app.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { LogFields, Logger } from '../../src/platform/logger.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { configDocument, type Harness, type Json, type ModelSpec, startHarness } from '../harness.ts';

const WELL = 'tokens-100-20';
const HEARTBEAT = 'acme/heartbeat';

/** The real clock, some time ahead. Periodic work runs when time is moved, as it would have in the meantime. */
export class AheadClock implements Clock {
  #aheadMs = 0;
  #stoppedAtMs: number | null = null;
  readonly #runs = new Set<() => void>();

  move(durationMs: number): void {
    this.#aheadMs += durationMs;
    for (const run of this.#runs) run();
  }

  /** From now on only a test moves the clock, so that a slow machine makes no difference. */
  stop(): void {
    this.#stoppedAtMs = systemClock.monotonicMs();
  }

  readonly nowMs = (): number => systemClock.nowMs() + this.#aheadMs;
  readonly monotonicMs = (): number => (this.#stoppedAtMs ?? systemClock.monotonicMs()) + this.#aheadMs;
  readonly every = (intervalMs: number, run: () => void): (() => void) => {
    this.#runs.add(run);
    const stop = systemClock.every(intervalMs, run);
    return () => {
      this.#runs.delete(run);
      stop();
    };
  };
  readonly sleep = systemClock.sleep;
}

/** What the gateway says of a provider on the level of errors. */
export type Alert = Readonly<{ fields: LogFields; message: string }>;

export type ProvidersOptions = Readonly<{
  providers: Readonly<Record<string, Record<string, unknown>>>;
  models: Readonly<Record<string, ModelSpec>>;
  start?: StartOptions;
}>;

type Commands = string | Promise<string>;

export class Providers {
  readonly harness: Harness;
  readonly #clock: AheadClock;
  readonly alerts: Alert[];
  readonly key: string;
  readonly #states = new Map<string, Commands>();
  readonly #next = new Map<string, Commands>();
  readonly #asked = new Map<string, number>();
  readonly bodies: Json[] = [];

  constructor(parts: { harness: Harness; clock: AheadClock; alerts: Alert[]; key: string }) {
    this.harness = parts.harness;
    this.#clock = parts.clock;
    this.alerts = parts.alerts;
    this.key = parts.key;
    this.harness.simulator.script(
      (request) => {
        const secret = String(request.headers.authorization ?? request.headers['x-api-key']).replace('Bearer ', '');
        const name = secret.replace('key-', '');
        // A question for the list of models counts as no call.
        if (request.method === 'GET') return this.#states.get(name) ?? WELL;
        if (name === 'heartbeat') return WELL;
        this.#asked.set(name, this.asked(name) + 1);
        this.bodies.push(request.json as Json);
        const { model } = request.json as { model: string };
        const next = this.#next.get(name);
        this.#next.delete(name);
        return next ?? this.#states.get(`${name} ${model}`) ?? this.#states.get(name) ?? WELL;
      },
      { times: Number.POSITIVE_INFINITY },
    );
  }

  /** Simulator commands from now on, for all models of the provider or for one; resolves when they are in effect. */
  set(provider: string, commands: Commands, upstreamModel?: string): void {
    this.#states.set(upstreamModel === undefined ? provider : `${provider} ${upstreamModel}`, commands);
  }

  /** Simulator commands for the next call alone. */
  setOnce(provider: string, commands: string): void {
    this.#next.set(provider, commands);
  }

  /** Lets time pass, and waits for the ledger to have renewed its claim after it. */
  async pass(durationMs: number): Promise<void> {
    this.#clock.move(durationMs);
    for (let status = 0; status !== 200; ) status = (await this.chat({ model: HEARTBEAT })).status;
  }

  /** From now on time passes by `pass` alone. */
  stopTime(): void {
    this.#clock.stop();
  }

  heal(): void {
    this.#states.clear();
  }

  asked(...providers: readonly string[]): number {
    const names = providers.length === 0 ? [...this.#asked.keys()] : providers;
    return names.reduce((sum, name) => sum + (this.#asked.get(name) ?? 0), 0);
  }

  chat(body: Json) {
    return this.harness.chat(this.key, body);
  }

  stream(body: Json) {
    return this.harness.stream(this.key, body);
  }

  async generation(id: unknown): Promise<Json> {
    const answer = await this.harness.request('GET', `/v1/generation?id=${id}`, { key: this.key });
    return answer.body.data as Json;
  }

  async close(): Promise<void> {
    await this.harness.close();
  }
}

export async function startProviders(options: ProvidersOptions): Promise<Providers> {
  const clock = new AheadClock();
  const alerts: Alert[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: (fields, message) => {
      if (fields.provider !== undefined) alerts.push({ fields, message });
    },
  };
  const harness = await startHarness({ start: { clock, logger, ...options.start } });
  const providers = Object.fromEntries(
    Object.entries({ ...options.providers, heartbeat: {} }).map(([name, entry]) => [
      name,
      { protocol: 'openai', base_url: `${harness.simulator.url}/v1`, api_key: `key-${name}`, ...entry },
    ]),
  );
  const specs = { ...options.models, [HEARTBEAT]: { routes: routesTo({ heartbeat: '0' }) } };
  const { models, ...others } = configDocument(harness.simulator.url, { models: specs });
  const { 'openai/test': _own, ...kept } = models as Record<string, unknown>;
  await harness.operate('PUT', '/admin/v1/config', { ...others, models: kept, providers });
  const { key } = await harness.account();
  return new Providers({ harness, clock, alerts, key });
}

/** One route to each of the providers named, at these prices per million tokens. */
export function routesTo(prices: Readonly<Record<string, string>>, upstreamModel = 'm'): object[] {
  return Object.entries(prices).map(([provider, price]) => ({
    provider,
    upstream_model: upstreamModel,
    pricing: { prompt: price, completion: price },
  }));
}
