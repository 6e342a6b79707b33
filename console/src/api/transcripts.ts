// Prompts and answers that an organization has kept. Each reading is logged, so nothing is read ahead or again by
// itself.

import type { ErasedAnswer, TranscriptObject, TranscriptsAnswer } from '../../../gateway/src/contract/transcripts.ts';
import { orgApiPath } from './orgs/organizations.ts';
import { queryText, request } from './request.ts';

export type Transcript = TranscriptObject;

const PAGE = 100;

export const readTranscript = (orgId: string, id: string): Promise<Transcript> =>
  request<Transcript>('GET', orgApiPath(orgId, `/transcripts/${encodeURIComponent(id)}`));

export const eraseTranscripts = (orgId: string): Promise<ErasedAnswer> =>
  request<ErasedAnswer>('DELETE', orgApiPath(orgId, '/transcripts'));

/** All of them, one JSON object a line. */
export async function exportTranscripts(orgId: string): Promise<Blob> {
  const lines: string[] = [];
  let cursor: string | null = null;
  do {
    const path: string = orgApiPath(orgId, `/transcripts${queryText({ limit: PAGE, cursor })}`);
    const page: TranscriptsAnswer = await request<TranscriptsAnswer>('GET', path);
    for (const transcript of page.transcripts) lines.push(`${JSON.stringify(transcript)}\n`);
    cursor = page.next;
  } while (cursor !== null);
  return new Blob(lines, { type: 'application/x-ndjson' });
}
