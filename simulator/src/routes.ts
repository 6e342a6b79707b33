// The table of operations. A new one is a file in its protocol's folder and a line here.

import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from './operation.ts';
import { countTokensOperation } from './protocols/anthropic/count-tokens.ts';
import { createMessageBatchOperations } from './protocols/anthropic/message-batches.ts';
import { createMessageAnswerer, createMessagesOperations } from './protocols/anthropic/messages.ts';
import { anthropicModelsOperation } from './protocols/anthropic/models.ts';
import { createPromptCache } from './protocols/anthropic/prompt-cache.ts';
import { azureChatOperation } from './protocols/azure/chat.ts';
import { converseOperations } from './protocols/bedrock/converse.ts';
import { createInvokeOperations } from './protocols/bedrock/invoke.ts';
import { cohereChatOperation } from './protocols/cohere/chat.ts';
import { cohereEmbedOperation } from './protocols/cohere/embed.ts';
import { geminiOperations } from './protocols/gemini/generate.ts';
import { createBatchOperations } from './protocols/openai/batches.ts';
import { chatOperation } from './protocols/openai/chat.ts';
import { completionsOperation } from './protocols/openai/completions.ts';
import { embeddingsOperation } from './protocols/openai/embeddings.ts';
import { imageOperations } from './protocols/openai/images.ts';
import { modelsOperation } from './protocols/openai/models.ts';
import { moderationsOperation } from './protocols/openai/moderations.ts';
import { rerankOperations } from './protocols/openai/rerank.ts';
import { compactOperation, responsesOperation } from './protocols/openai/responses.ts';
import { speechOperation } from './protocols/openai/speech.ts';
import { transcriptionsOperation } from './protocols/openai/transcriptions.ts';
import { createVideoOperations } from './protocols/openai/videos.ts';

type Route = Readonly<{
  operation: Operation | undefined;
  params: Readonly<Record<string, string>>;
  commandText: string | undefined;
}>;

export type Routes = Readonly<{ find(method: string, url: string, headers: IncomingHttpHeaders): Route }>;

type Location = Readonly<{ path: string; commandText: string | undefined; isAzure: boolean }>;

const LOCATIONS_MAX = 256;

/**
 * Prefixes of an operation: a version, or an Azure resource's interface with a deployment, which the body names too.
 */
const PREFIX = /^(?:\/sim-([^/]+))?(?:(\/openai)(?:\/deployments\/[^/]+|\/v1)|\/v1(?:beta\d*)?)?(\/.*)?$/;

/** `/sim-status-503/v1/chat/completions?x=1` is `/chat/completions` with commands for a whole base URL. */
function locate(url: string): Location {
  const [pathname = '/'] = url.split('?', 1);
  const match = PREFIX.exec(pathname);
  // Some clients escape the plus.
  return {
    path: match?.[3] ?? '/',
    commandText: match?.[1]?.replaceAll(/%2b/gi, '+'),
    isAzure: match?.[2] !== undefined,
  };
}

type Pattern = Readonly<{ pattern: RegExp; operation: Operation }>;

function patternOf(operation: Operation): Pattern {
  const path = operation.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)');
  return { pattern: new RegExp(`^${operation.method} ${path}$`), operation };
}

const NO_PARAMS = {};

function findOperation(
  target: string,
  byPath: ReadonlyMap<string, Operation>,
  patterns: readonly Pattern[],
): Omit<Route, 'commandText'> {
  const operation = byPath.get(target);
  if (operation !== undefined) return { operation, params: NO_PARAMS };
  for (const known of patterns) {
    const match = known.pattern.exec(target);
    if (match !== null) return { operation: known.operation, params: { ...match.groups } };
  }
  return { operation: undefined, params: NO_PARAMS };
}

export function createRoutes(): Routes {
  const answerMessage = createMessageAnswerer(createPromptCache());
  const messagesOperations = createMessagesOperations(answerMessage);
  const [messagesOperation] = messagesOperations;
  const operations: readonly Operation[] = [
    chatOperation,
    completionsOperation,
    responsesOperation,
    compactOperation,
    embeddingsOperation,
    ...rerankOperations,
    moderationsOperation,
    ...imageOperations,
    speechOperation,
    transcriptionsOperation,
    ...createVideoOperations(),
    modelsOperation,
    ...createBatchOperations([chatOperation, completionsOperation, responsesOperation, embeddingsOperation]),
    ...messagesOperations,
    ...(messagesOperation === undefined ? [] : createMessageBatchOperations(messagesOperation)),
    countTokensOperation,
    ...geminiOperations,
    ...converseOperations,
    ...createInvokeOperations(answerMessage),
    cohereChatOperation,
    cohereEmbedOperation,
  ];
  const patterns = operations.filter(({ path }) => path.includes('/:')).map(patternOf);
  const byPath = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  const locations = new Map<string, Location>();

  const locateOnce = (url: string): Location => {
    const known = locations.get(url);
    if (known !== undefined) return known;
    const location = locate(url);
    if (locations.size >= LOCATIONS_MAX) locations.clear();
    locations.set(url, location);
    return location;
  };

  return {
    find(method, url, headers) {
      const { path, commandText, isAzure } = locateOnce(url);
      const { operation, params } = findOperation(`${method} ${path}`, byPath, patterns);
      if (isAzure && operation === chatOperation) return { operation: azureChatOperation, params, commandText };
      // The two protocols list models at the same path, and only one of them has a version header.
      const isOther = operation === modelsOperation && headers['anthropic-version'] !== undefined;
      return { operation: isOther ? anthropicModelsOperation : operation, params, commandText };
    },
  };
}
