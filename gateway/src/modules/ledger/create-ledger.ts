// Puts the ledger together and starts it: claim an id, return what dead processes had leased, replay what journals
// hold, and only then serve.

import type { Clock } from '../../platform/clock.ts';
import { endClient } from '../../platform/db/connection.ts';
import type { Database, Notices, Queryable } from '../../platform/db/database.ts';
import { reportFailure } from '../../platform/db/report-failure.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { type AuditScope, auditLedger } from './audit.ts';
import { AccountSlices, CapSlices } from './cap-slices.ts';
import { clampedCommitter, eachCommitter, PriceListKeeper, settlementCommitter } from './commit-settlements.ts';
import { Folding } from './folding.ts';
import { accountFunds, capFunds, type Fund, type FundStore } from './fund.ts';
import type { OnTripped } from './fund-leases.ts';
import { Journal } from './journal.ts';
import { KeptSettlements, type LostCharges, restoreLost } from './kept-settlements.ts';
import type { Ledger, LedgerAudit } from './ledger.ts';
import { PrepaidLedger } from './prepaid-ledger.ts';
import { asQueryable, type ConnectSession, ProcessSession } from './process-session.ts';
import type { AppNameOf, OnAbsorbed } from './reserver.ts';
import { SettlementWriter } from './settlement-writer.ts';
import { ACCOUNT_SLICES_TOPIC, openSliceExchange } from './slice-exchange.ts';
import { SliceTable } from './slice-table.ts';
import { appendCalls } from './store/append.ts';
import { forgetCounters } from './store/counters.ts';
import { foldEach, foldSoon } from './store/fold.ts';
import { deregisterProcess, listProcesses, sweepDeadProcesses } from './store/processes.ts';
import { expireReservations } from './store/reservations.ts';
import { findCharges } from './store/settlements.ts';

export const SWEEP_MS = 2_000;
/** Longer than living processes take to claim their slices again on a server that has restarted. */
const SERVER_GRACE_MS = 3_000;
const FORGET_MS = 600_000;
/** A settlement waits this long for the claim on slices before it goes to the journal. */
const UNTIL_CLAIMED_MS = 1_000;

type LedgerInput = Readonly<{
  database: Database;
  notices: Notices;
  /** For the connections that the ledger keeps to itself: the claim on its slices, and audits. */
  connect: ConnectSession;
  /** Calls the handler when the server was found to be away, which an idle connection may not notice. */
  onDatabaseAway?: (handler: () => void) => void;
  dataDir: string;
  /** How long settlements that the database has are also kept in local files; 0 where there is no standby. */
  keepMs?: number;
  /** The name of the server that sessions are connected to; null where servers do not tell. */
  serverName?: () => string | null;
  /** Another server took over while this process was not running. */
  isAfterTakeover?: boolean;
  clock: Clock;
  logger: Logger;
  /** Told of absorbed cost, for the modules that bound it. */
  onAbsorbed?: OnAbsorbed;
  /** Bounds how many different application names are recorded. */
  appNameOf?: AppNameOf;
  /** Told of every call that a breaker has refused. */
  onTripped?: OnTripped;
  /** Told of every group commit and how many charges it held. */
  onCommitted?: (settlements: number) => void;
  /** Given the promise of every sweep for dead processes, to count it; its failure is handled here. */
  countSweep?: (sweep: Promise<void>) => Promise<void>;
}>;

/** One sweep at a time; a second caller gets the promise of the sweep under way. */
function makeSweep(input: LedgerInput, session: ProcessSession): (serverGraceMs: number) => Promise<void> {
  let running: Promise<void> | null = null;
  const countSweep = input.countSweep ?? ((sweep) => sweep);
  const sweepOnce = async (serverGraceMs: number): Promise<void> => {
    const ownProcessId = session.processId;
    const { swept, failures } = await sweepDeadProcesses(input.database, { ownProcessId, serverGraceMs });
    if (swept.length > 0) input.logger.warn({ processes: swept.join(' ') }, 'slices of dead processes returned');
    await expireReservations(input.database);
    if (failures.length > 0) throw failures[0];
  };
  const sweep = async (serverGraceMs: number): Promise<void> => {
    try {
      await countSweep(sweepOnce(serverGraceMs));
    } catch (error) {
      reportFailure(input.logger, error, 'dead processes could not be swept');
    }
  };
  return (serverGraceMs) => {
    running ??= sweep(serverGraceMs).finally(() => {
      running = null;
    });
    return running;
  };
}

async function audit(connect: ConnectSession, clock: Clock, scope: AuditScope): Promise<LedgerAudit> {
  const client = await connect({});
  try {
    return await auditLedger(asQueryable(client), clock, scope);
  } finally {
    await endClient(client);
  }
}

type Copies = Readonly<{ journal: Journal; kept: KeptSettlements; lost: LostCharges }>;

async function openCopies({ dataDir, keepMs = 0, clock, logger }: LedgerInput, ownerId: () => string): Promise<Copies> {
  const kept = new KeptSettlements({ dataDir, keepMs, ownerId, clock, logger });
  await kept.open();
  return { journal: await Journal.open(dataDir, ownerId, logger), kept, lost: { count: 0 } };
}

function makeWriter(
  input: LedgerInput,
  session: ProcessSession,
  { accounts, journal, kept }: Copies & Readonly<{ accounts: AccountSlices }>,
): SettlementWriter {
  const { database, clock, logger } = input;
  const processId = () => session.processId;
  const priceLists = new PriceListKeeper();
  const commit = settlementCommitter(database, processId);
  const commitEach = eachCommitter({ commit, bury: (entry) => journal.bury(entry), logger });
  return new SettlementWriter({
    append: (calls) => appendCalls(database, processId(), calls),
    keepPriceLists: (calls) => priceLists.keepNew(database, calls),
    commitClamped: clampedCommitter(commitEach, accounts),
    folding: new Folding({
      logger,
      accounts,
      foldAll: () => foldSoon(database, processId()),
      foldEach: () => foldEach(database, processId()),
    }),
    journal,
    clock,
    logger,
    livingProcesses: () => listProcesses(database),
    isClaimed: () => session.isClaimed(),
    untilClaimed: () => Promise.race([session.settled(), clock.sleep(UNTIL_CLAIMED_MS)]),
    kept,
    processCount: () => session.processCount,
    onCommitted: input.onCommitted ?? (() => {}),
  });
}

/** Removes counters of windows that are over, which nobody reads any more. */
function startForgetting({ database, clock, logger }: LedgerInput): () => void {
  return clock.every(FORGET_MS, () => {
    forgetCounters(database).catch((error: unknown) => {
      logger.warn({ error: asError(error) }, 'counters of past windows were not removed');
    });
  });
}

type AllSlices = Readonly<{ accounts: AccountSlices; caps: CapSlices; voidAll(): void; close(): Promise<void> }>;

function openSlices(input: LedgerInput, session: ProcessSession, sweep: () => Promise<void>): AllSlices {
  const { database, notices, clock, logger } = input;
  const processId = () => session.processId;
  const onUnregistered = () => session.disown();
  const openTable = <Leased extends Fund>(topic: string, store: FundStore<Leased>): SliceTable<Leased> => {
    const exchange = openSliceExchange({ topic, notices, clock, logger, processId });
    return new SliceTable({ store, clock, logger, processId, onUnregistered, sweep, exchange });
  };
  const accounts = new AccountSlices(openTable(ACCOUNT_SLICES_TOPIC, accountFunds(database)));
  const caps = new CapSlices(openTable('cap-slices', capFunds(database)));
  return {
    accounts,
    caps,
    voidAll() {
      accounts.table.voidAll();
      caps.table.voidAll();
    },
    async close() {
      await Promise.all([accounts.table.close(), caps.table.close()]);
    },
  };
}

async function returnAll({ database, logger }: LedgerInput, processId: string): Promise<void> {
  try {
    await deregisterProcess(database, processId);
  } catch (error) {
    // Another process will return the slices of this one.
    logger.warn({ error: asError(error) }, 'slices were not returned on leaving');
  }
}

type SessionHears = Readonly<{ onReplaced(): void; onTakenOver(session: Queryable): Promise<void> }>;

function makeSession(input: LedgerInput, copies: () => Copies, hears: SessionHears): ProcessSession {
  const { database, connect, clock, logger, serverName } = input;
  return new ProcessSession({
    ...{ connect, clock, logger, ...hears },
    abandon: (id) => deregisterProcess(database, id),
    ...(serverName === undefined ? {} : { serverName }),
    hasNewest: async (session) => {
      const { lastId } = copies().kept;
      return lastId === null || (await findCharges(session, [lastId])).has(lastId);
    },
  });
}

/**
 * After a fail-over, compares the settlements that this process kept, under all its ids, with what the new server has.
 */
function makeRestore(copies: Copies, session: ProcessSession, input: Readonly<{ logger: Logger; replaySoon(): void }>) {
  const ownIds = new Set<string>();
  const noteId = (): void => void ownIds.add(session.processId);
  const restore = async (queryable: Queryable): Promise<void> => {
    noteId();
    if (await restoreLost({ ...copies, logger: input.logger }, queryable, ownIds)) input.replaySoon();
  };
  return { noteId, restore };
}

export async function createLedger(input: LedgerInput): Promise<Ledger> {
  const { database, notices, connect, clock, logger } = input;
  const session: ProcessSession = makeSession(input, () => copies, {
    onReplaced() {
      noteId();
      slices.voidAll();
    },
    onTakenOver: (queryable) => restore(queryable),
  });
  const copies = await openCopies(input, () => session.processId);
  const { noteId, restore } = makeRestore(copies, session, { logger, replaySoon: () => writer.replaySoon() });
  const sweepWithGrace = makeSweep(input, session);
  const sweep = () => sweepWithGrace(SERVER_GRACE_MS);
  const slices = openSlices(input, session, sweep);
  const { accounts, caps } = slices;
  const writer = makeWriter(input, session, { ...copies, accounts });

  await session.open();
  noteId();
  input.onDatabaseAway?.(() => session.doubt());
  try {
    await sweepWithGrace(0);
    if (input.isAfterTakeover === true) {
      await copies.kept.adopt(await listProcesses(database));
      await restore(database);
    }
    await writer.replay();
  } catch (error) {
    await slices.close();
    await session.close();
    throw error;
  }
  const stopSweeping = clock.every(SWEEP_MS, () => {
    if (session.isClaimed()) void sweep();
  });
  const stopForgetting = startForgetting(input);
  const leave = async (): Promise<void> => {
    stopSweeping();
    stopForgetting();
    await slices.close();
    await returnAll(input, session.processId);
    await session.close();
  };
  return new PrepaidLedger({
    database,
    notices,
    clock,
    logger,
    session,
    accounts,
    caps,
    onTripped: input.onTripped ?? (() => {}),
    writer,
    audit: (scope) => audit(connect, clock, scope),
    lostCharges: () => copies.lost.count,
    leave,
    onAbsorbed: input.onAbsorbed ?? (() => {}),
    appNameOf: input.appNameOf ?? ((_accountId, appName) => appName),
  });
}
