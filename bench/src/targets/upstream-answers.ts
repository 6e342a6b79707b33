// The bytes of the upstream's answers, in the shapes of real models. Each frame of a stream is an HTTP chunk of its own
// and has `"usage":null`, as when usage was asked for; the last but one has it.

const WHOLE_CONTENT_BYTES = 640;
/** A model that is faster than the network still sends in pieces of some kilobytes. */
const FRAMES_PER_BURST_WRITE = 8;
const USAGE = { prompt_tokens: 210, completion_tokens: 200, total_tokens: 410 };
const SENTENCE = 'A model gateway stands between programs and the models that they call, and counts what passes. ';

export function wholeAnswer(): Buffer {
  const body = JSON.stringify({
    id: 'chatcmpl-bench0000000000000000000000',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'bench-2026-01-01',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: SENTENCE.repeat(10).slice(0, WHOLE_CONTENT_BYTES), refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      ...USAGE,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
    system_fingerprint: 'fp_bench',
  });
  return jsonAnswer(body);
}

/** One pixel. */
const PICTURE = 'R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=';

export function pictureAnswer(): Buffer {
  return jsonAnswer(JSON.stringify({ created: 1_760_000_000, data: [{ b64_json: PICTURE }] }));
}

/** A video that is made as soon as it is ordered. */
export function videoAnswer(): Buffer {
  return jsonAnswer(JSON.stringify({ id: 'video_bench', object: 'video', status: 'completed', seconds: '4' }));
}

export const FILE_BYTES = 200 * 1024 * 1024;
export const fileHead = `HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: ${FILE_BYTES}\r\n\r\n`;
export const filePiece = Buffer.alloc(64 * 1024, 'video');

function jsonAnswer(body: string): Buffer {
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}

/** The writes of a stream in order, with its head and its end. */
export function frameChunks(frames: number, isBurst: boolean): readonly Buffer[] {
  const chunks = Array.from({ length: frames }, (_, index) => httpChunk(contentFrame(index)));
  const perWrite = isBurst ? FRAMES_PER_BURST_WRITE : 1;
  const writes: string[] = [];
  for (let start = 0; start < chunks.length; start += perWrite) {
    writes.push(chunks.slice(start, start + perWrite).join(''));
  }
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
  writes[0] = head + (writes[0] ?? '');
  writes.push(
    httpChunk(frame([{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }], null)) +
      httpChunk(frame([], USAGE)) +
      httpChunk('data: [DONE]\n\n') +
      '0\r\n\r\n',
  );
  return writes.map((text) => Buffer.from(text));
}

function contentFrame(index: number): string {
  const word = SENTENCE.split(' ')[index % 16] ?? '';
  const delta = index === 0 ? { role: 'assistant', content: word } : { content: ` ${word}` };
  return frame([{ index: 0, delta, logprobs: null, finish_reason: null }], null);
}

function frame(choices: readonly unknown[], usage: typeof USAGE | null): string {
  const event = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'bench-2026-01-01',
    choices,
    usage,
  };
  return `data: ${JSON.stringify(event)}\n\n`;
}

const httpChunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
