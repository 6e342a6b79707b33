// Vectors of texts and images: one for each input, in the order of the inputs.

import type { RequestBase, WithTexts } from './request.ts';

/** What one vector is made of. Token ids count exactly; of the rest there is an estimate. */
export type EmbeddingInput = Readonly<{ texts: readonly string[]; tokensEstimate: number; isExact: boolean }>;

export type EmbeddingsRequest = RequestBase &
  Readonly<{
    operation: 'embeddings';
    format: 'embeddings';
    withTexts: WithTexts<EmbeddingsRequest>;
    inputs: readonly EmbeddingInput[];
    /** How the client wants its vectors, since upstreams do not always listen. Null: as they come. */
    encoding: 'float' | 'base64' | null;
  }>;

/** Numbers, or the base64 of little-endian 32-bit floats. */
export type Vector = readonly number[] | string;

/** In the order of the inputs. */
export type EmbeddingsAnswer = Readonly<{ vectors: readonly Vector[] }>;
