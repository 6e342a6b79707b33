// Times in bodies: exactly ISO 8601. A time without an offset is UTC.

import { isDay } from '../../canonical/calendar.ts';
import { ApiError } from '../../errors/api-error.ts';

const ISO_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?$/;

/** Keeps undefined (left out) and null (none) apart from times. */
export function momentField(name: string, text: string | null | undefined): number | null | undefined {
  if (text === undefined || text === null) return text;
  const timeMs = parseMoment(text);
  if (timeMs !== null) return timeMs;
  throw new ApiError('http_400', `${name}: must be a time in ISO 8601 such as 2030-01-31T12:00:00Z, or null.`);
}

export function parseMoment(text: string): number | null {
  const [, day, hour = '00', minute = '00', second = '00', fraction = '0', offset = 'Z'] = ISO_TIME.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return null;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const timeMs = Date.parse(`${day}T${hour}:${minute}:${second}.${milliseconds}${offset}`);
  return Number.isNaN(timeMs) ? null : timeMs;
}
