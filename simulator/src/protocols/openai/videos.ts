// POST /videos and the requests about one afterwards. A job takes real time: it waits, it runs, and it ends as the
// commands of its order say. The job exists even when the answer to its order is lost, as in reality.

import { type Answer, jsonAnswer } from '../../answer.ts';
import type { Commands } from '../../command-rules.ts';
import { makeMovie } from '../../content/movie.ts';
import { isObject, type JsonObject, stringAt } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { openaiProtocol } from './protocol.ts';

const QUEUE_MS = 1_000;
const RUN_MS = 3_000;
const JOBS_MAX = 10_000;
const MEGABYTE = 1024 * 1024;
const DEFAULT_SECONDS = '4';
const DEFAULT_SIZE = '720x1280';

type Job = Readonly<{
  id: string;
  model: string;
  prompt: string;
  seconds: string;
  size: string;
  createdAtMs: number;
  commands: Commands;
}>;

type State = Readonly<{ status: 'queued' | 'in_progress' | 'completed' | 'failed'; progress: number }>;

function stateOf({ createdAtMs, commands }: Job, nowMs: number): State {
  const queueMs = commands.videoQueueMs ?? QUEUE_MS;
  const runMs = commands.videoRunMs ?? RUN_MS;
  const workedMs = nowMs - createdAtMs - queueMs;
  if (workedMs < 0) return { status: 'queued', progress: 0 };
  if (workedMs < runMs || commands.videoEnd === 'stuck') {
    return { status: 'in_progress', progress: Math.min(99, Math.floor((workedMs * 100) / Math.max(1, runMs))) };
  }
  const isFailed = commands.videoEnd === 'fails' || commands.videoEnd === 'refused';
  return isFailed ? { status: 'failed', progress: 50 } : { status: 'completed', progress: 100 };
}

const FAILURES: Readonly<Record<string, JsonObject>> = {
  fails: { code: 'video_generation_failed', message: 'Simulated: the renderer at render-7.internal gave up.' },
  refused: { code: 'moderation_blocked', message: 'Simulated: your request was blocked by our moderation system.' },
};

function describe(job: Job, { status, progress }: State, nowMs: number): JsonObject {
  const { commands } = job;
  const isOver = status === 'completed' || status === 'failed';
  const made = status === 'completed' && commands.seconds !== undefined ? String(commands.seconds) : job.seconds;
  const outputs = Array.from(
    { length: commands.outputs ?? 0 },
    (_, index) => `/v1/videos/${job.id}/content?index=${index}`,
  );
  return {
    id: job.id,
    object: 'video',
    model: job.model,
    status,
    progress,
    created_at: Math.floor(job.createdAtMs / 1000),
    completed_at: isOver ? Math.floor(nowMs / 1000) : null,
    expires_at: null,
    prompt: job.prompt,
    ...(commands.hasNoSeconds === true ? {} : { seconds: made }),
    size: job.size,
    remixed_from_video_id: null,
    error: status === 'failed' ? (FAILURES[commands.videoEnd ?? ''] ?? null) : null,
    ...(outputs.length > 0 && status === 'completed' ? { unsigned_urls: outputs } : {}),
  };
}

function orderOf({ body, files, sequence, commands }: Call, nowMs: number): Job | string {
  const model = stringAt(body, 'model');
  const prompt = stringAt(body, 'prompt');
  const seconds = stringAt(body, 'seconds') ?? DEFAULT_SECONDS;
  if (model === undefined) return 'you must provide a model parameter';
  if (prompt === undefined || prompt === '') return "Missing required parameter: 'prompt'.";
  if (!/^[1-9]\d{0,4}$/.test(seconds)) return "Invalid value for 'seconds': it is a string of digits.";
  if (files.some(({ bytes }) => bytes.length === 0)) return "Invalid file 'input_reference'.";
  if (body.input_reference !== undefined && !isObject(body.input_reference)) return "Invalid 'input_reference'.";
  const size = stringAt(body, 'size') ?? DEFAULT_SIZE;
  return { id: `video_${sequence}`, model, prompt, seconds, size, createdAtMs: nowMs, commands };
}

const missing = (): Answer => openaiProtocol.error(404, 'Video not found (simulated).', 'video_not_found');

const isVanished = ({ commands }: Job): boolean => commands.videoEnd === 'vanishes';

/** Files of each size are made once, because the largest take a while. */
function createShelf(): (seconds: number, bytes: number) => Buffer {
  let kept: Readonly<{ key: string; file: Buffer }> | undefined;
  return (seconds, bytes) => {
    const key = `${seconds} ${bytes}`;
    if (kept?.key !== key) kept = { key, file: makeMovie(seconds, bytes) };
    return kept.file;
  };
}

function sendFile(file: Buffer, { headers }: Call, job: Job): Answer {
  const common = { 'content-type': 'video/mp4', 'accept-ranges': 'bytes' };
  const [asked, first, last] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
  if (asked === undefined || job.commands.hasNoRanges === true) {
    return { kind: 'whole', status: 200, headers: common, body: file, isStateful: true };
  }
  const from = first === '' ? Math.max(0, file.length - Number(last)) : Number(first);
  const to = first === '' || last === '' ? file.length - 1 : Math.min(Number(last), file.length - 1);
  if (from > to) {
    const answer = openaiProtocol.error(416, 'The range is not satisfiable (simulated).');
    return { ...answer, headers: { ...answer.headers, 'content-range': `bytes */${file.length}` } };
  }
  const range = { 'content-range': `bytes ${from}-${to}/${file.length}` };
  const body = file.subarray(from, to + 1);
  return { kind: 'whole', status: 206, headers: { ...common, ...range }, body, isStateful: true };
}

export function createVideoOperations(): readonly Operation[] {
  const jobs = new Map<string, Job>();
  const shelf = createShelf();
  const protocol = openaiProtocol;

  const order = (call: Call): Answer => {
    const job = orderOf(call, Date.now());
    if (typeof job === 'string') return protocol.error(400, job);
    if (jobs.size >= JOBS_MAX) jobs.clear();
    jobs.set(job.id, job);
    return { ...jsonAnswer(200, describe(job, { status: 'queued', progress: 0 }, Date.now())), isStateful: true };
  };
  const poll = ({ params }: Call): Answer => {
    const job = jobs.get(params.id ?? '');
    if (job === undefined || isVanished(job)) return missing();
    return jsonAnswer(200, describe(job, stateOf(job, Date.now()), Date.now()));
  };
  const content = (call: Call): Answer => {
    const job = jobs.get(call.params.id ?? '');
    if (job === undefined || isVanished(job)) return missing();
    if (stateOf(job, Date.now()).status !== 'completed')
      return protocol.error(400, 'Video is not ready yet (simulated).');
    const { seconds = Number(job.seconds), videoMegabytes } = job.commands;
    const bytes = videoMegabytes === undefined ? undefined : videoMegabytes * MEGABYTE;
    return sendFile(shelf(seconds, bytes ?? 65_536), call, job);
  };
  const list = (): Answer => {
    const data = [...jobs.values()].reverse().slice(0, 100);
    const described = data.map((job) => describe(job, stateOf(job, Date.now()), Date.now()));
    return jsonAnswer(200, { object: 'list', data: described, has_more: jobs.size > data.length });
  };
  return [
    { method: 'POST', path: '/videos', protocol, takesForm: 'either', answer: order },
    { method: 'GET', path: '/videos', protocol, answer: list },
    { method: 'GET', path: '/videos/:id', protocol, answer: poll },
    { method: 'GET', path: '/videos/:id/content', protocol, answer: content },
  ];
}
