// Faults that replace the right answer by another: a status, a redirect, a refusal, a page of HTML.

import type { Answer, WholeAnswer } from '../answer.ts';
import type { Commands } from '../command-rules.ts';
import type { Protocol } from '../operation.ts';

const HTML =
  '<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>\n';

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'Incorrect API key provided: simulated.',
  403: 'Simulated: this key may not use the model.',
  404: 'The model does not exist or you do not have access to it (simulated).',
  429: 'Rate limit reached (simulated). Please try again later.',
  503: 'Simulated: the engine is currently overloaded, please try again later.',
  529: 'Overloaded (simulated)',
};

function retryAfterHeader(retryAfter: string): string {
  const date = /^date-(\d+)$/.exec(retryAfter)?.[1];
  return date === undefined ? retryAfter : new Date(Date.now() + Number(date) * 1000).toUTCString();
}

function replacement(commands: Commands, protocol: Protocol): WholeAnswer | undefined {
  if (commands.refusal !== undefined) return protocol.refusal(commands.refusal);
  if (commands.redirect !== undefined) {
    const headers = { location: '/redirected', 'content-type': 'text/plain' };
    return { kind: 'whole', status: commands.redirect, headers, body: Buffer.from('Moved.\n') };
  }
  const status = commands.status ?? (commands.body === 'error-200' ? 500 : undefined);
  if (status === undefined || status < 300) return undefined;
  const failure = protocol.error(status, MESSAGES[status] ?? `Simulated failure with status ${status}.`);
  return commands.body === 'error-200' ? { ...failure, status: 200 } : failure;
}

function bendBody(answer: WholeAnswer, commands: Commands): WholeAnswer {
  const { body } = answer;
  switch (commands.body) {
    case 'bad-json':
      return { ...answer, body: Buffer.from(`{"id": broken, 'quotes': "wrong",,}${body.toString().slice(0, 20)}`) };
    case 'cut-json':
      return { ...answer, body: body.subarray(0, Math.floor(body.length / 2)) };
    case 'html':
      return { ...answer, headers: { ...answer.headers, 'content-type': 'text/html' }, body: Buffer.from(HTML) };
    case 'empty':
      return { ...answer, body: Buffer.alloc(0) };
    default:
      return answer;
  }
}

// A stream that is replaced by a page or by nothing is no stream any more; for JSON there are faults of single frames.
function asWhole(answer: Answer, commands: Commands): Answer {
  const isReplaced = commands.body !== undefined && commands.body !== 'short-body';
  if (answer.kind === 'whole' || !isReplaced) return answer;
  const body = Buffer.from(answer.frames.map((frame) => frame.data).join('\n'));
  return { kind: 'whole', status: 200, headers: answer.headers, body };
}

export function replaceAnswer(answer: () => Answer, commands: Commands, protocol: Protocol): Answer {
  const replaced = asWhole(replacement(commands, protocol) ?? answer(), commands);
  if (replaced.kind === 'stream') return replaced;
  const bent = bendBody(replaced, commands);
  const status = commands.status !== undefined && commands.status < 300 ? commands.status : bent.status;
  if (commands.retryAfter === undefined) return { ...bent, status };
  return { ...bent, status, headers: { ...bent.headers, 'retry-after': retryAfterHeader(commands.retryAfter) } };
}
