// The clients of a gateway for hours: people who stream, some who leave early, uploads, console sessions, keys that are
// made and deleted, an operator who changes the configuration. Each does the same small thing again and again, and
// reports answers that it must not get.

import { setTimeout as sleep } from 'node:timers/promises';
import { recording } from '../audio/audio-harness.ts';
import type { GatewayProcess } from '../behaviour/gateway-process.ts';
import { configDocument, type Json } from '../harness.ts';

export const MODELS = {
  'openai/plain': { commands: 'tokens-100-20' },
  'openai/long': { commands: 'tokens-100-40+chunks-40+delay-100' },
  'openai/broken': { commands: 'tokens-100-20+reset-after-3+every-2' },
  'openai/failing': { commands: 'status-503+every-2' },
  'openai/listener': {
    entry: { input_modalities: ['audio'], output_modalities: ['transcription'], pricing: { audio_second: '0.0001' } },
  },
};

const PASSWORD = 'a long enough password';
/** The pause of ordinary calls. */
const HURRIED_PAUSE_MS = 50;

/** Allowed ordinary answers; for upstreams that fail on purpose, also the error that the caller then gets. */
const GOOD = new Set([200]);
const FAULTY = new Set([200, 502, 503]);

export class Company {
  readonly #gateway: GatewayProcess;
  readonly #key: string;
  readonly #userId: string;
  readonly #counts = new Map<string, number>();
  readonly #problems = new Map<string, number>();
  toldNanoUsd = 0n;
  /** The gateway is being restarted: no answer is then not an error. */
  isAway = false;
  /** What otherwise comes once in a while comes as often as it can. */
  isHurrying = false;
  #isOver = false;

  constructor(gateway: GatewayProcess, key: string, userId: string) {
    this.#gateway = gateway;
    this.#key = key;
    this.#userId = userId;
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** Each with how often it came. */
  get problems(): readonly string[] {
    return [...this.#problems].map(([problem, count]) => `${count} times ${problem}`);
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Runs until it is stopped; resolves at its end. */
  async begin(streams: number): Promise<void> {
    const many = (length: number, work: () => Promise<void>, pauseMs: number): Promise<void>[] =>
      Array.from({ length }, (_, index) => this.#again(work, pauseMs, (index * 4_000) / length));
    await Promise.all([
      ...many(streams, () => this.#stream('openai/long', Math.random() < 0.05), 50),
      ...many(2, () => this.#whole('openai/plain', GOOD), 50),
      ...many(1, () => this.#whole('openai/failing', FAULTY), 200),
      ...many(1, () => this.#stream('openai/broken', false), 200),
      ...many(1, () => this.#upload(), 500),
      ...many(1, () => this.#visitConsole(), 1_000),
      ...many(1, () => this.#rotateKey(), 2_000),
      ...many(1, () => this.#changeConfiguration(), 5_000),
    ]);
  }

  async #again(work: () => Promise<void>, pauseMs: number, firstMs: number): Promise<void> {
    await sleep(firstMs);
    while (!this.#isOver) {
      const wasAway = this.isAway;
      try {
        await work();
      } catch (error) {
        // A connection that breaks while the gateway goes, or is not there before it has come back.
        if (!wasAway && !this.isAway) this.#note(`broken: ${String((error as Error).cause ?? error).slice(0, 120)}`);
        this.#count('interrupted');
        await sleep(300);
      }
      await sleep(this.isHurrying ? Math.min(pauseMs, HURRIED_PAUSE_MS) : pauseMs);
    }
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  #note(problem: string): void {
    const known = problem.replaceAll(/(?:gen|req)-[\w-]+|\d{6,}/g, '…');
    this.#problems.set(known, (this.#problems.get(known) ?? 0) + 1);
  }

  #check(what: string, status: number, expected: ReadonlySet<number>, text: string): void {
    this.#count(`${what} ${status}`);
    // 503 with a Retry-After is how a gateway shuts down in order.
    if (!expected.has(status) && !(this.isAway && status === 503))
      this.#note(`${what}: ${status} ${text.slice(0, 160)}`);
  }

  #send(path: string, body: unknown, key = this.#key, signal: AbortSignal | null = null): Promise<Response> {
    const isForm = body instanceof FormData;
    return fetch(this.#gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
      body: isForm ? body : JSON.stringify(body),
      signal,
    });
  }

  async #stream(model: string, leavesEarly: boolean): Promise<void> {
    const leaving = new AbortController();
    const body = { model, stream: true, max_tokens: 60, messages: [{ role: 'user', content: 'hello' }] };
    const response = await this.#send('/v1/chat/completions', body, this.#key, leaving.signal);
    let text = '';
    try {
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString();
        if (leavesEarly && text.length > 2_000) leaving.abort();
      }
    } catch (error) {
      if (!leavesEarly) throw error;
      this.#count('left early');
      return;
    }
    this.#check(`stream of ${model}`, response.status, model === 'openai/long' ? GOOD : FAULTY, text);
    if (response.status === 200 && model === 'openai/long') this.#paid(text);
  }

  async #whole(model: string, expected: ReadonlySet<number>): Promise<void> {
    const body = { model, max_tokens: 60, messages: [{ role: 'user', content: 'hello' }] };
    const response = await this.#send('/v1/chat/completions', body);
    const text = await response.text();
    this.#check(`call of ${model}`, response.status, expected, text);
    if (response.status === 200) this.#paid(text);
  }

  #paid(text: string): void {
    const cost = [...text.matchAll(/"cost":([0-9.e-]+)/g)].at(-1)?.[1];
    if (cost === undefined) this.#note(`no cost in ${text.slice(-200)}`);
    else this.toldNanoUsd += BigInt(Math.round(Number(cost) * 1e9));
  }

  async #upload(): Promise<void> {
    const form = new FormData();
    form.set('model', 'openai/listener');
    form.set('file', new Blob([new Uint8Array(recording(30))], { type: 'audio/wav' }), 'talk.wav');
    const response = await this.#send('/v1/audio/transcriptions', form);
    this.#check('upload', response.status, GOOD, await response.text());
    if (response.status === 200) this.toldNanoUsd += 3_000_000n;
  }

  async #visitConsole(): Promise<void> {
    const email = `visitor-${crypto.randomUUID()}@example.test`;
    const visitor = await this.#gateway.operate('POST', '/admin/v1/users', { email, name: 'V', password: PASSWORD });
    if (visitor.error !== undefined) return this.#note(`visitor: ${JSON.stringify(visitor).slice(0, 200)}`);
    const entered = await fetch(`${this.#gateway.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: this.#gateway.url },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    const text = await entered.text();
    this.#check('sign-in', entered.status, new Set([200, 429]), text);
    const cookie = entered.headers
      .getSetCookie()
      .map((line) => line.split(';', 1)[0])
      .join('; ');
    if (entered.status !== 200) return;
    for (const path of ['/api/auth/session', '/api/auth/sessions', '/v1/insights']) {
      const page = await fetch(this.#gateway.url + path, { headers: { cookie } });
      this.#check(`console ${path}`, page.status, GOOD, await page.text());
    }
    await fetch(`${this.#gateway.url}/api/auth/logout`, {
      method: 'POST',
      headers: { cookie, origin: this.#gateway.url },
    });
  }

  async #rotateKey(): Promise<void> {
    const made = await this.#gateway.operate('POST', `/admin/v1/users/${this.#userId}/keys`, {
      name: 'r',
      keyType: 'standard',
    });
    if (made.error !== undefined) return this.#note(`key: ${JSON.stringify(made).slice(0, 200)}`);
    const key = String(made.key);
    const ask = async () => {
      const response = await this.#send(
        '/v1/chat/completions',
        { model: 'openai/plain', messages: [{ role: 'user', content: 'x' }] },
        key,
      );
      return { status: response.status, text: await response.text() };
    };
    const first = await ask();
    this.#check('new key', first.status, GOOD, first.text);
    if (first.status === 200) this.#paid(first.text);
    await this.#gateway.remove(`/admin/v1/keys/${String(made.id)}`);
    const second = await ask();
    this.#check('deleted key', second.status, new Set([401]), second.text);
  }

  async #changeConfiguration(): Promise<void> {
    const name = `openai/changed-${Math.floor(Math.random() * 5)}`;
    const document = configDocument(this.#gateway.simulator.url, { models: { ...MODELS, [name]: {} } });
    const answer: Json = await this.#gateway.operate('PUT', '/admin/v1/config', document);
    if (answer.error !== undefined) this.#note(`configuration: ${JSON.stringify(answer).slice(0, 200)}`);
    this.#count('configuration changed');
  }
}
