// Hands a line of a batch to a provider that runs batches itself for less, where the catalog states a price for that.
// The line has passed every stage by then. Its money is held in a row that is written together with what the provider
// will get, so that a process that takes over finds both or neither.

import { withExtras } from '../../canonical/extras.ts';
import type { BatchLine } from '../../canonical/handed-line.ts';
import type { SpendCap } from '../../canonical/spend-cap.ts';
import { ApiError } from '../../errors/api-error.ts';
import { type Handed, NotHandedError } from '../../modules/batches/handed.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { joined } from '../../upstreams/protocol.ts';
import { codecOf, protocolOf } from '../../upstreams/registry.ts';
import { type AdmissionServices, capsFor } from '../admit.ts';
import { addressesFor } from '../attempts/bring-pictures.ts';
import type { Call } from '../call.ts';
import { fittedTo } from '../fit-context.ts';
import { forward, type Pseudonyms } from '../forward.ts';
import { costOf, heldOutputTokens, outputTerms, promptCostBeyond, withinReservation } from '../money/output-terms.ts';
import type { RoutedCandidate, Selection } from '../route.ts';

export type HandingServices = Readonly<{
  handed: Pick<Handed, 'add' | 'heldUntilMs'>;
  ledger: Pick<Ledger, 'reserveDurable' | 'durable' | 'isCharged' | 'account' | 'used'>;
  pseudonyms: Pseudonyms;
}>;

/** The name of the price, in the catalog, of calls in a provider's batches. */
const BATCH = 'batch';

/**
 * False where no provider takes the line, or its money cannot be held for so long; then it is run here like any line.
 */
export async function handOver(
  line: BatchLine,
  call: Call,
  { candidates }: Selection,
  services: HandingServices & AdmissionServices,
): Promise<boolean> {
  const taker = candidates.find((candidate) => mayTake(candidate, call));
  if (taker === undefined || (await isKnown(call, services))) return false;
  const candidate = { ...taker, prices: withExtras(taker.prices, [BATCH]) };
  const { otherwise, least } = outputTerms(call.request, candidate);
  for (const tokens of new Set([otherwise, least])) {
    const isHanded = await reserve({ line, call, candidate }, tokens, services);
    if (isHanded) line.handed();
    if (isHanded !== null) return isHanded;
  }
  return false;
}

/** A generation holds money once and is charged once, so a line that has held or paid any before is run here. */
async function isKnown({ generationId }: Call, { ledger }: HandingServices): Promise<boolean> {
  return (await ledger.durable(generationId)) !== null || ledger.isCharged(generationId);
}

/**
 * Lines that stay here: quotas of free models and of students are counted by the call and need its answer, and a
 * transcript needs the prompt as the reviewers left it, which is known only now. So do searches that the model's name
 * asks for: the name is resolved before the call, and an answer that comes later is charged by the body alone.
 */
function mayTake(candidate: RoutedCandidate, { request, quota, caller }: Call): boolean {
  const { prices, provider, own, freeQuota, isOnline } = candidate;
  if (caller.transcripts !== undefined || isOnline) return false;
  if (prices.extras?.has(BATCH) !== true || own !== undefined || freeQuota !== null || quota !== null) return false;
  if (request.isStream || request.needs.imageOutput || protocolOf(provider.protocol)?.batches === undefined)
    return false;
  return addressesFor(request, candidate).length === 0;
}

/** Null where the account or a cap cannot carry the reservation. */
async function reserve(
  { line, call, candidate }: Readonly<{ line: BatchLine; call: Call; candidate: RoutedCandidate }>,
  outputTokens: number,
  services: HandingServices & AdmissionServices,
): Promise<boolean | null> {
  const { request, caller, generationId } = call;
  const expectedNanoUsd = costOf(request, candidate, outputTokens);
  const heldTokens = heldOutputTokens(request, candidate, expectedNanoUsd);
  const limited = withinReservation(fittedTo(request, candidate), candidate, heldTokens);
  // Thousands of lines are under way at once, and what only the provider can measure is known when all have been paid.
  const beyondNanoUsd = promptCostBeyond(request, candidate);
  const amountNanoUsd = expectedNanoUsd + beyondNanoUsd;
  const upstream = encode({ ...call, request: limited }, candidate, services.pseudonyms);
  if (upstream === null) return false;
  const { accountId, userId, keyId } = caller;
  const { batchId, lineNo } = line;
  const { path, body } = upstream;
  const { model, provider, upstreamModel, prices } = candidate;
  const names = { modelId: model.id, providerName: provider.name, upstreamModel };
  const handed = { batchId, lineNo, generationId, path, body, ...names, heldNanoUsd: amountNanoUsd, prices };
  const expiresAtMs = services.handed.heldUntilMs();
  const held = {
    id: generationId,
    accountId,
    userId,
    keyId,
    caps: capsFor(caller, services),
    amountNanoUsd,
    expiresAtMs,
  };
  if (beyondNanoUsd > 0n && !(await leavesHalf(held, services))) return null;
  try {
    await services.ledger.reserveDurable(held, (transaction) => services.handed.add(transaction, handed));
    return true;
  } catch (error) {
    if (error instanceof NotHandedError) return false;
    if (error instanceof ApiError && error.status === 402) return null;
    throw error;
  }
}

type Held = Readonly<{ accountId: string; caps: readonly SpendCap[]; amountNanoUsd: NanoUsd }>;

/**
 * Most of what is held for parts that nobody has measured comes back, after hours. Until then the other half of the
 * account, and of each cap, is for calls and for the lines that are run here.
 */
async function leavesHalf({ accountId, caps, amountNanoUsd }: Held, { ledger }: HandingServices): Promise<boolean> {
  const { spendableNanoUsd, heldNanoUsd } = await ledger.account(accountId);
  if (2n * (heldNanoUsd + amountNanoUsd) > spendableNanoUsd) return false;
  const used = await Promise.all(caps.map((cap) => ledger.used(cap)));
  return caps.every(({ limitNanoUsd }, index) => 2n * ((used[index] ?? 0n) + amountNanoUsd) <= limitNanoUsd);
}

type LineCall = Readonly<{ path: string; body: string | Buffer }>;

/** Null for a request that the provider's batches do not take, or that its protocol cannot express. */
function encode(call: Call, candidate: RoutedCandidate, pseudonyms: Pseudonyms): LineCall | null {
  try {
    const { request } = forward(call, candidate, pseudonyms);
    const upstream = codecOf(candidate, request)?.encode(request, candidate);
    if (upstream === undefined || !protocolOf(candidate.provider.protocol)?.batches?.takes(upstream.path)) return null;
    const { body } = upstream;
    return typeof body !== 'string' && 'open' in body ? null : { path: upstream.path, body: joined(body) };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
