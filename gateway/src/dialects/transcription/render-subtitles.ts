// Subtitles from the segments of a transcription. Without segments, the whole text is shown for as long as the
// recording lasts.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';

type Cue = Readonly<{ startMs: number; endMs: number; text: string }>;

export function renderSrt(json: JsonObject): string {
  return cuesOf(json)
    .map(
      ({ startMs, endMs, text }, index) => `${index + 1}\n${stamp(startMs, ',')} --> ${stamp(endMs, ',')}\n${text}\n\n`,
    )
    .join('');
}

export function renderVtt(json: JsonObject): string {
  const cues = cuesOf(json).map(
    ({ startMs, endMs, text }) => `${stamp(startMs, '.')} --> ${stamp(endMs, '.')}\n${text}\n\n`,
  );
  return `WEBVTT\n\n${cues.join('')}`;
}

function cuesOf({ segments, text, duration }: JsonObject): readonly Cue[] {
  if (Array.isArray(segments)) return segments.flatMap(cueOf);
  const whole = typeof text === 'string' ? text.trim() : '';
  return whole === '' ? [] : [{ startMs: 0, endMs: milliseconds(duration), text: whole }];
}

function cueOf(segment: unknown): readonly Cue[] {
  if (!isJsonObject(segment) || typeof segment.text !== 'string') return [];
  // An arrow or an empty line inside a cue would end it.
  const text = segment.text
    .replaceAll('-->', '->')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
  return [{ startMs: milliseconds(segment.start), endMs: milliseconds(segment.end), text }];
}

function milliseconds(seconds: unknown): number {
  const figure = Number(seconds);
  return Number.isFinite(figure) && figure > 0 ? Math.round(figure * 1_000) : 0;
}

function stamp(ms: number, separator: string): string {
  const two = (figure: number): string => String(figure).padStart(2, '0');
  const seconds = Math.floor(ms / 1_000);
  const clock = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  return `${clock}${separator}${String(ms % 1_000).padStart(3, '0')}`;
}
