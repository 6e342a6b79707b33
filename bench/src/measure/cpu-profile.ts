// Where the time goes: the self time of a V8 CPU profile, summed by part of the program. Only samples within a span are
// counted, so that start-up and idle time do not show.

type ProfileNode = Readonly<{
  id: number;
  callFrame: Readonly<{ functionName: string; url: string; lineNumber: number }>;
}>;

export type CpuProfile = Readonly<{
  nodes: readonly ProfileNode[];
  startTime: number;
  samples: readonly number[];
  timeDeltas: readonly number[];
}>;

export type Share = Readonly<{ name: string; share: number }>;

export type ProfileSummary = Readonly<{
  /** Shares of the busy time, which excludes idling. */
  groups: readonly Share[];
  functions: readonly Share[];
  idleShare: number;
}>;

/** In microseconds of the system's monotonic clock, which both the profiler and `process.hrtime` read. */
export type Span = Readonly<{ startMicros: number; endMicros: number }>;

const IDLE = '(idle)';
const GROUPS_MAX = 24;
const FUNCTIONS_MAX = 20;

export const nowMicros = (): number => Number(process.hrtime.bigint() / 1_000n);

export function summarizeProfile(profile: CpuProfile, span: Span): ProfileSummary {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const groups = new Map<string, number>();
  const functions = new Map<string, number>();
  let idleMicros = 0;
  let busyMicros = 0;
  let atMicros = profile.startTime;
  profile.samples.forEach((id, index) => {
    const deltaMicros = profile.timeDeltas[index] ?? 0;
    atMicros += deltaMicros;
    const node = nodes.get(id);
    if (node === undefined || atMicros < span.startMicros || atMicros > span.endMicros) return;
    const group = groupOf(node);
    if (group === IDLE) {
      idleMicros += deltaMicros;
      return;
    }
    busyMicros += deltaMicros;
    groups.set(group, (groups.get(group) ?? 0) + deltaMicros);
    const label = labelOf(node, group);
    functions.set(label, (functions.get(label) ?? 0) + deltaMicros);
  });
  return {
    groups: largest(groups, busyMicros, GROUPS_MAX),
    functions: largest(functions, busyMicros, FUNCTIONS_MAX),
    idleShare: idleMicros / Math.max(1, idleMicros + busyMicros),
  };
}

function largest(micros: ReadonlyMap<string, number>, total: number, count: number): readonly Share[] {
  return [...micros]
    .map(([name, value]) => ({ name, share: value / Math.max(1, total) }))
    .sort((left, right) => right.share - left.share)
    .slice(0, count);
}

function groupOf({ callFrame: { functionName, url } }: ProfileNode): string {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === IDLE) return IDLE;
  if (functionName === '(program)') return 'native code outside functions';
  if (url.startsWith('node:'))
    return `node: ${
      url
        .slice('node:'.length)
        .replace(/^internal\//, '')
        .split('/')[0]
    }`;
  // The HTTP parser of the upstream client is the only WebAssembly here.
  if (url.startsWith('wasm:')) return 'undici';
  const dependency = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (dependency !== undefined) return dependency;
  const own = /\/gateway\/(?:dist|src)\/(.*)$/.exec(url)?.[1];
  if (own === undefined) return url === '' ? 'native and built-in functions' : url;
  const folders = own.split('/').slice(0, -1);
  return `gateway/${folders.slice(0, 2).join('/')}`;
}

function labelOf({ callFrame }: ProfileNode, group: string): string {
  const file = callFrame.url.split('/').slice(-2).join('/');
  const name = callFrame.functionName === '' ? '(anonymous)' : callFrame.functionName;
  return file === '' ? `${name} [${group}]` : `${name} ${file}:${callFrame.lineNumber + 1}`;
}
