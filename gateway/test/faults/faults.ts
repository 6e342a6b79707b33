// The ways in which an upstream can fail, each in its different forms, and the required outcome for a whole answer and
// for a stream, without another provider. The outcome with another provider follows from it.

/** Cases for which the simulator has no command, because no server answers. */
export type Place = 'dead' | 'nameless' | 'mute' | 'plain';

export type Outcome =
  /** The provider failed: the next one is asked, and without one the client gets an error. Nothing is charged. */
  | Readonly<{ kind: 'failed'; status: number; code: string | number }>
  /** The provider refused the request itself: no other provider is asked. Nothing is charged. */
  | Readonly<{ kind: 'refused'; status: number; code: string | number }>
  /** The provider cannot do what was asked, which is not a failure of its route: the next one is asked. */
  | Readonly<{ kind: 'unsupported'; status: number; code: string | number }>
  /** The client still gets its answer. `some` is a price above zero that other tests check to the cent. */
  | Readonly<{ kind: 'served'; pays: 'all' | 'nothing' | 'input' | 'some' }>
  /** A stream that had begun: it ends in an error, and costs nothing. */
  | Readonly<{ kind: 'broken' }>
  /** Cases in which the gateway itself ends the stream, because more comes than was paid for or can be accepted. */
  | Readonly<{ kind: 'bounded' }>;

export type Form = Readonly<{
  at?: Place;
  /** Commands of the simulator; by default it counts a hundred tokens of prompt and twenty of answer. */
  commands: string;
  /** The counts are the command's own. */
  isUncounted?: true;
  whole: Outcome;
  stream: Outcome;
  /** Kinds of upstreams that cannot do it, whose frames are no text. */
  notOver?: readonly string[];
  /** Kinds of upstreams whose streams may do it as whole answers may. */
  tolerant?: readonly string[];
  /** Kinds of upstreams whose own clients have got the beginning of the stream by then. */
  begun?: readonly string[];
  /** The answer makes no sense, for which some surfaces have a code of their own. */
  isSenseless?: true;
  /** The body breaks off after it has begun. */
  isLate?: true;
  /** Costs seconds of computing. */
  isHeavy?: true;
}>;

export type Fault = Readonly<{ id: string; name: string; ids: string; forms: readonly Form[] }>;

const failed = (status: number, code: string | number): Outcome => ({ kind: 'failed', status, code });
const refused = (status: number, code: string | number): Outcome => ({ kind: 'refused', status, code });
const BROKEN: Outcome = { kind: 'broken' };
const BOUNDED: Outcome = { kind: 'bounded' };
const ALL: Outcome = { kind: 'served', pays: 'all' };
const FREE: Outcome = { kind: 'served', pays: 'nothing' };
const INPUT: Outcome = { kind: 'served', pays: 'input' };
const SOME: Outcome = { kind: 'served', pays: 'some' };
const UNREACHABLE = failed(502, 'upstream_unreachable');
const UNAVAILABLE = failed(502, 'upstream_unavailable');
const LATE = failed(504, 504);
const LIMITED = failed(429, 'upstream_rate_limited');
const UNAUTHORIZED = failed(502, 'upstream_auth_failed');

const form = (commands: string, whole: Outcome, stream = whole): Form => ({ commands, whole, stream });
const senseless = (commands: string): Form => ({ ...form(commands, UNAVAILABLE), isSenseless: true });
const late = (commands: string, whole: Outcome, stream: Outcome): Form => ({
  ...form(commands, whole, stream),
  isLate: true,
});
const place = (at: Place, outcome: Outcome): Form => ({ at, commands: '', whole: outcome, stream: outcome });
const one = (id: string, name: string, ids: string, ...forms: Form[]): Fault => ({ id, name, ids, forms });

export const FAULTS: readonly Fault[] = [
  one('F1', 'connection refused', 'ERR-55', place('dead', UNREACHABLE)),
  one('F2', 'name does not resolve', 'ERR-55', place('nameless', UNREACHABLE)),
  one('F3', 'no connection in time', 'STRM-13', place('mute', LATE)),
  one('F4', 'TLS fails', 'ERR-55', place('plain', UNREACHABLE)),
  one('F5', 'reset or closed before headers', 'ERR-55 BILL-04', form('reset', UNREACHABLE), form('close', UNREACHABLE)),
  one('F6', 'reset within headers', 'ERR-55', form('reset-in-headers', UNREACHABLE)),
  one('F7', 'garbage for a status line', 'ERR-55', form('garbage', UNREACHABLE)),
  one('F8', 'redirect', 'ERR-58', form('redirect', UNAVAILABLE), form('redirect-307', UNAVAILABLE)),
  one('F9', 'no headers in time', 'ERR-12 STRM-13', form('stall', LATE), form('stall-in-headers', LATE)),
  one('F10', '429 with Retry-After', 'ERR-57', form('status-429-retry-after-7', LIMITED)),
  one('F11', '429 without', 'ERR-57', form('status-429', LIMITED)),
  one('F12', '500', 'ERR-10 ERR-58', form('status-500', UNAVAILABLE)),
  one('F13', '502 and 503', 'ERR-58', form('status-502', UNAVAILABLE), form('status-503', UNAVAILABLE)),
  one('F14', '529', 'ERR-58', form('status-529', UNAVAILABLE)),
  one('F15', '401 and 403', 'ERR-56', form('status-401', UNAUTHORIZED), form('status-403', UNAUTHORIZED)),
  one(
    'F16',
    '400, 404, 422 and refusals',
    'ERR-33 ERR-41',
    form('status-400', refused(400, 'unknown_4xx')),
    form('status-422', refused(400, 'unknown_4xx')),
    form('status-404', failed(400, 'unknown_model')),
    form('context-length', refused(400, 'context_too_long')),
  ),
  one('F17', '200 with no JSON, or half of it', 'ERR-58', senseless('bad-json'), senseless('cut-json')),
  one('F18', 'a page of HTML', 'ERR-58', senseless('html')),
  one('F19', 'an empty body', 'ERR-58', senseless('empty')),
  one('F20', '200 with an error in it', 'ERR-58', form('error-200', UNAVAILABLE)),
  // A stream states no length: it is complete when the connection ends.
  one('F21', 'shorter than its length', 'ERR-58', late('short-body', UNREACHABLE, ALL)),
  one('F22', 'no usage', 'BILL-05', form('usage-none', FREE), form('usage-null', FREE)),
  one('F23', 'usage of zero', 'BILL-05', form('usage-zero', FREE)),
  one('F24', 'usage of input alone', 'BILL-05', form('usage-zero-output', INPUT)),
  one(
    'F25',
    'usage that is no count',
    'BILL-05',
    form('usage-negative', FREE),
    form('usage-fraction', FREE),
    form('usage-string', FREE),
  ),
  one('F26', 'absurd usage', 'BILL-05', form('usage-absurd', FREE), {
    ...form('tokens-900000000-20', SOME),
    isUncounted: true,
  }),
  one('F27', 'usage several times', 'BILL-05', form('usage-twice', ALL), form('usage-every-chunk', ALL)),
  one(
    'F28',
    'broken off in the body',
    'STRM-07',
    late('reset-after-3', UNREACHABLE, BROKEN),
    late('cut-after-3', UNREACHABLE, BROKEN),
    form('bad-frame-2', ALL, BROKEN),
    form('error-frame-2', ALL, BROKEN),
  ),
  one('F29', 'ended before its usage', 'STRM-07 ERR-10', late('eof-before-finish', UNREACHABLE, BROKEN)),
  one('F30', 'broken off after its usage', 'STRM-07', late('reset-after-usage', UNREACHABLE, ALL)),
  one('F31', 'stalled', 'STRM-13', late('stall-after-2', LATE, BROKEN), form('stall-body', LATE)),
  one('F32', 'never ends', 'STRM-13', { ...form('endless', BOUNDED), isHeavy: true }),
  one(
    'F33',
    'odd frames',
    'STRM-07',
    {
      ...form('size-2200000+giant-line-1', ALL, UNAVAILABLE),
      // Their last frame repeats all that was said, or a picture comes in one.
      tolerant: ['responses', 'gemini', 'vertex', 'bedrock', 'bedrock-claude'],
      begun: ['anthropic', 'vertex-claude'],
    },
    { ...form('bom', ALL), notOver: ['bedrock', 'bedrock-claude'] },
    ...['crlf', 'cr', 'comments', 'multi-line', 'no-space', 'field-noise', 'after-done'].map((style) =>
      form(style, ALL),
    ),
    ...['split-utf8', 'byte-by-byte', 'unicode', 'nul', 'invalid-utf8', 'other-model'].map((text) => form(text, ALL)),
  ),
  one(
    'F34',
    'content codings',
    'ERR-58',
    form('gzip', ALL),
    form('br', ALL),
    form('deflate', ALL),
    form('gzip-twice', UNAVAILABLE),
    form('gzip-fake', UNAVAILABLE),
    form('hostile-headers', ALL),
  ),
];
