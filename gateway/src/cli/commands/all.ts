// Every command of the command line, in the order the help shows them.

import type { Command } from '../command.ts';
import { accountCommands } from './accounts.ts';
import { catalogCommands } from './catalog.ts';
import { healthCommands } from './health.ts';
import { ledgerCommands } from './ledger.ts';
import { processCommands } from './processes.ts';
import { usageCommands } from './usage.ts';

export const allCommands: readonly Command[] = [
  ...processCommands,
  ...catalogCommands,
  ...accountCommands,
  ...ledgerCommands,
  ...healthCommands,
  ...usageCommands,
];
