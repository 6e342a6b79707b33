// The vocabulary of commands: each has the form that the README lists, the pattern that recognizes it, and what it
// sets. Patterns match a whole command; a number in a form is always optional or bounded, so no command can ask for too
// much.

export type UsageFault =
  | 'none'
  | 'null'
  | 'zero'
  | 'zero-output'
  | 'zero-input'
  | 'negative'
  | 'fraction'
  | 'string'
  | 'absurd'
  | 'twice'
  | 'every-chunk'
  | 'on-finish'
  | 'always';

export type ConnectionFault =
  | 'close'
  | 'reset'
  | 'reset-in-headers'
  | 'garbage'
  | 'stall'
  | 'stall-in-headers'
  | 'stall-body';

type BodyFault = 'bad-json' | 'cut-json' | 'short-body' | 'html' | 'empty' | 'error-200';

export type StreamEnding = Readonly<{
  action: 'reset' | 'cut' | 'eof' | 'stall';
  /** A number counts content chunks that are still sent. */
  position: number | 'before-finish' | 'before-usage' | 'after-usage';
}>;

export type FrameStyle =
  | 'crlf'
  | 'cr'
  | 'bom'
  | 'comments'
  | 'multi-line'
  | 'no-space'
  | 'field-noise'
  | 'after-done'
  | 'split-utf8'
  | 'byte-by-byte';

export type ContentEncoding = 'gzip' | 'br' | 'deflate' | 'gzip-twice' | 'gzip-fake';

export type Commands = Readonly<{
  promptTokens?: number;
  completionTokens?: number;
  cachedTokens?: number;
  cacheWriteTokens?: number;
  /** Counted beside the completion, only in the total. */
  apartTokens?: number;
  /** Counted beside the prompt, in the details and the total. */
  audioBesideTokens?: number;
  summary?: Readonly<{ promptTokens: number; completionTokens: number }>;
  advice?: Readonly<{ promptTokens: number; completionTokens: number; model: string }>;
  /** The model that answered in place of the requested one. */
  substitute?: string;
  reasoning?: Readonly<{ style: 'content' | 'details' | 'hidden' | 'redacted'; tokens: number }>;
  chunks?: number;
  size?: number;
  calls?: number;
  seconds?: number;
  costMicroUsd?: number;
  pictures?: number;
  pictureNumber?: number;
  pictureBytes?: number;
  pictureForm?: 'url' | 'bytes';
  /** What the first pictures are instead. */
  pictureFault?: Readonly<{ kind: 'html' | 'svg' | 'garbage' | 'cut' | 'missing' | 'private'; count: number }>;
  provider?: string;
  isOtherModel?: boolean;
  text?: 'unicode' | 'nul' | 'invalid-utf8';
  finish?: 'length' | 'filtered' | 'error';
  usage?: UsageFault;
  giantLineKilobytes?: number;
  videoQueueMs?: number;
  videoRunMs?: number;
  videoEnd?: 'fails' | 'refused' | 'stuck' | 'vanishes';
  videoMegabytes?: number;
  outputs?: number;
  hasNoRanges?: boolean;
  hasNoSeconds?: boolean;

  status?: number;
  retryAfter?: string;
  redirect?: number;
  refusal?: 'policy' | 'context-length';
  body?: BodyFault;

  errorFrameAfter?: number;
  badFrameAfter?: number;
  ending?: StreamEnding;
  isEndless?: boolean;
  styles?: readonly FrameStyle[];

  connection?: ConnectionFault;
  waitMs?: number;
  delayMs?: number;
  dripMs?: number;
  encoding?: ContentEncoding;
  bombMegabytes?: number;
  transfer?: 'chunked' | 'close';
  hasHostileHeaders?: boolean;
  giantHeaderKilobytes?: number;

  every?: number;
}>;

type CommandRule = Readonly<{ form: string; pattern: RegExp; read(groups: readonly (string | undefined)[]): Commands }>;

const count = (text: string | undefined, otherwise: number): number => (text === undefined ? otherwise : Number(text));

const DEFAULT_REASONING_TOKENS = 24;

const reasoningStyles = { content: 'content', details: 'details', hidden: 'hidden', redacted: 'redacted' } as const;

function readReasoning([style = 'content', tokens]: readonly (string | undefined)[]): Commands {
  const known = reasoningStyles[style as keyof typeof reasoningStyles];
  return { reasoning: { style: known, tokens: count(tokens, DEFAULT_REASONING_TOKENS) } };
}

// `date-7` becomes a point in time only when the answer is sent, so the text is kept.
const readStatus = ([status, retryAfter]: readonly (string | undefined)[]): Commands =>
  retryAfter === undefined ? { status: Number(status) } : { status: Number(status), retryAfter };

function readEnding([action, position = '0']: readonly (string | undefined)[]): Commands {
  const isCount = /^\d+$/.test(position);
  const ending = { action, position: isCount ? Number(position) : position } as StreamEnding;
  return { ending };
}

export const COMMAND_RULES: readonly CommandRule[] = [
  {
    form: 'tokens-P-C',
    pattern: /^tokens-(\d{1,9})-(\d{1,9})$/,
    read: ([prompt, completion]) => ({ promptTokens: Number(prompt), completionTokens: Number(completion) }),
  },
  { form: 'cached-N', pattern: /^cached-(\d{1,9})$/, read: ([n]) => ({ cachedTokens: Number(n) }) },
  { form: 'cache-write-N', pattern: /^cache-write-(\d{1,9})$/, read: ([n]) => ({ cacheWriteTokens: Number(n) }) },
  { form: 'apart-N', pattern: /^apart-(\d{1,9})$/, read: ([n]) => ({ apartTokens: Number(n) }) },
  { form: 'audio-beside-N', pattern: /^audio-beside-(\d{1,9})$/, read: ([n]) => ({ audioBesideTokens: Number(n) }) },
  {
    form: 'summary-P-C',
    pattern: /^summary-(\d{1,9})-(\d{1,9})$/,
    read: ([prompt, completion]) => ({
      summary: { promptTokens: Number(prompt), completionTokens: Number(completion) },
    }),
  },
  {
    form: 'advice-P-C-MODEL',
    pattern: /^advice-(\d{1,9})-(\d{1,9})-([a-z0-9.-]+)$/,
    read: ([prompt, completion, model = '']) => ({
      advice: { promptTokens: Number(prompt), completionTokens: Number(completion), model },
    }),
  },
  { form: 'substitute-MODEL', pattern: /^substitute-([a-z0-9.-]+)$/, read: ([model = '']) => ({ substitute: model }) },
  {
    form: 'reasoning[-details|-hidden|-redacted][-N]',
    pattern: /^reasoning(?:-(details|hidden|redacted))?(?:-(\d{1,6}))?$/,
    read: readReasoning,
  },
  { form: 'chunks-N', pattern: /^chunks-(\d{1,6})$/, read: ([n]) => ({ chunks: Number(n) }) },
  { form: 'size-N', pattern: /^size-(\d{1,8})$/, read: ([n]) => ({ size: Number(n) }) },
  { form: 'calls-N', pattern: /^calls-(\d{1,2})$/, read: ([n]) => ({ calls: Number(n) }) },
  { form: 'seconds-N', pattern: /^seconds-(\d{1,6})$/, read: ([n]) => ({ seconds: Number(n) }) },
  { form: 'video-queue-MS', pattern: /^video-queue-(\d{1,8})$/, read: ([n]) => ({ videoQueueMs: Number(n) }) },
  { form: 'video-run-MS', pattern: /^video-run-(\d{1,8})$/, read: ([n]) => ({ videoRunMs: Number(n) }) },
  {
    form: 'video-fails | video-refused | video-stuck | video-vanishes',
    pattern: /^video-(fails|refused|stuck|vanishes)$/,
    read: ([end]) => ({ videoEnd: end as 'fails' }),
  },
  { form: 'video-mb-N', pattern: /^video-mb-(\d{1,4})$/, read: ([n]) => ({ videoMegabytes: Number(n) }) },
  { form: 'outputs-N', pattern: /^outputs-(\d{1,2})$/, read: ([n]) => ({ outputs: Number(n) }) },
  { form: 'no-ranges', pattern: /^no-ranges$/, read: () => ({ hasNoRanges: true }) },
  { form: 'no-seconds', pattern: /^no-seconds$/, read: () => ({ hasNoSeconds: true }) },
  { form: 'cost-N', pattern: /^cost-(\d{1,12})$/, read: ([n]) => ({ costMicroUsd: Number(n) }) },
  { form: 'images-N', pattern: /^images-(\d{1,2})$/, read: ([n]) => ({ pictures: Number(n) }) },
  { form: 'image-size-N', pattern: /^image-size-(\d{1,8})$/, read: ([n]) => ({ pictureBytes: Number(n) }) },
  { form: 'picture-N', pattern: /^picture-(\d{1,4})$/, read: ([n]) => ({ pictureNumber: Number(n) }) },
  {
    form: 'image-url | image-bytes',
    pattern: /^image-(url|bytes)$/,
    read: ([form]) => ({ pictureForm: form as 'url' }),
  },
  {
    form: 'image-html[-N] | image-svg[-N] | image-garbage[-N] | image-cut[-N] | image-missing[-N] | image-private[-N]',
    pattern: /^image-(html|svg|garbage|cut|missing|private)(?:-(\d{1,2}))?$/,
    read: ([kind, n]) => ({ pictureFault: { kind: kind as 'html', count: count(n, 99) } }),
  },
  {
    form: 'provider[-NAME]',
    pattern: /^provider(?:-([a-z0-9-]+))?$/,
    read: ([name]) => ({ provider: name ?? 'Simulated' }),
  },
  { form: 'other-model', pattern: /^other-model$/, read: () => ({ isOtherModel: true }) },
  {
    form: 'unicode | nul | invalid-utf8',
    pattern: /^(unicode|nul|invalid-utf8)$/,
    read: ([text]) => ({ text: text as 'unicode' }),
  },
  {
    form: 'finish-length | finish-filtered | finish-error',
    pattern: /^finish-(length|filtered|error)$/,
    read: ([finish]) => ({ finish: finish as 'length' }),
  },
  {
    form: 'usage-none | usage-null | usage-zero | usage-zero-output | usage-zero-input | usage-negative | usage-fraction | usage-string | usage-absurd | usage-twice | usage-every-chunk | usage-on-finish | usage-always',
    pattern:
      /^usage-(none|null|zero|zero-output|zero-input|negative|fraction|string|absurd|twice|every-chunk|on-finish|always)$/,
    read: ([usage]) => ({ usage: usage as UsageFault }),
  },
  {
    form: 'giant-line[-KB]',
    pattern: /^giant-line(?:-(\d{1,6}))?$/,
    read: ([n]) => ({ giantLineKilobytes: count(n, 2048) }),
  },

  {
    form: 'status-CODE[-retry-after-S] | status-CODE-retry-after-date-S',
    pattern: /^status-([2-5]\d\d)(?:-retry-after-((?:date-)?\d{1,6}))?$/,
    read: readStatus,
  },
  {
    form: 'retry-after-S | retry-after-date-S',
    pattern: /^retry-after-((?:date-)?\d{1,6})$/,
    read: ([seconds]) => ({ retryAfter: seconds ?? '1' }),
  },
  { form: 'redirect[-CODE]', pattern: /^redirect(?:-(3\d\d))?$/, read: ([code]) => ({ redirect: count(code, 302) }) },
  {
    form: 'policy | context-length',
    pattern: /^(policy|context-length)$/,
    read: ([refusal]) => ({ refusal: refusal as 'policy' }),
  },
  {
    form: 'bad-json | cut-json | short-body | html | empty | error-200',
    pattern: /^(bad-json|cut-json|short-body|html|empty|error-200)$/,
    read: ([body]) => ({ body: body as BodyFault }),
  },

  {
    form: 'error-frame[-K]',
    pattern: /^error-frame(?:-(\d{1,6}))?$/,
    read: ([k]) => ({ errorFrameAfter: count(k, 2) }),
  },
  { form: 'bad-frame[-K]', pattern: /^bad-frame(?:-(\d{1,6}))?$/, read: ([k]) => ({ badFrameAfter: count(k, 2) }) },
  {
    form: 'ACTION-after-K (ACTION: reset, cut, eof or stall)',
    pattern: /^(reset|cut|eof|stall)-after-(\d{1,6})$/,
    read: readEnding,
  },
  {
    form: 'ACTION-before-finish | ACTION-before-usage | ACTION-after-usage',
    pattern: /^(reset|cut|eof|stall)-(before-finish|before-usage|after-usage)$/,
    read: readEnding,
  },
  { form: 'endless', pattern: /^endless$/, read: () => ({ isEndless: true }) },
  {
    form: 'crlf | cr | bom | comments | multi-line | no-space | field-noise | after-done | split-utf8 | byte-by-byte',
    pattern: /^(crlf|cr|bom|comments|multi-line|no-space|field-noise|after-done|split-utf8|byte-by-byte)$/,
    read: ([style]) => ({ styles: [style as FrameStyle] }),
  },

  {
    form: 'close | reset | reset-in-headers | garbage | stall | stall-in-headers | stall-body',
    pattern: /^(close|reset|reset-in-headers|garbage|stall|stall-in-headers|stall-body)$/,
    read: ([connection]) => ({ connection: connection as ConnectionFault }),
  },
  { form: 'wait-MS', pattern: /^wait-(\d{1,7})$/, read: ([n]) => ({ waitMs: Number(n) }) },
  { form: 'delay-MS', pattern: /^delay-(\d{1,7})$/, read: ([n]) => ({ delayMs: Number(n) }) },
  { form: 'drip[-MS]', pattern: /^drip(?:-(\d{1,7}))?$/, read: ([n]) => ({ dripMs: count(n, 1000) }) },
  {
    form: 'gzip | br | deflate | gzip-twice | gzip-fake',
    pattern: /^(gzip|br|deflate|gzip-twice|gzip-fake)$/,
    read: ([encoding]) => ({ encoding: encoding as ContentEncoding }),
  },
  {
    form: 'gzip-bomb[-MB]',
    pattern: /^gzip-bomb(?:-(\d{1,4}))?$/,
    read: ([n]) => ({ bombMegabytes: count(n, 100), encoding: 'gzip' }),
  },
  { form: 'chunked', pattern: /^chunked$/, read: () => ({ transfer: 'chunked' }) },
  { form: 'close-delimited', pattern: /^close-delimited$/, read: () => ({ transfer: 'close' }) },
  { form: 'hostile-headers', pattern: /^hostile-headers$/, read: () => ({ hasHostileHeaders: true }) },
  {
    form: 'giant-header[-KB]',
    pattern: /^giant-header(?:-(\d{1,5}))?$/,
    read: ([n]) => ({ giantHeaderKilobytes: count(n, 128) }),
  },

  { form: 'every-N', pattern: /^every-([1-9]\d{0,5})$/, read: ([n]) => ({ every: Number(n) }) },
];
