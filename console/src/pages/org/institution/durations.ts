// Seconds as people set them: in the largest unit that divides them.

export type DurationUnit = 'days' | 'hours' | 'minutes' | 'seconds';

const SECONDS: Readonly<Record<DurationUnit, number>> = { days: 86_400, hours: 3_600, minutes: 60, seconds: 1 };

export const DURATION_UNITS = Object.keys(SECONDS) as DurationUnit[];

export type Duration = Readonly<{ count: number; unit: DurationUnit }>;

export function durationOf(seconds: number): Duration {
  const unit = DURATION_UNITS.find((candidate) => seconds % SECONDS[candidate] === 0) ?? 'seconds';
  return { count: seconds / SECONDS[unit], unit };
}

export function secondsOf(count: number, unit: string): number {
  const known = DURATION_UNITS.find((candidate) => candidate === unit) ?? 'seconds';
  return Math.round(count * SECONDS[known]);
}
