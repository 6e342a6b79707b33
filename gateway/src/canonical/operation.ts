// What can be asked of a model, and the types that carry each: a new operation is a line here. A protocol that lacks an
// operation's codec does not support it, and routing sees that.

import type { ConversationAnswer } from './answer.ts';
import type { EmbeddingsAnswer, EmbeddingsRequest } from './embeddings.ts';
import type { ImagesAnswer, ImagesRequest } from './images.ts';
import type { ModerationAnswer, ModerationRequest } from './moderation.ts';
import type { ConversationRequest } from './request.ts';
import type { RerankAnswer, RerankRequest } from './rerank.ts';
import type { SpeechRequest } from './speech.ts';
import type { TranscriptionAnswer, TranscriptionRequest } from './transcription.ts';
import type { UpstreamVideo, VideoRequest } from './video.ts';

type OperationTypes = {
  /** A conversation, in whichever format. */
  chat: { request: ConversationRequest; answer: ConversationAnswer };
  embeddings: { request: EmbeddingsRequest; answer: EmbeddingsAnswer };
  images: { request: ImagesRequest; answer: ImagesAnswer };
  moderation: { request: ModerationRequest; answer: ModerationAnswer };
  rerank: { request: RerankRequest; answer: RerankAnswer };
  speech: { request: SpeechRequest; answer: never };
  transcription: { request: TranscriptionRequest; answer: TranscriptionAnswer };
  /** The answer is that a job has begun. */
  video: { request: VideoRequest; answer: UpstreamVideo };
};

export type Operation = keyof OperationTypes;

export type RequestOf<Name extends Operation> = OperationTypes[Name]['request'];

/** What a whole answer is decoded into, for the dialect to render; `never` where answers only come as streams. */
export type AnswerOf<Name extends Operation> = OperationTypes[Name]['answer'];

/** A client's call after its dialect has been parsed and validated. */
export type CanonicalRequest = RequestOf<Operation>;
