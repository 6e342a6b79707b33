// What the composition root passes to the files of this folder.

import type { UpstreamTimeouts } from '../canonical/model.ts';
import type { Config } from '../config.ts';
import type { Catalog } from '../modules/catalog/catalog.ts';
import type { ConnectSession } from '../modules/ledger/process-session.ts';
import type { RootSecrets } from '../modules/root-secret/root-secrets.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Notices } from '../platform/db/database.ts';
import type { ReportReader } from '../platform/db/reader.ts';
import type { Timelines } from '../platform/db/timelines.ts';
import type { Logger } from '../platform/logger.ts';
import type { Mailer } from '../platform/mail/mailer.ts';
import type { Lookup } from '../platform/outbound/resolve-host.ts';
import type { RootSecret } from '../platform/root-secret.ts';
import type { RedisParts } from './redis.ts';

export type StartOptions = Readonly<{
  /** Variables of the built-in catalog that only the starter knows, such as the simulator's address. */
  variables?: Readonly<Record<string, string>>;
  clock?: Clock;
  /** The clock is this machine's and may be wrong. */
  followsDatabaseClock?: boolean;
  timeouts?: Partial<UpstreamTimeouts>;
  logger?: Logger;
  /** The starter has something to make through the gateway, which is not ready until then. */
  isStarting?(): boolean;
  /** From 0 up to 1; decides among providers. */
  random?(): number;
  /** Given this process's metrics, returns how to read those of all processes together. */
  collectMetrics?(own: () => Promise<string>): () => Promise<string>;
  /** How names in customers' addresses are resolved. */
  lookup?: Lookup;
  /** The TXT records of a name. */
  resolveTxt?(name: string): Promise<readonly (readonly string[])[]>;
}>;

export type Storage = Readonly<{
  database: Database;
  /** Opens sessions on the server itself, even behind a pooler. */
  connectSession: ConnectSession;
  /** Called when the server was found to be away, so that code with its own connections checks them. */
  onDatabaseAway(handler: () => void): void;
  timelines: Timelines;
  /** For reports, which may be a little behind; never for decisions about money. */
  reader: ReportReader;
  notices: Notices;
  /** Null: this process counts by itself. */
  redis: RedisParts | null;
  /** Statements that this process has sent to the database. */
  statementCount(): number;
  close(): Promise<void>;
}>;

/** What every part is made from. */
export type Parts = Readonly<{ config: Config; options: StartOptions; clock: Clock; logger: Logger; storage: Storage }>;

/** What exists before the services are made, and what they need. */
export type Given = Readonly<{
  catalog: Catalog;
  rootSecrets: RootSecrets;
  secret: RootSecret;
  adminToken: string;
  siteUrl(): string;
  isDraining(): boolean;
  mailer: Mailer;
}>;
