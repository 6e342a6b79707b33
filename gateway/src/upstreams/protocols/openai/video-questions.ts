// GET /videos/{id}, /videos/{id}/content and /videos: the requests about a video after it was ordered.

import { isJsonObject } from '../../../canonical/json.ts';
import { readJsonObject } from '../../../platform/read-json-object.ts';
import type { ListedVideo, VideoQuestions } from '../../protocol.ts';
import { readVideo } from './read-video.ts';

const CREATED_SECONDS_MAX = 100_000_000_000;

export const videoQuestions: VideoQuestions = {
  jobPath: (jobId) => `/videos/${jobId}`,
  contentPath: (jobId, index) => `/videos/${jobId}/content${index === 0 ? '' : `?index=${index}`}`,
  decodeJob(body) {
    const json = readJsonObject(body);
    return json === null ? null : readVideo(json);
  },
  listPath: '/videos?limit=100&order=desc',
  decodeList(body) {
    const data = readJsonObject(body)?.data;
    return Array.isArray(data) ? data.flatMap(readListed) : [];
  },
};

function readListed(item: unknown): readonly ListedVideo[] {
  if (!isJsonObject(item)) return [];
  const video = readVideo(item);
  const { prompt, seconds, created_at: created } = item;
  if (video === null || typeof prompt !== 'string') return [];
  const isTime = typeof created === 'number' && created > 0 && created < CREATED_SECONDS_MAX;
  return [{ id: video.id, createdAtMs: isTime ? created * 1_000 : null, prompt, seconds: String(seconds) }];
}
