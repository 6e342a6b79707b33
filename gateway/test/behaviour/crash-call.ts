// One client's call, with what it has received so far. A job or a batch is asked about until it has an answer, also by
// the client of the next gateway.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../harness.ts';
import { costSeen, modelOf, type Surface } from './crash-surfaces.ts';

const LOOK_MS = 50;

export class CrashCall {
  readonly surface: Surface;
  readonly isStream: boolean;
  readonly key: string;
  readonly accountId: string;
  text = '';
  /** Of the job or the batch, once there is one. */
  #id: string | null = null;

  constructor(surface: Surface, isStream: boolean, account: Readonly<{ key: string; accountId: string }>) {
    this.surface = surface;
    this.isStream = isStream;
    this.key = account.key;
    this.accountId = account.accountId;
  }

  get name(): string {
    return `${this.surface.name}, ${this.isStream ? 'streamed' : 'whole'}`;
  }

  /** Null for a client that has not seen the finish. */
  get costSeen(): number | null {
    const isComplete = this.isStream || this.text.trimEnd().endsWith('}');
    return isComplete ? costSeen(this.isStream ? (this.surface.finish ?? '') : '{', this.text) : null;
  }

  async run(url: string, model: string): Promise<void> {
    this.text = '';
    try {
      if (this.surface.goesOn === 'job' || this.surface.goesOn === 'batch') return await this.#runLater(url, model);
      await this.#read(await this.#post(url, this.surface.path, this.#bodyFor(model)));
    } catch {
      // The connection died with the gateway.
    }
  }

  async #runLater(url: string, model: string): Promise<void> {
    const ask = (path: string): Promise<Response> => fetch(url + path, { headers: this.#authorization });
    this.#id ??= String((await jsonOf(await this.#order(url, model))).id);
    for (;;) {
      const found =
        this.surface.goesOn === 'job' ? await ask(`/v1/jobs/${this.#id}/result`) : await this.#resultOf(ask);
      if (found?.status === 200) return this.#read(found);
      await sleep(LOOK_MS);
    }
  }

  async #order(url: string, model: string): Promise<Response> {
    const { path, goesOn } = this.surface;
    const body = this.#bodyFor(model);
    if (goesOn === 'job') return this.#post(url, path, body);
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([JSON.stringify({ custom_id: 'a', method: 'POST', url: path, body })]), 'in.jsonl');
    const file = await jsonOf(
      await fetch(`${url}/v1/files`, { method: 'POST', headers: this.#authorization, body: form }),
    );
    return this.#post(url, '/v1/batches', { input_file_id: file.id, endpoint: path, completion_window: '24h' });
  }

  /** Null while the batch is under way. */
  async #resultOf(ask: (path: string) => Promise<Response>): Promise<Response | null> {
    const { output_file_id: fileId } = await jsonOf(await ask(`/v1/batches/${this.#id}`));
    return typeof fileId === 'string' ? ask(`/v1/files/${fileId}/content`) : null;
  }

  get #authorization(): Record<string, string> {
    return { Authorization: `Bearer ${this.key}` };
  }

  #bodyFor(model: string): Json {
    const body = { model: modelOf(this.surface, model), ...this.surface.body };
    return this.surface.finish === undefined ? body : { ...body, stream: this.isStream };
  }

  #post(url: string, path: string, body: Json): Promise<Response> {
    const headers = { ...this.#authorization, 'Content-Type': 'application/json', ...this.surface.headers };
    return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) this.text += decoder.decode(bytes, { stream: true });
  }
}

const jsonOf = async (response: Response): Promise<Json> => (await response.json()) as Json;
