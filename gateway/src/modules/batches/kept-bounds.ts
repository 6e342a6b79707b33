// What an account may keep and have under way, which is on the operator's disk. Before its first credit it is little,
// because accounts cost nothing to make and a person may have a dozen.

export type KeptBounds = Readonly<{
  fileBytes: number;
  resultBytes: number;
  jobBytes: number;
  openBatches: number;
  /** Reading a file into lines costs the same when the batch is cancelled at once. */
  batchesPerDay: number;
}>;

/** True also for an account that is billed monthly. */
export type HasHadCredit = (accountId: string) => Promise<boolean>;

const MIB = 1024 * 1024;

export const BEFORE_CREDIT: KeptBounds = {
  ...{ fileBytes: 100 * MIB, resultBytes: 100 * MIB, jobBytes: 100 * MIB },
  ...{ openBatches: 2, batchesPerDay: 100 },
};
export const AFTER_CREDIT: KeptBounds = {
  ...{ fileBytes: 1024 * MIB, resultBytes: 10 * 1024 * MIB, jobBytes: 256 * MIB },
  ...{ openBatches: 20, batchesPerDay: 5_000 },
};

export const keptBounds = async (accountId: string, hasHadCredit: HasHadCredit): Promise<KeptBounds> =>
  (await hasHadCredit(accountId)) ? AFTER_CREDIT : BEFORE_CREDIT;
