// The endpoints that call a model, as rows of the table of routes; the rows of images are in `endpoints/images/`. They
// differ in their dialect alone, and everything else is done by the pipeline.

import type { Judge } from '../../canonical/operation.ts';
import { illustratedChatDialect } from '../../dialects/chat/chat-dialect.ts';
import { completionsDialect } from '../../dialects/completions/completions-dialect.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { embeddingsDialect } from '../../dialects/embeddings/embeddings-dialect.ts';
import { illustratedDialect } from '../../dialects/illustrated-dialect.ts';
import { editsDialect, generationsDialect, inlineImagesDialect } from '../../dialects/images/images-dialect.ts';
import { countPromptTokens } from '../../dialects/messages/count-prompt.ts';
import { messagesDialect } from '../../dialects/messages/messages-dialect.ts';
import { parseCountedRequest } from '../../dialects/messages/parse-request.ts';
import { createModerationDialect } from '../../dialects/moderation/moderation-dialect.ts';
import { rerankDialect } from '../../dialects/rerank/rerank-dialect.ts';
import { compactDialect } from '../../dialects/responses/compact-dialect.ts';
import { countInputTokens } from '../../dialects/responses/count-input.ts';
import { parseResponsesRequest } from '../../dialects/responses/parse-request.ts';
import { responsesDialect } from '../../dialects/responses/responses-dialect.ts';
import { speechDialect } from '../../dialects/speech/speech-dialect.ts';
import { transcriptionDialect } from '../../dialects/transcription/transcription-dialect.ts';
import { readJsonBody } from '../../http/body.ts';
import type { Handler, RouteRow } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Media } from '../../modules/media/media.ts';
import { estimateTokens } from '../../modules/tokens/estimate-tokens.ts';
import { runInference } from '../../pipeline/inference.ts';
import type { Later } from '../../pipeline/later/respond-later.ts';
import type { Once } from '../../pipeline/repeats/run-once.ts';
import { resolve } from '../../pipeline/resolve.ts';
import type { InferenceServices } from '../../pipeline/services.ts';
import type { CallerHandler, Protect } from '../protect.ts';
import type { Services } from '../services.ts';
import { refuseUpgrade } from '../system/hello.ts';

/** Pictures in an answer are kept for an hour. */
export type ImageServices = InferenceServices & Readonly<{ media: Media }>;

type ModerationServices = InferenceServices & Readonly<{ judge: Judge }>;

const through =
  (dialect: Dialect, services: InferenceServices): Handler =>
  (exchange) =>
    runInference(exchange, dialect, services);

/** Most calls ask for none of the ways beside the ordinary one and are handled at once. */
export function orBeside(once: Once, later: Later): Once {
  return (handle) => {
    const beside = once(later(handle));
    return (exchange) => {
      const { prefer, 'idempotency-key': repeated } = exchange.request.headers;
      return prefer === undefined && repeated === undefined ? handle(exchange) : beside(exchange);
    };
  };
}

const isForStudents = true;

// biome-ignore format: a table reads best with one row a line.
export function inferenceRoutes(services: Services, { caller }: Protect, model: Once): readonly RouteRow[] {
  return [
    { method: 'POST', path: '/v1/chat/completions', access: 'model', isForStudents, handle: model(chatCompletions(services)) },
    { method: 'POST', path: '/v1/cursor/chat/completions', access: 'model', isForStudents, handle: model(chatCompletions(services)) },
    { method: 'POST', path: '/v1/completions', access: 'model', handle: model(createCompletion(services)) },
    { method: 'POST', path: '/v1/responses', access: 'model', handle: model(createResponse(services)) },
    { method: 'POST', path: '/v1/responses/compact', access: 'model', handle: model(compactConversation(services)) },
    { method: 'POST', path: '/v1/responses/input_tokens', access: 'model', handle: caller(countInput(services)) },
    { method: 'POST', path: '/v1/messages', access: 'model', errors: 'messages', handle: model(createMessage(services)) },
    { method: 'POST', path: '/v1/messages/count_tokens', access: 'model', errors: 'messages', handle: caller(countTokens(services)) },
    { method: 'GET', path: '/v1/responses', access: 'public', handle: refuseUpgrade },
    { method: 'POST', path: '/v1/embeddings', access: 'model', isForStudents, handle: model(createEmbeddings(services)) },
    { method: 'POST', path: '/v1/rerank', access: 'model', handle: model(createRanking(services)) },
    { method: 'POST', path: '/v2/rerank', access: 'model', handle: model(createRanking(services)) },
    { method: 'POST', path: '/v1/moderations', access: 'model', handle: model(createModeration(services)) },
    { method: 'POST', path: '/v1/audio/speech', access: 'model', handle: model(createSpeech(services)) },
    { method: 'POST', path: '/v1/audio/transcriptions', access: 'model', handle: model(createTranscription(services)) },
  ];
}

/** POST /v1/chat/completions, and the path that an editor still uses for the same thing. */
const chatCompletions = (services: ImageServices): Handler => through(illustratedChatDialect(services.media), services);

/** POST /v1/completions: a prompt is continued, for tools that know no chat. */
const createCompletion = (services: InferenceServices): Handler => through(completionsDialect, services);

/**
 * POST /v1/messages. Its clients name beta features in the query and in a header; an unknown one is no reason to refuse
 * a call.
 */
const createMessage = (services: ImageServices): Handler =>
  through(illustratedDialect(messagesDialect, services.media), services);

/** POST /v1/responses: a stateless call in the Responses dialect. */
const createResponse = (services: ImageServices): Handler =>
  through(illustratedDialect(responsesDialect, services.media), services);

/** POST /v1/responses/compact: a conversation made shorter by its provider, for agents whose context is full. */
const compactConversation = (services: InferenceServices): Handler => through(compactDialect, services);

/** POST /v1/embeddings: vectors of texts and images, always whole. */
const createEmbeddings = (services: InferenceServices): Handler => through(embeddingsDialect, services);

/** POST /v1/rerank: documents in the order of how well they answer a query, always whole. */
const createRanking = (services: InferenceServices): Handler => through(rerankDialect, services);

/** POST /v1/moderations: what a policy says of texts and pictures; the built-in one where no model is named. */
const createModeration = (services: ModerationServices): Handler =>
  through(createModerationDialect(services.judge), services);

/** POST /v1/audio/speech: the sound of a text, streamed as the upstream makes it. */
const createSpeech = (services: InferenceServices): Handler => through(speechDialect, services);

/** POST /v1/audio/transcriptions: the text of a recording, sent as a form or inside JSON. */
const createTranscription = (services: InferenceServices): Handler => through(transcriptionDialect, services);

/** POST /v1/images/generations: pictures from words, answered as addresses or, with `stream`, as events. */
export const createGenerations = (services: ImageServices): Handler =>
  through(generationsDialect(services.media), services);

/** POST /v1/images: for clients that expect the pictures themselves in the answer; JSON in both directions. */
export const createInlineImages = (services: ImageServices): Handler =>
  through(inlineImagesDialect(services.media), services);

/** POST /v1/images/edits: pictures from pictures, sent as files of a form. */
export const createEdits = (services: ImageServices): Handler =>
  through(
    editsDialect(services.media, () => editingModel(services)),
    services,
  );

/** Where no model is named: the catalog's first model that makes pictures from pictures. */
function editingModel({ catalog, clock }: ImageServices): string | null {
  const nowMs = clock.nowMs();
  const fit = catalog.current().models.find(({ inputModalities, outputModalities, prices, retiresAtMs }) => {
    const isServed = prices !== null && (retiresAtMs === null || nowMs < retiresAtMs);
    return isServed && inputModalities.includes('image') && outputModalities.includes('image');
  });
  return fit?.id ?? null;
}

// POST /v1/messages/count_tokens and /v1/responses/input_tokens: how long a prompt is, free of charge. The body is
// checked as if it were to be sent, and so is the model; the count is an estimate, since no upstream is asked.

type CountServices = Pick<InferenceServices, 'catalog' | 'clock' | 'autoClassifier'>;

const countInput =
  (services: CountServices): CallerHandler =>
  async (exchange, { accountId }) => {
    const request = parseResponsesRequest(await readJsonBody(exchange, accountId));
    resolve(request, services, services.clock.nowMs());
    const tokens = countInputTokens(request.body, estimateTokens);
    sendJson(exchange, 200, { object: 'response.input_tokens', input_tokens: tokens });
  };

const countTokens =
  (services: CountServices): CallerHandler =>
  async (exchange, { accountId }) => {
    const request = parseCountedRequest(await readJsonBody(exchange, accountId));
    resolve(request, services, services.clock.nowMs());
    sendJson(exchange, 200, { input_tokens: countPromptTokens(request.body, estimateTokens) });
  };
