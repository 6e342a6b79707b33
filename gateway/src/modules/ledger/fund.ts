// What a process can lease a slice of: an account's money, or the room under a spend cap in one window. The table of
// slices treats both alike and leaves what differs, the statements, to the fund's store.

import type { SpendCap } from '../../canonical/spend-cap.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { AccountKind } from './store/slices.ts';

/** `id` is unique within its kind and holds no spaces. */
export type Fund = { readonly id: string };

export type AccountFund = Fund & {
  kind: AccountKind;
  /** Balance and credit line as last heard; null when that is unknown. */
  spendableNanoUsd: NanoUsd | null;
};

/** One window of a cap. Calls that were admitted in it count in it, however long they take. */
export type CapFund = Fund & {
  readonly cap: SpendCap;
  readonly startMs: number;
  readonly endMs: number;
  /** The limit that leases are made under now; the cap's own is the one it was opened with. */
  limitNanoUsd: NanoUsd;
  /** Null until the counter has been opened in the database. */
  counterId: string | null;
};

export type LeaseRequest = Readonly<{
  processId: string;
  missingNanoUsd: NanoUsd;
  /** Less than this is of no use here, and is better left for others. */
  leastNanoUsd: NanoUsd;
}>;

export type Lease = Readonly<{
  /** False when this process has been swept: it must register again before anything else. */
  isRegistered: boolean;
  grantedNanoUsd: NanoUsd;
  /** What nobody has leased, after this lease. Below zero when a limit was lowered under what is out. */
  remainingNanoUsd: NanoUsd;
  leasedBeforeNanoUsd: NanoUsd;
  /** How many other processes have a slice. */
  holders: number;
}>;

export type FundReturn<Leased extends Fund> = Readonly<{ fund: Leased; amountNanoUsd: NanoUsd }>;

export type FundStore<Leased extends Fund> = Readonly<{
  /** Grants what is missing if it is there, and up to half of what is, so that several processes can share. */
  lease(fund: Leased, request: LeaseRequest): Promise<Lease>;
  lower(processId: string, returns: readonly FundReturn<Leased>[]): Promise<void>;
  /** Removes whole slices, whatever they hold; only where this process has nothing held or settling. */
  drop(processId: string, funds: readonly Leased[]): Promise<void>;
}>;
