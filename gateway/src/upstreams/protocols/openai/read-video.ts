// What an upstream says of a video job. It is not trusted: an id that goes into paths is checked, and an impossible
// length is ignored.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { UpstreamVideo, UpstreamVideoStatus } from '../../../canonical/video.ts';
import { describeForLog } from '../../failure.ts';

/** No dots, slashes or percent signs: it becomes a segment of a path. */
const JOB_ID = /^[A-Za-z0-9_:-]{1,256}$/;
const SECONDS = /^\d{1,5}(?:\.\d{1,3})?$/;
const SECONDS_MAX = 86_400;
const OUTPUTS_MAX = 16;
const REFUSALS = ['moderation', 'content_policy', 'content_filter', 'safety', 'policy_violation'];

const statuses: Readonly<Record<string, UpstreamVideoStatus>> = {
  queued: 'pending',
  pending: 'pending',
  submitted: 'pending',
  in_progress: 'in_progress',
  running: 'in_progress',
  processing: 'in_progress',
  completed: 'completed',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'failed',
  canceled: 'failed',
  expired: 'failed',
};

/** Null when it does not describe a job. */
export function readVideo(json: JsonObject): UpstreamVideo | null {
  const { id, status, progress } = json;
  if (typeof id !== 'string' || !JOB_ID.test(id)) return null;
  const known = typeof status === 'string' && Object.hasOwn(statuses, status) ? statuses[status] : undefined;
  return {
    id,
    status: known ?? 'unknown',
    progress: typeof progress === 'number' && progress >= 0 && progress <= 100 ? Math.floor(progress) : null,
    durationMs: readDurationMs(json.seconds ?? json.duration),
    outputCount: readOutputCount(json.unsigned_urls),
    ...readFailure(json.error),
  };
}

function readDurationMs(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !SECONDS.test(text)) return null;
  const seconds = Number(text);
  return seconds > 0 && seconds <= SECONDS_MAX ? Math.round(seconds * 1_000) : null;
}

/** Most make one video and do not state the number. */
function readOutputCount(urls: unknown): number {
  return Array.isArray(urls) ? Math.min(Math.max(urls.length, 1), OUTPUTS_MAX) : 1;
}

function readFailure(error: unknown): Pick<UpstreamVideo, 'isRefused' | 'detail'> {
  if (error === undefined || error === null) return { isRefused: false, detail: null };
  const { code, message } = isJsonObject(error) ? error : { code: null, message: error };
  const words = `${String(code)} ${String(message)}`;
  const isRefused = REFUSALS.some((word) => String(code).toLowerCase().includes(word));
  return { isRefused, detail: describeForLog(words) };
}
