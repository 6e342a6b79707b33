// What is wrong with a cell, if anything: what the client saw, what was charged and recorded, and what counts against
// the route are derived from the fault's outcome, and compared.

import { type Cell, isRecorded, type Observed } from './bed.ts';
import type { Outcome } from './faults.ts';
import { CONVERSATION_NANO_USD, INPUT_NANO_USD } from './surfaces.ts';

const LEAKS = /upstream-secret-key|simulat|127\.0\.0\.1|ECONN|undici/i;

function outcomeOf({ form, surface, kind }: Cell): Outcome {
  const other = surface.otherwise?.[form.commands];
  if (other !== undefined) return other;
  if (surface.name === 'messages s' && form.begun?.includes(kind)) return { kind: 'broken' };
  const stream = form.tolerant?.includes(kind) ? form.whole : form.stream;
  const outcome = surface.isStream && surface.asks !== 'whole' ? stream : form.whole;
  if (outcome.kind === 'failed' && form.isSenseless && surface.senseless !== undefined) {
    return { ...outcome, code: surface.senseless };
  }
  if (outcome.kind === 'failed' && form.isLate && surface.asks === 'file') return { kind: 'broken' };
  if (outcome.kind === 'served' && surface.isPricedByPiece) return { kind: 'served', pays: 'all' };
  return outcome;
}

/** Of an answer that was served, in nano-USD; null where any price above nothing will do. */
function priceOf(cell: Cell, outcome: Outcome): bigint | null {
  const { priceNanoUsd } = cell.surface;
  if (outcome.kind !== 'served') return 0n;
  switch (outcome.pays) {
    case 'all':
      return priceNanoUsd;
    case 'nothing':
      return 0n;
    case 'input':
      return priceNanoUsd === CONVERSATION_NANO_USD ? INPUT_NANO_USD : priceNanoUsd;
    case 'some':
      return null;
  }
}

const told = ({ seen, text }: Observed): string =>
  `${seen.status} ${String(seen.code ?? '')} ${seen.ending === 'none' ? `none (${text})` : seen.ending}`;

function clientProblem(observed: Observed, outcome: Outcome): string | null {
  const { seen, cell } = observed;
  const good = cell.surface.isStream ? 'finished' : 'whole';
  // After the last of several attempts the route may be out of use, which has a code of its own.
  if (cell.surface.later !== undefined && outcome.kind === 'failed') {
    return seen.status >= 400 ? null : `${told(observed)} instead of a failure`;
  }
  switch (outcome.kind) {
    case 'failed':
    case 'refused':
    case 'unsupported':
      return seen.status === outcome.status && seen.code === outcome.code && seen.ending === 'whole'
        ? null
        : `${told(observed)} instead of ${outcome.status} ${outcome.code}`;
    case 'served':
      return seen.status === 200 && seen.ending === good ? null : `${told(observed)} instead of an answer`;
    case 'broken':
      return seen.status === 200 && seen.ending === (cell.surface.asks === 'file' ? 'cut' : 'failed')
        ? null
        : `${told(observed)} instead of an error at the end`;
    case 'bounded':
      return seen.ending === 'failed' || seen.ending === 'cut' || seen.status >= 500
        ? null
        : `${told(observed)} instead of an end of our own`;
  }
}

function moneyProblem({ row, cell }: Observed, outcome: Outcome): string | null {
  if (row === undefined) return 'no record';
  const cost = BigInt(row.cost_nano_usd);
  const charged = BigInt(row.charged_nano_usd ?? '0');
  if (cost !== charged) return `recorded ${cost} and charged ${charged}`;
  if (outcome.kind === 'bounded') return null;
  const price = priceOf(cell, outcome);
  if (price === null) return cost > 0n ? null : 'charged nothing';
  return cost === price ? null : `charged ${cost} instead of ${price}`;
}

function healthProblem({ healthError }: Observed, outcome: Outcome): string | null {
  const isHeld = healthError !== null;
  const shouldBe = outcome.kind === 'failed' || outcome.kind === 'broken';
  if (outcome.kind === 'bounded' || isHeld === shouldBe) return null;
  return isHeld ? `the route is blamed for ${healthError}` : 'the route is not blamed';
}

const listed = (...problems: readonly (string | null)[]): readonly string[] =>
  problems.filter((problem) => problem !== null);

/** Without another provider. */
function aloneProblems(observed: Observed, outcome: Outcome): readonly string[] {
  const isTold = 'status' in outcome;
  const leak = isTold && LEAKS.test(observed.text) ? `says ${LEAKS.exec(observed.text)?.[0]}` : null;
  return listed(
    clientProblem(observed, outcome),
    moneyProblem(observed, outcome),
    healthProblem(observed, outcome),
    leak,
  );
}

/** A second provider answers after a failure, and is paid once. */
function rescuedProblems(observed: Observed, outcome: Outcome): readonly string[] {
  if (outcome.kind !== 'failed' && outcome.kind !== 'unsupported') return aloneProblems(observed, outcome);
  const served: Outcome = { kind: 'served', pays: 'all' };
  const isFailover = observed.row === undefined || observed.row.is_failover;
  // A key that was refused before is asked last.
  const isKnown = /^status-40[13]/.test(observed.cell.form.commands);
  return listed(
    clientProblem(observed, served),
    moneyProblem(observed, served),
    isKnown ? null : healthProblem(observed, outcome),
    isFailover || isKnown ? null : 'not recorded as another provider',
  );
}

/** A client that leaves before the end has paid nothing; one that left just too late has paid the cost. */
function goneProblems(observed: Observed, outcome: Outcome): readonly string[] {
  const { row, cell } = observed;
  if (row === undefined) return isRecorded(cell) ? ['no record'] : [];
  const cost = BigInt(row.cost_nano_usd);
  const charged = BigInt(row.charged_nano_usd ?? '0');
  const price = priceOf(cell, outcome);
  // A file is charged as soon as it has begun; a stream that the gateway ends is charged for what was delivered.
  const isRight = cost === 0n || price === null || cost === price || outcome.kind === 'bounded';
  return listed(
    cost === charged ? null : `recorded ${cost} and charged ${charged}`,
    isRight ? null : `charged ${cost} to somebody who had left`,
  );
}

const CHECKS = { alone: aloneProblems, rescued: rescuedProblems, gone: goneProblems };

export function problemsOf(observed: Observed): readonly string[] {
  const { cell } = observed;
  const problems = CHECKS[cell.variant](observed, outcomeOf(cell));
  const name = `${cell.fault.id} ${cell.form.at ?? cell.form.commands}, ${cell.surface.name} over ${cell.kind}, ${cell.variant}`;
  return problems.map((problem) => `${name}: ${problem}`);
}
