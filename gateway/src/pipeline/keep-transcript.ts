// Keeps the transcript of a call where its organization asked for that: the prompt as the reviewers left it, and the
// answer as the client got it. The answer passes through a recording on its way to the client, which never waits for
// the transcript to be written.

import type { TranscriptRules } from '../canonical/caller.ts';
import type { Resolution } from '../canonical/model.ts';
import { type Passage, saidIn } from '../canonical/passage.ts';
import type { Exchange } from '../http/exchange.ts';
import { RecordedResponse } from '../http/recorded-response.ts';
import type { TranscriptMessage, Transcripts } from '../modules/transcripts/transcripts.ts';
import type { Call } from './call.ts';

export type TranscriptServices = Readonly<{ transcripts: Pick<Transcripts, 'note'> }>;

/** The longest prompt that is kept, in characters, and the longest answer, in bytes. */
const PROMPT_LENGTH_MAX = 262_144;
const ANSWER_BYTES_MAX = 262_144;

/**
 * The exchange that the call is answered with: a recorded one for sampled conversations of organizations that keep
 * transcripts, otherwise the same.
 */
export function keepTranscript(
  exchange: Exchange,
  call: Call,
  { primary }: Resolution,
  { transcripts }: TranscriptServices,
): Exchange {
  const rules = call.caller.transcripts;
  if (rules === undefined || call.request.operation !== 'chat' || !isSampled(call, rules.sampleShare)) return exchange;
  const kept = new KeptResponse({ call, rules, modelId: primary.model.id }, transcripts);
  // The handler that catches the call's error tells the client, so a failure here is not told twice.
  kept.follow(exchange).catch(() => {});
  return { ...exchange, response: kept.asResponse(), headers: [] };
}

const SAMPLE_DIGITS = 6;

/** The end of a generation id is random, so whether a call is sampled follows from its id alone. */
const isSampled = ({ generationId }: Call, share: number): boolean =>
  Number.parseInt(generationId.slice(-SAMPLE_DIGITS), 16) < share * 16 ** SAMPLE_DIGITS;

type Kept = Readonly<{ call: Call; rules: TranscriptRules; modelId: string }>;

/** The settlement has committed when an answer ends, so its end is passed to the client at once. */
class KeptResponse extends RecordedResponse {
  readonly #kept: Kept;
  readonly #transcripts: Pick<Transcripts, 'note'>;

  constructor(kept: Kept, transcripts: Pick<Transcripts, 'note'>) {
    super(ANSWER_BYTES_MAX, { endsWithFollowers: true });
    this.#kept = kept;
    this.#transcripts = transcripts;
  }

  override end(piece?: string | Uint8Array, encoding?: BufferEncoding): this {
    if (this.writableEnded || this.destroyed) return this;
    super.end(piece, encoding);
    const body = this.recording()?.body ?? null;
    this.release();
    if (this.statusCode === 200 && !this.isBroken) this.#note(body);
    return this;
  }

  #note(answer: Buffer | null): void {
    const { call, rules, modelId } = this.#kept;
    const { caller, request, generationId, startedAtMs } = call;
    const prompt = messagesOf(saidIn(request));
    this.#transcripts.note({
      orgId: caller.accountId,
      id: generationId,
      userId: caller.userId,
      keyId: caller.keyId,
      modelId,
      createdAtMs: startedAtMs,
      keptDays: rules.days,
      content: {
        messages: prompt.messages,
        answer: answer?.toString('utf8') ?? '',
        isStream: request.isStream,
        isCut: prompt.isCut || answer === null,
      },
    });
  }
}

const ROLES = { instructions: 'system', user: 'user', assistant: 'assistant', tool: 'tool' } as const;

/** Where the messages are too long, the latest stay, because the answer refers to them. */
function messagesOf(
  passages: readonly Passage[],
): Readonly<{ messages: readonly TranscriptMessage[]; isCut: boolean }> {
  const messages: TranscriptMessage[] = [];
  let left = PROMPT_LENGTH_MAX;
  for (const { origin, parts } of passages.toReversed()) {
    const content = parts.join('\n');
    if (content.length > left) {
      messages.unshift({ role: ROLES[origin], content: content.slice(content.length - left) });
      return { messages, isCut: true };
    }
    left -= content.length;
    messages.unshift({ role: ROLES[origin], content });
  }
  return { messages, isCut: false };
}
