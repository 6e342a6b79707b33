// The metrics of several workers as one page: every figure with the worker's number as a label, and the figures of one
// name together, as Prometheus requires. The reader adds them up, because a sum of gauges would mean nothing.

/** One worker's metrics as Prometheus text. */
export type WorkerMetrics = Readonly<{ worker: number; text: string }>;

type Family = { readonly head: readonly string[]; readonly samples: string[] };

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (.+)$/;

export function mergeMetrics(all: readonly WorkerMetrics[]): string {
  const families = new Map<string, Family>();
  for (const { worker, text } of all) addText(families, worker, text);
  const lines = [...families.values()].flatMap(({ head, samples }) => [...head, ...samples]);
  return `${lines.join('\n')}\n`;
}

function addText(families: Map<string, Family>, worker: number, text: string): void {
  let head: string[] = [];
  let family: Family | null = null;
  for (const line of text.split('\n')) {
    if (line.startsWith('# ')) {
      // The lines that introduce a name stand directly before its figures.
      if (family !== null) head = [];
      family = null;
      head.push(line);
      continue;
    }
    const labelled = withWorker(line, worker);
    if (labelled === null) continue;
    family ??= familyOf(families, head);
    family.samples.push(labelled);
  }
}

function familyOf(families: Map<string, Family>, head: readonly string[]): Family {
  const [, name = ''] = /^# \w+ (\S+)/.exec(head[0] ?? '') ?? [];
  const known = families.get(name);
  if (known !== undefined) return known;
  const family = { head, samples: [] };
  families.set(name, family);
  return family;
}

function withWorker(line: string, worker: number): string | null {
  const sample = SAMPLE.exec(line);
  if (sample === null) return null;
  const [, name, labels = '', value] = sample;
  return `${name}{worker="${worker}"${labels === '' ? '' : `,${labels}`}} ${value}`;
}
