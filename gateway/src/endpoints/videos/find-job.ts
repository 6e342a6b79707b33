// The job that a path names. Another account's job is as unknown as one that never was.

import type { VideoJob } from '../../canonical/video-job.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Videos } from '../../modules/videos/videos.ts';
import type { AccountHolder } from '../protect.ts';

const JOB_ID = /^vjob_[0-9a-f]{24}$/;

export async function findJob(
  { params }: Exchange,
  { accountId }: AccountHolder,
  { videos }: Readonly<{ videos: Pick<Videos, 'find'> }>,
): Promise<VideoJob> {
  const id = params.id ?? '';
  const job = JOB_ID.test(id) ? await videos.find(accountId, id) : null;
  if (job === null) throw new ApiError('http_404', 'There is no such video job.');
  return job;
}
