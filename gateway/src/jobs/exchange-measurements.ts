// Sends other processes once a second what was measured of routes here, and takes over what they have measured, so that
// a process that has just started, or has few calls, chooses as well as the busiest one.

import type { NamedMeasurements, Routing } from '../modules/routing/routing.ts';
import type { Clock } from '../platform/clock.ts';
import type { Bus } from '../platform/redis/bus.ts';

const EVERY_MS = 1_000;
const TOPIC = 'measurements';
/** The rest is measured again by the next calls. */
const ROUTES_MAX = 1_000;

type MeasurementExchange = Readonly<{
  routing: Pick<Routing, 'takeFresh' | 'hear'>;
  bus: Pick<Bus, 'tell' | 'subscribe'>;
  clock: Clock;
}>;

/** Answers a function that stops it. */
export function startMeasurementExchange({ routing, bus, clock }: MeasurementExchange): () => void {
  bus.subscribe(TOPIC, (text) => routing.hear(readMeasurements(text)));
  return clock.every(EVERY_MS, () => {
    const fresh = routing.takeFresh().slice(0, ROUTES_MAX);
    if (fresh.length > 0) bus.tell(TOPIC, JSON.stringify(fresh));
  });
}

type Read = { -readonly [Name in keyof NamedMeasurements]: NamedMeasurements[Name] };

const KINDS = ['streamLatencyMs', 'wholeLatencyMs', 'tokensPerSecond'] as const;

/** A process of another version may send something else; what cannot be read is left out. */
function readMeasurements(text: string): readonly NamedMeasurements[] {
  const parsed: unknown = parse(text);
  if (!Array.isArray(parsed)) return [];
  return parsed.flatMap((entry: Record<string, unknown> | null) => {
    if (typeof entry?.route !== 'string') return [];
    const read: Read = { route: entry.route, streamLatencyMs: null, wholeLatencyMs: null, tokensPerSecond: null };
    for (const kind of KINDS) read[kind] = readBatch(entry[kind]);
    return [read];
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readBatch(value: unknown): NamedMeasurements['tokensPerSecond'] {
  if (typeof value !== 'object' || value === null || !('mean' in value) || !('count' in value)) return null;
  const { mean, count } = value;
  const isUsable = typeof mean === 'number' && typeof count === 'number' && mean >= 0 && count > 0;
  return isUsable ? { mean, count } : null;
}
