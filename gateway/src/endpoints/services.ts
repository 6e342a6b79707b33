// Everything an endpoint may need, filled in once by the composition root.

import type { Identity } from '../modules/identity/identity.ts';
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
    usage: Usage;
    metrics: Metrics;
    clientIpHeader: string | null;
    /** Where the console's files are. */
    consoleFolder: string;
    isDraining(): boolean;
    isDatabaseReachable(): boolean;
  }>;
