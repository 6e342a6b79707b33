// Results of a provider's batch that cannot be stored, because the database goes away while they are read.

import { expect, test } from 'vitest';
import type { Provider } from '../../canonical/model.ts';
import type { HandedBatch } from '../../modules/batches/handed.ts';
import { silentLogger } from '../../platform/logger.ts';
import type { Receiver, TransportCall } from '../../upstreams/transport/receiver.ts';
import { type AdvanceServices, advanceHanded } from './advance-handed.ts';

const provider: Provider = {
  ...{ name: 'acme', protocol: 'openai', baseUrl: 'https://acme.example/v1', apiKey: 'key' },
  ...{ dataCollection: 'deny', speaksResponses: false },
};

const batch: HandedBatch = {
  ...{ id: 'handed-1', batchId: 'batch-1', providerName: 'acme', upstreamModel: 'm', path: '/chat/completions' },
  ...{ state: 'sent', upstreamId: 'up-1', lineCount: 2, bytes: 2n, tries: 0 },
  ...{ createdAt: new Date(), dueAt: new Date() },
};

const resultOf = (lineNo: number): Buffer =>
  Buffer.from(`${JSON.stringify({ custom_id: `handed-1_${lineNo}`, response: { status_code: 200, body: {} } })}\n`);

/** The second result comes only when everything that the first has led to is over. */
function answer({ path }: TransportCall, receiver: Receiver): void {
  receiver.onStart(200, {});
  if (!path.endsWith('/content')) {
    receiver.onData(Buffer.from(JSON.stringify({ status: 'completed', output_file_id: 'out' })));
    receiver.onEnd();
    return;
  }
  receiver.onData(resultOf(1));
  setTimeout(() => {
    receiver.onData(resultOf(2));
    receiver.onEnd();
  }, 20);
}

test('a result that cannot be stored ends the step, and neither the process nor the batch', async () => {
  const steps: string[] = [];
  const away = new Error('the database is away');
  const services = {
    catalog: { current: () => ({ providers: new Map([['acme', provider]]) }) },
    transport: {
      send(call: TransportCall, receiver: Receiver) {
        setImmediate(() => answer(call, receiver));
        return { pause() {}, resume() {}, cancel() {} };
      },
    },
    handed: {
      isOverdue: () => false,
      take: () => Promise.reject(away),
      async *lines() {
        steps.push('given back');
        yield* [];
      },
      end: async () => void steps.push('ended'),
    },
    logger: silentLogger,
  } as unknown as AdvanceServices;
  await expect(advanceHanded(batch, services)).rejects.toBe(away);
  expect(steps).toEqual([]);
});
