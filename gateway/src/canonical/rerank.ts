// Documents put in order by how well each answers a query. Documents are texts here, whatever form they were sent in.

import type { RequestBase, WithTexts } from './request.ts';

export type RerankRequest = RequestBase &
  Readonly<{
    operation: 'rerank';
    format: 'rerank';
    withTexts: WithTexts<RerankRequest>;
    query: string;
    documents: readonly string[];
    /** How many of the best are wanted. */
    resultsMax: number;
    /** The client wants the texts back with their places. */
    showsDocuments: boolean;
  }>;

export type RankedDocument = Readonly<{
  /** Its place among the documents that were sent. */
  index: number;
  relevance: number;
}>;

/** The best first, each document once at most. */
export type RerankAnswer = Readonly<{ results: readonly RankedDocument[] }>;

/** A search covers so many documents, by the usage of those who charge by the search. */
export const DOCUMENTS_PER_SEARCH = 100;
