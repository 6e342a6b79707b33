// Asks the upstream that has a video job. Its address and key are looked up each time, because they may have changed; a
// job whose upstream was removed cannot be asked about and runs into its deadline.

import type { IncomingHttpHeaders } from 'node:http';
import type { Provider } from '../../canonical/model.ts';
import type { VideoJob } from '../../canonical/video-job.ts';
import type { Byok } from '../../modules/byok/byok.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { VideoQuestions } from '../../upstreams/protocol.ts';
import { authorizationOf, protocolOf } from '../../upstreams/registry.ts';
import {
  type Transport,
  type TransportCall,
  type TransportFailure,
  WholeReceiver,
} from '../../upstreams/transport/receiver.ts';

export type VideoAccessServices = Readonly<{
  catalog: Pick<Catalog, 'current'>;
  byok: Pick<Byok, 'upstreamsOf'>;
  transport: Pick<Transport, 'send'>;
}>;

type UpstreamAccess = Readonly<{
  questions: VideoQuestions;
  /** A question as the transport takes it; further headers are names and values in turn. */
  call(
    path: string,
    headers: readonly string[],
    limits: Pick<TransportCall, 'timeouts' | 'responseBytesMax'>,
  ): TransportCall;
}>;

/** Null when the upstream has been removed. */
export async function accessOf(job: VideoJob, services: VideoAccessServices): Promise<UpstreamAccess | null> {
  const provider = await providerOf(job, services);
  const protocol = provider === null ? undefined : protocolOf(provider.protocol);
  if (provider === null || protocol?.videos === undefined) return null;
  const authorization = authorizationOf(provider);
  return {
    questions: protocol.videos,
    call: (path, headers, limits) => ({
      baseUrl: provider.baseUrl,
      ...(job.byokKeyId === null ? {} : { guardedFor: job.byokKeyId }),
      method: 'GET',
      path,
      headers: ['accept-encoding', 'identity', ...headers],
      authorization,
      body: '',
      ...limits,
    }),
  };
}

async function providerOf(job: VideoJob, { catalog, byok }: VideoAccessServices): Promise<Provider | null> {
  if (job.byokKeyId === null) return catalog.current().providers.get(job.providerName) ?? null;
  const own = (await byok.upstreamsOf(job.accountId)).get(job.modelId) ?? [];
  return own.find(({ byokKeyId }) => byokKeyId === job.byokKeyId)?.provider ?? null;
}

export type UpstreamAnswer =
  | Readonly<{ kind: 'answer'; status: number; headers: IncomingHttpHeaders; body: Buffer }>
  | Readonly<{ kind: 'failed'; failure: TransportFailure }>;

/** All together these are less than the lease of a job. */
const TIMEOUTS = { firstByteMs: 15_000, idleMs: 10_000, totalMs: 25_000 };
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

export function ask(access: UpstreamAccess, path: string, { transport }: VideoAccessServices): Promise<UpstreamAnswer> {
  return new Promise((resolve) => {
    const receiver = new WholeReceiver(
      (status, headers, body) => resolve({ kind: 'answer', status, headers, body }),
      (failure) => resolve({ kind: 'failed', failure }),
    );
    const limits = { timeouts: TIMEOUTS, responseBytesMax: ANSWER_BYTES_MAX };
    transport.send(access.call(path, ['accept', 'application/json'], limits), receiver);
  });
}
