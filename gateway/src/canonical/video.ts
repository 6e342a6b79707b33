// Video to be made, and the job that makes it. The job outlives the call that ordered it, so what an upstream says of it
// is read many times; every number here has been validated before it gets this far.

import type { RequestBase, WithTexts } from './request.ts';
import type { UploadedFile } from './submission.ts';

/** What is to be made, as the inputs decide it. The names are those of the catalog. */
export type VideoTask =
  | 'text_to_video'
  | 'image_to_video'
  | 'keyframes'
  | 'reference_to_video'
  | 'continuation'
  | 'edit';

/** What a model can do, as its catalog entry states it. An empty list means that it does not say. */
export type VideoOptions = Readonly<{
  durations: readonly number[];
  resolutions: readonly string[];
  aspectRatios: readonly string[];
  /** Null: whatever its input modalities allow. */
  tasks: readonly VideoTask[] | null;
  /** What a second costs, compared with the stated price; in millionths, so that it is exact. */
  resolutionMillionths: ReadonlyMap<string, bigint>;
  audioMillionths: bigint | null;
}>;

/** A picture that the caller gave, by address or as a file of the form. */
export type VideoImage =
  | Readonly<{ kind: 'url'; url: string; path: string }>
  | Readonly<{ kind: 'file'; file: UploadedFile; path: string }>;

export type VideoRequest = RequestBase &
  Readonly<{
    operation: 'video';
    format: 'video';
    withTexts: WithTexts<VideoRequest>;
    prompt: string;
    /** Null until the model's own limits have been applied to what the caller wishes. */
    task: VideoTask | null;
    seconds: number | null;
    resolution: string | null;
    aspectRatio: string | null;
    /** `1280x720`. */
    size: string | null;
    hasAudio: boolean | null;
    hasWatermark: boolean | null;
    seed: number | null;
    firstFrame: VideoImage | null;
    lastFrame: VideoImage | null;
    references: readonly VideoImage[];
    inputVideoUrl: string | null;
    callbackUrl: string | null;
  }>;

/** How an upstream says a job is doing, in our words; `unknown` is a word that we do not know. */
export type UpstreamVideoStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'unknown';

/** What an upstream says of a job. */
export type UpstreamVideo = Readonly<{
  id: string;
  status: UpstreamVideoStatus;
  /** In percent; null where it does not say. */
  progress: number | null;
  /** Of the video that was made; null where it does not say, or says nothing that could be true. */
  durationMs: number | null;
  outputCount: number;
  /** It refused the content, and did not merely fail. */
  isRefused: boolean;
  /** Of a failure; for our logs alone. */
  detail: string | null;
}>;
