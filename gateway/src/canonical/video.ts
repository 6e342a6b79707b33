// A video order and the job that makes it. The job outlives the call that ordered it, so an upstream's answers about it
// are read many times; every number here has been validated before.

import type { RequestBase, WithTexts } from './request.ts';
import type { UploadedFile } from './submission.ts';

/** The kind of video, which the inputs decide. The names are those of the catalog. */
export type VideoTask =
  | 'text_to_video'
  | 'image_to_video'
  | 'keyframes'
  | 'reference_to_video'
  | 'continuation'
  | 'edit';

/** What a model can do, by its catalog entry. An empty list means that it does not say. */
export type VideoOptions = Readonly<{
  durations: readonly number[];
  resolutions: readonly string[];
  aspectRatios: readonly string[];
  /** Null: everything that its input modalities allow. */
  tasks: readonly VideoTask[] | null;
  /** The price of a second relative to the stated price; in millionths, so that it is exact. */
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
    /** Null until the model's limits have been applied to the caller's order. */
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

/** The state of a job at its upstream, in our words; `unknown` is a state that we do not know. */
export type UpstreamVideoStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'unknown';

/** What an upstream says of a job. */
export type UpstreamVideo = Readonly<{
  id: string;
  status: UpstreamVideoStatus;
  /** In percent; null where it does not say. */
  progress: number | null;
  /** The length of the video; null where the upstream does not say, or states an impossible value. */
  durationMs: number | null;
  outputCount: number;
  /** The upstream refused the content; it did not just fail. */
  isRefused: boolean;
  /** The cause of a failure, for our logs only. */
  detail: string | null;
}>;
