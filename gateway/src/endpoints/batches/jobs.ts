// /v1/jobs: calls that were made with `Prefer: respond-async`. A job belongs to the person in the account whose key
// made it; its result is what the call would have answered, with its status.

import { ApiError } from '../../errors/api-error.ts';
import { type Recording, replay } from '../../http/recorded-response.ts';
import { sendJson } from '../../http/respond.ts';
import type { Owner } from '../../modules/batches/files.ts';
import type { CallbackSecrets } from '../../modules/batches/job-callbacks.ts';
import type { Job, Jobs } from '../../modules/batches/jobs.ts';
import { type AnswerRoom, takeUntilClosed } from '../../pipeline/answer-room.ts';
import { renderJob } from '../../pipeline/later/respond-later.ts';
import { openHeaded } from '../../platform/headed-bytes.ts';
import { readPage } from '../page.ts';
import type { CallerHandler } from '../protect.ts';
import { listObject } from './render.ts';

type JobEndpointServices = Readonly<{
  jobs: Jobs;
  callbackSecrets: Pick<CallbackSecrets, 'secretOf'>;
  answerRoom: AnswerRoom;
  siteUrl(): string;
}>;

const SOON = ['Retry-After', '2'];

export const listJobs =
  ({ jobs, siteUrl }: JobEndpointServices): CallerHandler =>
  async (exchange, { accountId, userId }) => {
    const { after, limit } = readPage(new URLSearchParams(exchange.queryText));
    const found = await jobs.list({ accountId, userId, after, limit: limit + 1 });
    const shown = found.map((job) => renderJob(job, siteUrl()));
    sendJson(exchange, 200, listObject(shown, limit));
  };

export const readJob =
  (services: JobEndpointServices): CallerHandler =>
  async (exchange, caller) => {
    const job = await find(exchange.params.id, caller, services);
    sendJson(exchange, 200, renderJob(job, services.siteUrl()), job.endedAt === null ? SOON : []);
  };

export const readJobResult =
  (services: JobEndpointServices): CallerHandler =>
  async (exchange, caller) => {
    const job = await find(exchange.params.id, caller, services);
    if (job.endedAt === null) return sendJson(exchange, 202, renderJob(job, services.siteUrl()), SOON);
    const result = await services.jobs.result(job);
    if (result === null) throw new ApiError('http_404', 'The job was cancelled or has expired, and has no result.');
    const { head, body } = openHeaded<Omit<Recording, 'body'>>(result);
    takeUntilClosed(services.answerRoom, caller.accountId, body.length, exchange.response);
    replay(exchange, { ...head, body }, []);
  };

export const deleteJob =
  (services: JobEndpointServices): CallerHandler =>
  async (exchange, caller) => {
    const job = await find(exchange.params.id, caller, services);
    if (job.endedAt !== null) {
      await services.jobs.remove(job);
      return sendJson(exchange, 200, { id: job.id, object: 'job', deleted: true });
    }
    await services.jobs.cancel(job);
    sendJson(exchange, 202, renderJob(await find(job.id, caller, services), services.siteUrl()));
  };

export const readCallbackSecret =
  ({ callbackSecrets }: JobEndpointServices): CallerHandler =>
  (exchange, { keyId }) =>
    sendJson(exchange, 200, { secret: callbackSecrets.secretOf(keyId) });

async function find(id: string | undefined, owner: Owner, { jobs }: JobEndpointServices): Promise<Job> {
  const job = id === undefined ? null : await jobs.find(id, owner);
  if (job === null) throw new ApiError('http_404', 'There is no such job.');
  return job;
}
