// Files and batches as they are shown, and pages of them.

import type { PriceList } from '../../canonical/price.ts';
import type { BatchObject, FileObject, HandedLines } from '../../contract/inference/batches.ts';
import type { Shape } from '../../contract/shape.ts';
import type { Batch, HandedPart } from '../../modules/batches/batches.ts';
import type { FileRow } from '../../modules/batches/files.ts';
import { formatPricePerMillion } from '../../platform/money.ts';

const secondsOf = (moment: Date): number => Math.floor(moment.getTime() / 1_000);
const maybeSecondsOf = (moment: Date | null): number | null => (moment === null ? null : secondsOf(moment));

export const fileObject = ({
  id,
  bytes,
  createdAt,
  expiresAt,
  fileName,
  purpose,
}: FileRow): Shape<typeof FileObject> => ({
  id,
  object: 'file',
  bytes: Number(bytes),
  created_at: secondsOf(createdAt),
  expires_at: secondsOf(expiresAt),
  filename: fileName,
  purpose,
  status: 'processed',
});

export function batchObject(batch: Batch): Shape<typeof BatchObject> {
  const { status, errors, endedAt } = batch;
  const endedAs = (wanted: Batch['status']): number | null => (status === wanted ? maybeSecondsOf(endedAt) : null);
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.endpoint,
    errors: errors === null ? null : { object: 'list', data: errors.map((problem) => ({ ...problem, param: null })) },
    input_file_id: batch.inputFileId,
    completion_window: '24h',
    status,
    output_file_id: batch.outputFileId,
    error_file_id: batch.errorFileId,
    created_at: secondsOf(batch.createdAt),
    in_progress_at: maybeSecondsOf(batch.begunAt),
    expires_at: secondsOf(batch.expiresAt),
    finalizing_at: endedAs('completed'),
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at: maybeSecondsOf(batch.cancellingAt),
    cancelled_at: endedAs('cancelled'),
    request_counts: { total: batch.lineCount, completed: batch.succeeded, failed: batch.failed },
    ...usageOf(batch),
    handed: batch.handed.map(handedLines),
    metadata: batch.metadata,
  };
}

function usageOf({ tokens }: Batch): Pick<Shape<typeof BatchObject>, 'usage'> {
  if (tokens === null) return {};
  const { input, cached, output, reasoning } = tokens;
  return {
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + output,
    },
  };
}

export function handedLines({ providerName, modelId, lines, isOver, prices }: HandedPart): Shape<typeof HandedLines> {
  return {
    ...{ provider: providerName, model: modelId, lines, status: isOver ? 'completed' : 'in_progress' },
    pricing: prices === null ? null : perMillion(prices.base),
  };
}

const perMillion = ({ prompt, completion }: PriceList) => ({
  prompt: formatPricePerMillion(prompt),
  completion: formatPricePerMillion(completion),
});

/** One more row was read than is shown. */
export function listObject<Item extends Readonly<{ id: string }>>(items: readonly Item[], limit: number) {
  const data = items.slice(0, limit);
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: items.length > limit,
  };
}
