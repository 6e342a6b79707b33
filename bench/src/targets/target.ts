// What the benchmark needs to know of a target. The mode of an answer is part of the upstream's address, so the
// upstream need not read the body and every proxy may pass it on as it likes.

/** Other gateways, measured where their programs are found. */
export const PEERS = ['portkey', 'bifrost', 'new-api', 'litellm'] as const;
type PeerName = (typeof PEERS)[number];

export type TargetName = 'direct' | 'nginx' | 'bare' | 'parse' | PeerName | 'tollgate';

/** `whole`, or `stream-<frames>x<milliseconds between two frames>`; 0 is as fast as possible. */
export type Mode = 'whole' | 'whole-500' | `stream-${number}x${number}`;

export type RequestShape = Readonly<{
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** JSON by default. */
  contentType?: string;
}>;

export type Target = Readonly<{
  name: TargetName;
  title: string;
  port: number;
  /** Several where calls should not all belong to one account; the generator takes them in turn. */
  requests(mode: Mode, contentBytes?: number): readonly RequestShape[];
  /** Calls with a file of this many bytes, where the target takes files. */
  uploads?(fileBytes: number): readonly RequestShape[];
  /** Makes a large file, and says how to fetch it, where the target has files. */
  download?(): Promise<Pick<RequestShape, 'path' | 'headers'>>;
  /** The processes whose CPU time and memory are the target's. */
  pids(): readonly number[];
  /** The processes of its database, which are counted separately. */
  databasePids?(): readonly number[];
  /** Where that database can be asked directly. */
  databaseUrl?: string;
  /** Its Prometheus metrics, where it has any. */
  metrics?(): Promise<string>;
  stop(): Promise<void>;
}>;

/** Why a target cannot take part. */
export type Absent = Readonly<{ absent: string }>;

/** A whole answer that takes half a second, like those of quick models. */
export const MADE: Mode = 'whole-500';
export const MADE_MS = 500;
export const BURST: Mode = 'stream-200x0';
export const PACED: Mode = 'stream-200x10';
export const PACED_SHORT: Mode = 'stream-50x10';
export const SLOW: Mode = 'stream-15x1000';
export const SLOW_SHORT: Mode = 'stream-8x1000';
export const MODES: readonly Mode[] = ['whole', MADE, BURST, PACED, PACED_SHORT, SLOW, SLOW_SHORT];

const CONTENT_BYTES = 800;
/** What the text of a prompt begins with. */
export const WORDS = 'The quick brown fox jumps over the lazy dog and runs on into the forest. ';

/** About a kilobyte by default, like an ordinary question with a system prompt. */
export function chatBody(model: string, mode: Mode, contentBytes = CONTENT_BYTES): string {
  const content = WORDS.repeat(Math.ceil(contentBytes / WORDS.length)).slice(0, contentBytes);
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: 'You are a helpful assistant that answers in short and clear sentences.' },
      { role: 'user', content },
    ],
    max_tokens: 400,
    temperature: 0.7,
    stream: !mode.startsWith('whole'),
  });
}

/** With this mode the upstream answers with a picture. */
export const PICTURE_MODE = 'picture';

/** With this mode the upstream has made a video, and sends it. */
export const VIDEO_MODE = 'video';

const BOUNDARY = 'bench-boundary-bench';

/** A form with a picture: only its first bytes are those of one, and nothing on the way reads further. */
export function pictureForm(model: string, fileBytes: number): Pick<RequestShape, 'body' | 'contentType'> {
  const field = (name: string, value: string): string =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = 'Content-Disposition: form-data; name="image"; filename="a.gif"\r\nContent-Type: image/gif';
  const file = `GIF89a${'A'.repeat(fileBytes - 6)}`;
  return {
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    body: `${field('model', model)}${field('prompt', 'bench')}--${BOUNDARY}\r\n${head}\r\n\r\n${file}\r\n--${BOUNDARY}--\r\n`,
  };
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** For targets that pass path and body on unchanged. */
export const passThroughRequests: Target['requests'] = (mode, contentBytes) => [
  { path: `/${mode}/v1/chat/completions`, headers: bearer('bench'), body: chatBody('bench', mode, contentBytes) },
];
