// How much load a number of cores carries, and what limits it: the highest rate at which nothing is busier than it
// should be.

import type { Figures } from './figures.ts';
import { type Load, type Outcome, simulate } from './simulate.ts';

/** Beyond this, queues grow faster than the load. */
export const BUSY_MAX = 2 / 3;

export type Carried = Readonly<{ callsPerSecond: number; bound: 'gateway' | 'PostgreSQL' | 'Redis'; outcome: Outcome }>;

export type Setting = Omit<Load, 'callsPerSecond'>;

const STEPS = 9;

const busiest = ({ gateway, database, redis }: Outcome): number => Math.max(gateway, database, redis);

export function carry(figures: Figures, setting: Setting): Carried {
  const { gateway, redis } = figures;
  const micros = setting.isStream ? gateway.streamMicros : gateway.wholeMicros;
  // Neither the gateways nor Redis can do more than this; the database may be the limit earlier.
  let most = BUSY_MAX * Math.min((1e6 * setting.processes) / micros, 1e6 / redis.microsPerCall);
  let least = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (least + most) / 2;
    if (busiest(simulate(figures, { ...setting, callsPerSecond: middle })) <= BUSY_MAX) least = middle;
    else most = middle;
  }
  const outcome = simulate(figures, { ...setting, callsPerSecond: least });
  return { callsPerSecond: least, bound: boundOf(outcome), outcome };
}

function boundOf({ gateway, database, redis }: Outcome): Carried['bound'] {
  if (gateway >= database && gateway >= redis) return 'gateway';
  return database >= redis ? 'PostgreSQL' : 'Redis';
}
