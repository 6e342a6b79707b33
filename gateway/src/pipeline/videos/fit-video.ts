// Fits an order to its model: refuses what the model cannot do and fills in what the caller left open, so that what is
// sent, what is held and what will be charged agree. Pure; the length of a source video is given.

import type { Model } from '../../canonical/model.ts';
import type { VideoOptions, VideoRequest, VideoTask } from '../../canonical/video.ts';
import { ApiError } from '../../errors/api-error.ts';

/** For orders where neither the caller nor the catalog states a length. */
const SECONDS_DEFAULT = 4;
const SECONDS_UNSTATED_MAX = 60;
const MS_PER_SECOND = 1_000;
const NAMED_LINES = /^(\d{3,4})p$/i;

const NO_OPTIONS: VideoOptions = {
  durations: [],
  resolutions: [],
  aspectRatios: [],
  tasks: null,
  resolutionMillionths: new Map(),
  audioMillionths: null,
};

export const videoOptions = ({ video }: Model): VideoOptions => video ?? NO_OPTIONS;

export type FittedVideo = Readonly<{
  request: VideoRequest & Readonly<{ task: VideoTask; seconds: number }>;
  /** The length of the video that is edited, which is charged too. */
  inputMs: number;
}>;

/** Checks that need no look at the source video. */
export function checkVideo(request: VideoRequest, model: Model): void {
  if (request.inputVideoUrl === null) fitVideo(request, model, null);
  else {
    assertSome(['continuation', 'edit'], model);
    fitPicture(request, model, true);
  }
}

/** `sourceMs` is how long the source video is; null where there is none. */
export function fitVideo(request: VideoRequest, model: Model, sourceMs: number | null): FittedVideo {
  const task = taskOf(request, sourceMs);
  assertSome([task], model);
  const seconds = fitSeconds(request, model, task === 'edit' ? sourceMs : null);
  const options = videoOptions(model);
  const inputMs = task === 'edit' ? (sourceMs ?? 0) : 0;
  return {
    request: {
      ...request,
      task,
      seconds,
      ...fitPicture(request, model, task !== 'text_to_video' && task !== 'reference_to_video'),
      // Where sound has its own price, none is made unless the caller asks for it: the upstream must not decide.
      hasAudio: request.hasAudio ?? (options.audioMillionths === null ? null : false),
      unitsMax: { videoMs: seconds * MS_PER_SECOND + inputMs },
    },
    inputMs,
  };
}

function taskOf(request: VideoRequest, sourceMs: number | null): VideoTask {
  const { inputVideoUrl, references, firstFrame, lastFrame, seconds } = request;
  if (inputVideoUrl !== null) {
    const isLonger = seconds !== null && sourceMs !== null && seconds * MS_PER_SECOND > sourceMs;
    return isLonger ? 'continuation' : 'edit';
  }
  if (references.length > 0) return 'reference_to_video';
  if (firstFrame === null) return 'text_to_video';
  return lastFrame === null ? 'image_to_video' : 'keyframes';
}

const descriptions: Readonly<Record<VideoTask, string>> = {
  text_to_video: 'a text alone',
  image_to_video: 'a first frame',
  keyframes: 'a first and a last frame',
  reference_to_video: 'reference images',
  continuation: 'a video to be continued',
  edit: 'a video to be edited',
};

function assertSome(tasks: readonly VideoTask[], model: Model): void {
  const supported = videoOptions(model).tasks;
  if (supported === null || tasks.some((task) => supported.includes(task))) return;
  const words = tasks.map((task) => descriptions[task]).join(' or from ');
  throw new ApiError('http_400', `${model.id} does not make videos from ${words}.`);
}

/** An edit is as long as its source unless it is cut; its length is not one of the model's own. */
function fitSeconds({ seconds }: VideoRequest, model: Model, sourceMs: number | null): number {
  const { durations } = videoOptions(model);
  const [shortest = SECONDS_DEFAULT] = durations;
  if (sourceMs !== null) return seconds ?? Math.ceil(sourceMs / MS_PER_SECOND);
  if (seconds === null) return shortest;
  if (durations.length > 0 && !durations.includes(seconds)) {
    throw new ApiError('http_400', `duration: ${model.id} makes videos of ${listed(durations)} seconds.`);
  }
  if (durations.length === 0 && seconds > SECONDS_UNSTATED_MAX) {
    throw new ApiError('http_400', `duration: ${model.id} makes videos of at most ${SECONDS_UNSTATED_MAX} seconds.`);
  }
  return seconds;
}

type Picture = Pick<VideoRequest, 'resolution' | 'aspectRatio' | 'size'>;

/** A frame or a source video fixes the ratio, whatever was wished for. */
function fitPicture(request: VideoRequest, model: Model, isRatioFixed: boolean): Picture {
  const { resolutions, aspectRatios } = videoOptions(model);
  const resolution = choose(request.resolution, resolutions, `resolution: ${model.id} makes`);
  if (isRatioFixed) return { resolution, aspectRatio: null, size: request.size };
  const aspectRatio = choose(request.aspectRatio, aspectRatios, `aspect_ratio: ${model.id} makes`);
  return { resolution, aspectRatio, size: request.size ?? sizeOf(resolution, aspectRatio) };
}

function choose(wish: string | null, offered: readonly string[], sentence: string): string | null {
  const [first = null] = offered;
  if (wish === null || offered.length === 0) return wish ?? first;
  const found = offered.find((name) => name.toLowerCase() === wish.toLowerCase());
  if (found === undefined) throw new ApiError('http_400', `${sentence} ${listed(offered)}.`);
  return found;
}

/** In pixels, as far as the names say it. Encoders want even numbers. */
function sizeOf(resolution: string | null, aspectRatio: string | null): string | null {
  const lines = Number(NAMED_LINES.exec(resolution ?? '')?.[1]);
  const [across, down] = (aspectRatio ?? '').split(':').map(Number);
  if (!Number.isInteger(lines) || across === undefined || down === undefined) return null;
  const longer = 2 * Math.round((lines * Math.max(across, down)) / Math.min(across, down) / 2);
  return across >= down ? `${longer}x${lines}` : `${lines}x${longer}`;
}

function listed(values: readonly (string | number)[]): string {
  if (values.length < 2) return values.join('');
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}
