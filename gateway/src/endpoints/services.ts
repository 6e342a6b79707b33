// Everything an endpoint may need, filled in once by the composition root.

import type { Identity } from '../modules/identity/identity.ts';
import type { Brake } from '../modules/ledger/brake.ts';
import type { Organizations } from '../modules/orgs/orgs.ts';
import type { Statements } from '../modules/orgs/statements.ts';
import type { Payments } from '../modules/payments/payments.ts';
import type { UsageUpkeep } from '../modules/usage/upkeep.ts';
import type { Usage } from '../modules/usage/usage.ts';
import type { InferenceServices } from '../pipeline/services.ts';
import type { Database } from '../platform/db/database.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { ProtectServices } from './protect.ts';

export type Services = InferenceServices &
  ProtectServices &
  Readonly<{
    database: Database;
    identity: Identity;
    brake: Brake;
    usage: Usage;
    usageUpkeep: UsageUpkeep;
    payments: Payments;
    organizations: Organizations;
    statements: Statements;
    /** What absolute URLs begin with, without a trailing slash. */
    siteUrl(): string;
    metrics: Metrics;
    clientIpHeader: string | null;
    /** Where the console's files are. */
    consoleFolder: string;
    isDraining(): boolean;
    isDatabaseReachable(): boolean;
  }>;
