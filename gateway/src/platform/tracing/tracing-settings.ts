// Tracing settings from the environment, with OpenTelemetry's variable names. An address switches it on; a setting that
// cannot be followed is reported as a problem.

import type { ExporterSettings } from './exporter.ts';
import type { Sampler } from './sampler.ts';

export type TracingSettings = Readonly<{ sampler: Sampler; exporter: ExporterSettings }>;

/** How the environment is read: null where a variable is unset or empty. */
type VariableReader = Readonly<{
  text(name: string): string | null;
  problem(name: string, message: string): void;
}>;

const TRACES_PATH = '/v1/traces';
const NUMBER_MAX = 10_000_000;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;

const samplers: Readonly<Record<string, Readonly<{ followsCaller: boolean; ratio: number | null }>>> = {
  always_on: { followsCaller: false, ratio: 1 },
  always_off: { followsCaller: false, ratio: 0 },
  traceidratio: { followsCaller: false, ratio: null },
  parentbased_always_on: { followsCaller: true, ratio: 1 },
  parentbased_always_off: { followsCaller: true, ratio: 0 },
  parentbased_traceidratio: { followsCaller: true, ratio: null },
};

/** Null: nothing is traced. */
export function readTracing(reader: VariableReader): TracingSettings | null {
  const url = readUrl(reader);
  if (url === null || isOff(reader)) return null;
  refuseOtherForms(reader);
  return {
    sampler: readSampler(reader),
    exporter: {
      url,
      headers: readPairs(reader, either(reader, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS')),
      resource: readResource(reader),
      timeoutMs: readNumber(
        reader,
        either(reader, 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT'),
        10_000,
      ),
      queueMax: readNumber(reader, 'OTEL_BSP_MAX_QUEUE_SIZE', 2_048),
      batchMax: readNumber(reader, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
      delayMs: readNumber(reader, 'OTEL_BSP_SCHEDULE_DELAY', 5_000),
    },
  };
}

/** The variable for traces counts before the general one. */
const either = ({ text }: VariableReader, special: string, general: string): string =>
  text(special) === null ? general : special;

function isOff({ text }: VariableReader): boolean {
  return text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || text('OTEL_TRACES_EXPORTER') === 'none';
}

/** The address for traces is used as it is; the general one gets the path for traces. */
function readUrl(reader: VariableReader): string | null {
  const name = either(reader, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const text = reader.text(name);
  if (text === null) return null;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    reader.problem(name, 'is not a URL that starts with http:// or https://');
    return null;
  }
  return name.includes('TRACES') ? text : text.replace(/\/+$/, '') + TRACES_PATH;
}

function refuseOtherForms(reader: VariableReader): void {
  const name = either(reader, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL');
  const text = reader.text(name);
  if (text !== null && text !== 'http/json') reader.problem(name, 'can only be http/json');
}

function readSampler(reader: VariableReader): Sampler {
  const name = 'OTEL_TRACES_SAMPLER';
  const known = samplers[reader.text(name)?.toLowerCase() ?? 'parentbased_always_on'];
  if (known === undefined) reader.problem(name, `is none of ${Object.keys(samplers).join(', ')}`);
  const { followsCaller = true, ratio = 1 } = known ?? {};
  return { followsCaller, ratio: ratio ?? readRatio(reader) };
}

function readRatio(reader: VariableReader): number {
  const name = 'OTEL_TRACES_SAMPLER_ARG';
  const text = reader.text(name);
  if (text === null) return 1;
  const ratio = /^(?:\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (ratio >= 0 && ratio <= 1) return ratio;
  reader.problem(name, `${JSON.stringify(text)} is not a number from 0 to 1`);
  return 1;
}

function readNumber(reader: VariableReader, name: string, otherwise: number): number {
  const text = reader.text(name);
  if (text === null) return otherwise;
  const number = /^\d{1,8}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= 1 && number <= NUMBER_MAX) return number;
  reader.problem(name, `${JSON.stringify(text)} is not a whole number from 1 to ${NUMBER_MAX}`);
  return otherwise;
}

/** `name=value,name=value`, values percent-encoded. They may be secrets, so no message repeats them. */
function readPairs(reader: VariableReader, name: string): readonly string[] {
  return splitPairs(reader, name).flatMap(([key, value]) => {
    if (HEADER_NAME.test(key) && HEADER_VALUE.test(value)) return [key.toLowerCase(), value];
    reader.problem(name, 'holds something that is no header');
    return [];
  });
}

function readResource(reader: VariableReader): Readonly<Record<string, string>> {
  const given = Object.fromEntries(splitPairs(reader, 'OTEL_RESOURCE_ATTRIBUTES'));
  return { 'service.name': 'tollgate', ...given, ...named(reader.text('OTEL_SERVICE_NAME')) };
}

const named = (serviceName: string | null): Readonly<Record<string, string>> =>
  serviceName === null ? {} : { 'service.name': serviceName };

function splitPairs(reader: VariableReader, name: string): readonly (readonly [string, string])[] {
  const entries = (reader.text(name) ?? '').split(',').filter((entry) => entry.trim() !== '');
  return entries.flatMap((entry) => {
    const [, key = '', value = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(entry) ?? [];
    try {
      if (key !== '') return [[key, decodeURIComponent(value)] as const];
    } catch {
      // Reported below, like every other entry that cannot be read.
    }
    reader.problem(name, 'is not a list such as name=value,name=value');
    return [];
  });
}
