// The moments at which a gateway is killed, in the order in which a call meets them. Each row gets calls that hold
// their reservations and wait at the upstream's gate, brings them to its moment, and kills the gateway. To try another
// moment, add a row.

import { setTimeout as sleep } from 'node:timers/promises';
import type { CrashBed } from './crash-bed.ts';
import type { CrashCall } from './crash-call.ts';

export type CrashScene = Readonly<{
  bed: CrashBed;
  calls: readonly CrashCall[];
  accountIds: readonly string[];
  /** Lets the upstream answer. */
  openGate(): void;
  /** One more call, of an account of its own, whose settlement is under way and does not end until it is let go. */
  holdAnother(): Promise<Readonly<{ letGo(): Promise<void> }>>;
}>;

export type CrashPoint = Readonly<{
  name: string;
  model: 'openai/gated' | 'openai/unreachable';
  /** What the upstream does behind its gate. */
  commands(isStream: boolean): string;
  bringAndKill(scene: CrashScene): Promise<void>;
  /** What each call must have cost its account in the end: nothing, or its price exactly once. */
  charged: 'never' | 'once';
  /** What the upstream has counted is nothing. */
  isFree?: true;
}>;

export const FULL_ANSWER = 'tokens-100-20+chunks-5';

/**
 * Settlements are written one batch after another, so all calls wait for a batch that is held, and then go together.
 */
async function bringIntoOneBatch({ bed, accountIds, openGate, holdAnother }: CrashScene): Promise<void> {
  const another = await holdAnother();
  await bed.hold(accountIds);
  openGate();
  await bed.untilAnswered(accountIds.length + 1);
  await another.letGo();
  await bed.untilHeld();
}

const chargesOf = async (bed: CrashBed, accountIds: readonly string[]): Promise<number> =>
  (await bed.rows("select 1 from journal_entries where kind = 'charge' and debit_account_id = any ($1)", [accountIds]))
    .length;

export const CRASH_POINTS: readonly CrashPoint[] = [
  {
    name: 'after the reservation, before anything is sent',
    model: 'openai/unreachable',
    commands: () => FULL_ANSWER,
    bringAndKill: ({ bed }) => bed.kill(),
    charged: 'never',
  },
  {
    name: "after the upstream's headers",
    model: 'openai/gated',
    commands: (isStream) => (isStream ? 'tokens-100-20+stall-after-0' : 'stall-body'),
    async bringAndKill({ bed, openGate }) {
      openGate();
      await sleep(200);
      await bed.kill();
    },
    charged: 'never',
  },
  {
    name: 'amid the answer',
    model: 'openai/gated',
    commands: () => 'tokens-100-20+chunks-20+stall-after-5',
    async bringAndKill({ bed, calls, openGate }) {
      openGate();
      await bed.untilEach(calls, (call) => !call.isStream || call.text.length > 500);
      await bed.kill();
    },
    charged: 'never',
  },
  {
    name: 'with the usage received and no settlement begun',
    model: 'openai/gated',
    commands: () => FULL_ANSWER,
    async bringAndKill({ bed, accountIds, openGate, holdAnother }) {
      const another = await holdAnother();
      openGate();
      await bed.untilAnswered(accountIds.length + 1);
      await bed.kill();
      await another.letGo();
    },
    charged: 'never',
  },
  {
    name: 'inside the settlement, which the server gives up',
    model: 'openai/gated',
    commands: () => FULL_ANSWER,
    async bringAndKill(scene) {
      const { bed, accountIds } = scene;
      await bringIntoOneBatch(scene);
      await bed.kill();
      await bed.giveUpHeld();
      await bed.letGo(accountIds);
    },
    charged: 'never',
  },
  {
    // The server may have committed although nobody is left to learn of it, but then for all of the batch.
    name: 'inside the settlement, which the server completes',
    model: 'openai/gated',
    commands: () => FULL_ANSWER,
    async bringAndKill(scene) {
      const { bed, accountIds } = scene;
      await bringIntoOneBatch(scene);
      await bed.kill();
      await bed.letGo(accountIds);
    },
    charged: 'once',
  },
  {
    name: 'after the settlement has committed, before the last chunk has left',
    model: 'openai/gated',
    commands: () => FULL_ANSWER,
    async bringAndKill(scene) {
      const { bed, accountIds } = scene;
      await bringIntoOneBatch(scene);
      bed.gateway.freeze();
      await bed.letGo(accountIds);
      while ((await chargesOf(bed, accountIds)) === 0) await sleep(10);
      await bed.kill();
    },
    charged: 'once',
  },
  {
    name: 'after the last chunk',
    model: 'openai/gated',
    commands: () => FULL_ANSWER,
    async bringAndKill({ bed, calls, openGate }) {
      openGate();
      await bed.untilEach(calls, (call) => call.costSeen !== null);
      await bed.kill();
    },
    charged: 'once',
  },
  {
    // The gateway gives up on the database, the client is told what the journal says, and the statement commits after
    // all: the journal must not charge it again.
    name: 'after the last chunk, with the settlement in the journal and in the database',
    model: 'openai/gated',
    commands: () => FULL_ANSWER,
    async bringAndKill({ bed, calls, accountIds, openGate }) {
      await bed.hold(accountIds);
      openGate();
      await bed.untilEach(calls, (call) => call.costSeen !== null);
      await bed.kill();
      await bed.letGo(accountIds);
    },
    charged: 'once',
  },
  {
    name: 'while the reservation of a free answer goes back and its record is written',
    model: 'openai/gated',
    commands: () => 'usage-zero+chunks-5',
    async bringAndKill({ bed, calls, accountIds, openGate }) {
      await bed.hold(accountIds);
      openGate();
      await bed.untilEach(calls, (call) => call.costSeen !== null);
      await bed.untilHeld();
      await bed.kill();
      await bed.giveUpHeld();
      await bed.letGo(accountIds);
    },
    charged: 'never',
    isFree: true,
  },
];
