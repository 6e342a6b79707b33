// Follows answers that come later to their end, as their owner would: the result of a job is the call's own answer, the
// result of a batch is in one of its files.

import type { Json } from '../harness.ts';

type Told = Readonly<{ status: number; text: string }>;
type Ask = (path: string, init?: RequestInit) => Promise<Response>;

const LOOK_MS = 50;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_MS));
const jsonOf = async (response: Response): Promise<Json> => (await response.json()) as Json;

export async function followJob(ask: Ask, ordered: string): Promise<Told> {
  const { id } = JSON.parse(ordered) as Json;
  for (;;) {
    const result = await ask(`/v1/jobs/${String(id)}/result`);
    const text = await result.text();
    if (result.status !== 202) return { status: result.status, text };
    await pause();
  }
}

/** As a form for `/v1/files`, the one line of a batch. */
function lineForm(url: string, body: string): FormData {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([`{"custom_id":"a","method":"POST","url":"${url}","body":${body}}`]), 'in.jsonl');
  return form;
}

export async function orderBatch(ask: Ask, endpoint: string, body: string): Promise<Response> {
  const file = await jsonOf(await ask('/v1/files', { method: 'POST', body: lineForm(endpoint, body) }));
  const order = JSON.stringify({ input_file_id: file.id, endpoint, completion_window: '24h' });
  return ask('/v1/batches', { method: 'POST', body: order, headers: { 'content-type': 'application/json' } });
}

export async function followBatch(ask: Ask, ordered: string): Promise<Told> {
  const { id } = JSON.parse(ordered) as Json;
  for (;;) {
    const batch = await jsonOf(await ask(`/v1/batches/${String(id)}`));
    const fileId = batch.output_file_id ?? batch.error_file_id;
    if (typeof fileId === 'string') {
      const line = await jsonOf(await ask(`/v1/files/${fileId}/content`));
      const { status_code: status, body } = line.response as Json;
      return { status: Number(status), text: JSON.stringify(body) };
    }
    await pause();
  }
}
