// What can be asked of a model, and the types of each operation: a new operation is a line here. A protocol without an
// operation's codec does not support it, and routing sees that.

import type { ConversationAnswer } from './answer.ts';
import type { ImagesAnswer, ImagesRequest } from './images.ts';
import type { JsonObject } from './json.ts';
import type { ConversationRequest, RequestBase, WithTexts } from './request.ts';
import type { UploadedFile } from './submission.ts';
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
  /** The answer says that a job has begun. */
  video: { request: VideoRequest; answer: UpstreamVideo };
};

export type Operation = keyof OperationTypes;

export type RequestOf<Name extends Operation> = OperationTypes[Name]['request'];

/** What a whole answer is decoded into, for the dialect to render; `never` where answers are only streamed. */
export type AnswerOf<Name extends Operation> = OperationTypes[Name]['answer'];

/** A client's call after its dialect has been parsed and validated. */
export type CanonicalRequest = RequestOf<Operation>;

// Vectors of texts and images: one for each input, in the order of the inputs.

/** A picture is an address or a data URI. */
export type EmbeddingPart = Readonly<{ type: 'text'; text: string }> | Readonly<{ type: 'picture'; url: string }>;

/** The parts of one vector. Token ids are no parts and are counted exactly; the rest is estimated. */
export type EmbeddingInput = Readonly<{
  parts: readonly EmbeddingPart[];
  texts: readonly string[];
  tokensEstimate: number;
  isExact: boolean;
}>;

export type EmbeddingsRequest = RequestBase &
  Readonly<{
    operation: 'embeddings';
    format: 'embeddings';
    withTexts: WithTexts<EmbeddingsRequest>;
    inputs: readonly EmbeddingInput[];
    /** How the client wants its vectors, because upstreams do not always follow it. Null: as they come. */
    encoding: 'float' | 'base64' | null;
  }>;

/** Numbers, or the base64 of little-endian 32-bit floats. */
export type Vector = readonly number[] | string;

/** In the order of the inputs. */
export type EmbeddingsAnswer = Readonly<{ vectors: readonly Vector[] }>;

// Texts and pictures judged by a policy, one result for each input. Asking is not a violation, so moderation does not
// refuse these requests.

export type ModerationRequest = RequestBase &
  Readonly<{
    operation: 'moderation';
    format: 'moderation';
    withTexts: WithTexts<ModerationRequest>;
    /** The texts of each input, in their order. */
    inputTexts: readonly (readonly string[])[];
  }>;

/** The categories of each text, in order. Long texts take turns with those of other owners. */
export type Judge = (texts: readonly string[], owner: string) => Promise<readonly ReadonlySet<string>[]>;

/** As the upstream has them, because categories differ; `flagged` is always there. */
export type ModerationAnswer = Readonly<{ results: readonly JsonObject[] }>;

// Documents ranked by how well each answers a query. Documents are texts here, in whatever form they were sent.

export type RerankRequest = RequestBase &
  Readonly<{
    operation: 'rerank';
    format: 'rerank';
    withTexts: WithTexts<RerankRequest>;
    query: string;
    documents: readonly string[];
    /** How many of the best are wanted. */
    resultsMax: number;
    /** The client wants the texts back in the result. */
    showsDocuments: boolean;
  }>;

export type RankedDocument = Readonly<{
  /** Its place among the documents that were sent. */
  index: number;
  relevance: number;
}>;

/** The best first, each document once at most. */
export type RerankAnswer = Readonly<{ results: readonly RankedDocument[] }>;

/** How many documents one search covers, for providers that charge by the search. */
export const DOCUMENTS_PER_SEARCH = 100;

// Text to sound. The answer is bytes that pass through unchanged, so it has no canonical form.

export type SpeechRequest = RequestBase &
  Readonly<{
    operation: 'speech';
    format: 'speech';
    withTexts: WithTexts<SpeechRequest>;
    /** Media types, or their beginnings, that an answer to this request may have. */
    expectedTypes: readonly string[];
  }>;

// Sound to text: a recording is sent, and its words come back in the format that the client asked for.

export type TranscriptionRequest = RequestBase &
  Readonly<{
    operation: 'transcription';
    format: 'transcription';
    withTexts: WithTexts<TranscriptionRequest>;
    file: UploadedFile;
    /** The longest that an upstream may say the recording is; for some formats longer than is held for. */
    audioMsBelieved: number;
    /** The format that the client wants. Upstreams are always asked for JSON, which alone has a place for the usage. */
    responseFormat: string;
  }>;

/** Has a text; the rest is as the upstream sent it. */
export type TranscriptionAnswer = Readonly<{ json: JsonObject }>;
