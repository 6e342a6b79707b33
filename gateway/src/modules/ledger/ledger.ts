// The ledger as the rest of the gateway sees it: reserve before dispatch, then settle or release exactly once.
// A reservation lives in this process's memory, taken from slices of the account and of every spend cap that the
// database has leased to it; only the settlement touches the disk.

import type { CreditLedger } from '../../canonical/credit.ts';
import type { GenerationRecord } from '../../canonical/generation.ts';
import type { PriceList } from '../../canonical/price.ts';
import type { SpendCap } from '../../canonical/spend-cap.ts';
import { ApiError, temporaryOutage } from '../../errors/api-error.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { ReservationRow } from './store/reservations.ts';
import type { AccountKind } from './store/slices.ts';

export type DurableReservation = Readonly<{
  /** The id of the generation that the job makes, whose record ends the reservation. */
  id: string;
  accountId: string;
  userId: string;
  keyId: string;
  caps: readonly SpendCap[];
  amountNanoUsd: NanoUsd;
  /** After this the sweep gives the reservation back, in case its owner forgot it. */
  expiresAtMs: number;
}>;

export type DurableView = ReservationRow;

/** Writes the caller's own rows, in the same transaction as the reservation. */
export type Within = (transaction: Queryable) => Promise<void>;

export type DurableCharge = Readonly<{
  /** Kept with the charge. */
  priceList?: PriceList | undefined;
  /**
   * More was delivered than ordered, and the rest is charged as far as the account has it available. Never under a cap.
   */
  mayExceedReservation?: boolean;
}>;

export type Reservation = Readonly<{
  generationId: string;
  accountId: string;
  /** What is held now, with extensions. */
  amountNanoUsd(): NanoUsd;
  /** Why the last refused extension was refused; null when none was. */
  refusal(): ApiError | null;
}>;

/** An amount that may be lowered when the account has several calls at once, so that each gets a part. */
export type ReservationRange = Readonly<{
  /** Held when it is no more than this call's share of what is available. */
  mostNanoUsd: NanoUsd;
  /** Otherwise the share is held, but no more than this. */
  elseNanoUsd: NanoUsd;
  /** The call is refused when less than this can be held. */
  leastNanoUsd: NanoUsd;
}>;

export type Settlement = Readonly<{
  chargedNanoUsd: NanoUsd;
  /** The part of the cost that the balance or a cap could not carry. */
  absorbedNanoUsd: NanoUsd;
}>;

/** How an account pays and how much it could pay: this decides its rate tier. */
export type Means = Readonly<{
  kind: AccountKind;
  /** The balance, and on top of it the credit line of an account that is billed monthly. */
  spendableNanoUsd: NanoUsd;
}>;

export type AccountView = Means &
  Readonly<{
    balanceNanoUsd: NanoUsd;
    /** By durable reservations. */
    heldNanoUsd: NanoUsd;
    totalCreditedNanoUsd: NanoUsd;
    totalSpentNanoUsd: NanoUsd;
  }>;

export type LedgerAudit = Readonly<{
  accounts: number;
  entries: number;
  heldReservations: number;
  discrepancies: readonly string[];
  /** Entries that an earlier check has read and this one has not. */
  entriesBefore: number;
  /** When everything was last checked without a discrepancy; null when that was before the last sealed month. */
  everythingAt: Date | null;
}>;

export type LedgerCheck = LedgerAudit & Readonly<{ ok: boolean }>;

/** For metrics. */
export type LedgerStatus = Readonly<{
  /** The id that this process is registered under. */
  processId: string;
  isServing: boolean;
  openReservations: number;
  slices: number;
  queuedSettlements: number;
  /** How long the oldest settlement that the database does not have has waited. */
  settlementLagMs: number;
  /** Safe on the local disk, but not yet in the database. */
  journaledSettlements: number;
  droppedRecords: number;
  /** Entries that the database refused, and damaged lines, since this process started. */
  buriedSettlements: number;
  /** Charges that a fail-over had lost and that were charged again, since this process started. */
  lostCharges: number;
}>;

export type Ledger = Readonly<{
  /**
   * Holds an amount of the account and under every cap, all or nothing. Answers without I/O when this process's slices
   * cover it. Throws what the first cap says that cannot, in the order they are given; `insufficient_credits` when only
   * the account cannot; a 503 when the database is away. An amount of zero is refused by breakers only.
   */
  reserve(
    accountId: string,
    generationId: string,
    amountNanoUsd: NanoUsd,
    caps?: readonly SpendCap[],
  ): Reservation | Promise<Reservation>;
  /** As `reserve`, for an amount within a range: `amountNanoUsd()` tells how much it became. */
  reserveWithin(
    accountId: string,
    generationId: string,
    range: ReservationRange,
    caps?: readonly SpendCap[],
  ): Reservation | Promise<Reservation>;
  /** Holds more for a running call; false when the account or a cap cannot. Rejects with a 503 without a database. */
  extend(reservation: Reservation, byNanoUsd: NanoUsd): boolean | Promise<boolean>;
  /**
   * Charges `record.costNanoUsd` as far as the account and its caps allow and writes the record; `done` is called once
   * that is durable. The price list behind the cost is kept with the charge.
   */
  settle(
    reservation: Reservation,
    record: GenerationRecord,
    priceList: PriceList | undefined,
    done: (settlement: Settlement) => void,
  ): void;
  /** Returns the whole amount at once; the record, if any, is written with the next batch and not waited for. */
  release(reservation: Reservation, record: GenerationRecord | null): void;
  /**
   * As `reserve`, but in the database, for a job that outlives this call and this process. `within` writes the caller's
   * own rows in the same transaction. The same order given twice has one effect; another one under the same id is a
   * 409.
   */
  reserveDurable(order: DurableReservation, within?: Within): Promise<void>;
  /**
   * Charges `record.costNanoUsd` as far as the reservation goes, writes the record and gives back the rest, in any
   * process and once: repeated, it answers what was charged. Null when it was released or has expired; then nothing is
   * charged.
   */
  settleDurable(id: string, record: GenerationRecord, charge?: DurableCharge): Promise<Settlement | null>;
  /** Gives back all of it, with a record that costs nothing if one is given. False when it had ended already. */
  releaseDurable(id: string, reason: string, record?: GenerationRecord): Promise<boolean>;
  durable(id: string): Promise<DurableView | null>;
  /** Whether a call has been charged, by whichever process. */
  isCharged(generationId: string): Promise<boolean>;
  /** What counts against a cap in its current window: spent or durably held anywhere, and held by this process. */
  used(cap: SpendCap): Promise<NanoUsd>;
  /** Like `spendable`, with how the account pays. */
  means(accountId: string): Means | Promise<Means>;
  /**
   * The balance and the credit line as last known here, whatever is held of them. No I/O once the account has been
   * seen.
   */
  spendable(accountId: string): NanoUsd | Promise<NanoUsd>;
  account(accountId: string): Promise<AccountView>;
  openAccount(queryable: Queryable, accountId: string): Promise<void>;
  /** Operator credit or top-up. */
  credit: CreditLedger['credit'];
  /**
   * Checks what is new since the last check, everything since the last sealed month, or (`usual`) everything where that
   * is little.
   */
  check(scope: 'new' | 'everything' | 'usual'): Promise<LedgerCheck>;
  /** How many processes serve calls from this database, this one included, as last known. */
  processCount(): number;
  status(): LedgerStatus;
  /** Writes what is queued, returns the slices, stops the timers. */
  close(): Promise<void>;
}>;

// The errors of the ledger that a client may see. While the database is away they are a 503 that asks the client to
// come back, never a refusal of its key or of its money.

export const ledgerUnavailable = (detail: string, cause?: unknown): ApiError =>
  temporaryOutage('The service is temporarily unavailable. Please try again shortly.', detail, cause);

export function insufficientCredits(kind: AccountKind): ApiError {
  if (kind === 'monthly') {
    return new ApiError(
      'credit_limit_exceeded',
      "The organization's credit line is exhausted. Ask an administrator of the organization to raise it.",
    );
  }
  return new ApiError(
    'insufficient_credits',
    'Your credit balance cannot cover the estimated maximum cost of this request. Please top up, or ask for fewer tokens.',
  );
}
