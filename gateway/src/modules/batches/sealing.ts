// Seals what the lines of batches ask and answer for their place: the content of one line cannot be opened as that of
// another.

import { openBytes, type SealingKey, sealBytes } from '../../platform/crypto.ts';
import type { SealedColumn, SealedRow } from '../../platform/sealed-column.ts';

export type LinePlace = Readonly<{ batchId: string; lineNo: number }>;

export type LineSeal = Readonly<{
  seal(content: Buffer, place: LinePlace): Buffer;
  /** Null where it was sealed with another secret. */
  open(sealed: Buffer, place: LinePlace): Buffer | null;
}>;

export function createLineSeal(key: SealingKey): LineSeal {
  return {
    seal: (content, place) => sealBytes(key, content, nameOf(place)),
    open: (sealed, place) => openBytes(key, sealed, nameOf(place)),
  };
}

const nameOf = ({ batchId, lineNo }: LinePlace): string => `batch:${batchId}:${lineNo}`;

const sealedIn = {
  type: 'bytea',
  purposes: ['batches', 'batches.content'],
  rowsAtOnce: 16,
  boundTo: ({ batch_id: batchId = '', line_no: lineNo = '' }: SealedRow) => nameOf({ batchId, lineNo: Number(lineNo) }),
} as const;
const line = { table: 'batch_lines', key: { batch_id: 'text', line_no: 'integer' } } as const;

export const sealedColumns: readonly SealedColumn[] = [
  { ...sealedIn, ...line, column: 'request' },
  { ...sealedIn, ...line, column: 'answer' },
  {
    ...sealedIn,
    ...{ table: 'handed_lines', key: { handed_id: 'text', line_no: 'integer' }, also: ['batch_id'], column: 'body' },
  },
];
