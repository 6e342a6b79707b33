// Every command of the command line, in the order the help shows them.

import type { Command } from '../command.ts';
import { accountCommands } from './accounts.ts';
import { auditCommands } from './audit.ts';
import { autoRouterCommands } from './auto-router.ts';
import { brakeCommands } from './brake.ts';
import { catalogCommands } from './catalog.ts';
import { codeCommands } from './codes.ts';
import { completionCommand } from './completion.ts';
import { deskCommands } from './desk.ts';
import { evidenceCommands } from './evidence.ts';
import { exposureCommands } from './exposure.ts';
import { healthCommands } from './health.ts';
import { keyCommands } from './keys.ts';
import { ledgerCommands } from './ledger.ts';
import { operatorCommands } from './operators.ts';
import { orderCommands } from './orders.ts';
import { orgCommands } from './orgs.ts';
import { priceCommands } from './prices.ts';
import { processCommands } from './processes.ts';
import { providerKeyCommands } from './provider-keys.ts';
import { providerCommands } from './providers.ts';
import { rootSecretCommands } from './root-secret.ts';
import { usageCommands } from './usage.ts';
import { userCommands } from './users.ts';

export const allCommands: readonly Command[] = [
  ...processCommands,
  ...healthCommands,
  ...providerCommands,
  ...providerKeyCommands,
  ...priceCommands,
  ...catalogCommands,
  ...autoRouterCommands,
  ...userCommands,
  ...keyCommands,
  ...accountCommands,
  ...orgCommands,
  ...orderCommands,
  ...codeCommands,
  ...deskCommands,
  ...ledgerCommands,
  ...auditCommands,
  ...operatorCommands,
  ...usageCommands,
  ...exposureCommands,
  ...brakeCommands,
  ...evidenceCommands,
  ...rootSecretCommands,
  completionCommand(() => allCommands),
];
