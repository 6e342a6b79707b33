// A client's call after its dialect has been parsed and validated: what every later stage needs to know of it,
// plus the body itself for the protocol that speaks the same format. Stages never reach into `body` for decisions. What
// is peculiar to an operation is in a type of its own, which its dialect fills and its codec reads.

import type { JsonDocument } from '../platform/json-document.ts';
import type { Conversation } from './conversation.ts';
import type { ConversationFormat, Format } from './format.ts';
import type { JsonObject } from './json.ts';
import type { ReplacePart, TextVisitor } from './passage.ts';
import type { Units } from './usage.ts';

/** What the caller wants of a model; authorize and route compare it with what a model and a route offer. */
export type RequestNeeds = Readonly<{
  tools: boolean;
  responseFormat: boolean;
  imageInput: boolean;
  fileInput: boolean;
  audioInput: boolean;
  videoInput: boolean;
  imageOutput: boolean;
}>;

/** What every stage may ask of every request, whatever its operation. */
export type RequestBase = Readonly<{
  /** The format of `body`; a protocol of the same format takes the body as it is. */
  format: Format;
  /** As the caller wrote it; resolve turns it into a model. */
  modelName: string;
  fallbackModelNames: readonly string[];
  /** The answer passes as it comes, in frames or as plain bytes; otherwise it is collected first. */
  isStream: boolean;
  /** The client reads events all the same, once the answer has been collected. */
  isShownAsStream?: boolean;
  /** A cheap upper-side estimate of the prompt, for the reservation only; the upstream's count is what is billed. */
  promptTokensEstimate: number;
  /** For each choice. Null when the caller set no limit: the reservation then uses a bounded default. */
  outputTokensMax: number | null;
  choiceCount: number;
  /** What it will use that is not counted in tokens, at most; the reservation covers it. */
  unitsMax: Units;
  needs: RequestNeeds;
  /** Who may serve the call, and who rather; null when the caller does not say. */
  preferences: ProviderPreferences | null;
  /** The parsed body with the gateway's own fields still in place. Frozen by convention: encode copies. */
  body: JsonObject;
  /** Shows a reviewer everything that is written in the request; what the visitor answers is not used. */
  visitTexts(visitor: TextVisitor): void;
}>;

/** The same request with its texts replaced part by part, in the order of `visitTexts`, for reviewers that redact. */
export type WithTexts<Request> = (replace: ReplacePart) => Request;

export type ConversationRequest = RequestBase &
  Readonly<{
    operation: 'chat';
    format: ConversationFormat;
    /**
     * The limit was sent because the format demands one, so it says nothing about the answer that is wanted: clients send
     * a number larger than any model's. Otherwise a limit is the caller's decision, to be kept or refused.
     */
    isOutputLimitHabitual: boolean;
    /** A member of the body that only an upstream of the same format can serve; others are not asked. */
    nativeMember?: string;
    /** The same request with a limit of the gateway's on its output. */
    withOutputLimit(tokensMax: number): ConversationRequest;
    /** The limit in the body is the gateway's: the upstream gets it under the name that it knows. */
    isOutputLimitOurs?: true;
    /** What the body was made from: members that are still the same need not be written anew. Null when that is gone. */
    source: JsonDocument | null;
    messageCount: number;
    /** What the caller allows to be done to a prompt that is too long. Null when it does not say; empty is a no. */
    transforms: readonly string[] | null;
    /** What the upstream is to add, where it can. What the gateway itself does is not among them. */
    plugins: readonly JsonObject[];
    /** What the body offers the model that the provider would run, and charge for. */
    hostedTools: HostedTools;
    /** Thinking asked for explicitly; some families bill it differently. */
    isThinkingEnabled: boolean;
    /** What the caller says of thinking, by any of its spellings; null when nothing. */
    wantsReasoning: boolean | null;
    hidesReasoning: boolean;
    /** How many log probabilities come with each token: its own and those of alternatives; 0 when none are asked for. */
    logprobCount: number;
    /** The same call with another body, parsed as the first was. */
    withBody(body: JsonObject): ConversationRequest;
    withTexts: WithTexts<ConversationRequest>;
    /** The body read into the vendor-neutral form, for protocols of another format. Pure; called once per attempt. */
    toConversation(): Conversation;
  }>;

export const NO_NEEDS: RequestNeeds = {
  tools: false,
  responseFormat: false,
  imageInput: false,
  fileInput: false,
  audioInput: false,
  videoInput: false,
  imageOutput: false,
};

// The caller's wishes about who serves a call, as every dialect reads them. A wish restricts or orders the providers of
// a model; it never makes one available that the catalog does not offer.

export type ProviderSort = 'price' | 'latency' | 'throughput';

export type ProviderPreferences = Readonly<{
  /** Tried first and in this order. */
  order: readonly string[];
  /** Null: any provider may serve. */
  only: readonly string[] | null;
  ignore: readonly string[];
  /** False: no other provider is asked when the first choice fails. */
  allowFallbacks: boolean;
  /** Parameters of this request that the model must state to support; null when the caller does not insist. */
  requiredParameters: readonly string[] | null;
  dataCollection: 'allow' | 'deny';
  /** Null: any, also unknown. */
  quantizations: readonly string[] | null;
  sort: ProviderSort | null;
  /** The order counts across all models of the call, and not only among the providers of each. */
  sortsAcrossModels: boolean;
  /** The highest price that the caller accepts, by price name: USD per million tokens, or per unit. */
  maxPriceUsd: Readonly<Record<string, number>> | null;
}>;

// Tools that a provider runs by itself and charges for by the use, as far as a request offers any. Plugins are wishes
// of another kind and are not counted here.

export type HostedTools = Readonly<{
  /** How many searches of the web to be ready for; zero where none is offered. */
  searchesMax: number;
  /** Tools that run code or make pictures. */
  hasOthers: boolean;
}>;

export const NO_HOSTED_TOOLS: HostedTools = { searchesMax: 0, hasOthers: false };

// What a caller wants an upstream to add to a call. Where a plugin goes, and whether it can, is for each protocol to
// say.

export const NO_PLUGINS: readonly JsonObject[] = [];

export const WEB_PLUGIN: JsonObject = { id: 'web' };

/** Also true where the caller has switched it off in so many words. */
export function mentionsWeb(plugins: readonly JsonObject[]): boolean {
  return plugins.some(({ id }) => id === WEB_PLUGIN.id);
}

export function wantsWeb(plugins: readonly JsonObject[]): boolean {
  return plugins.some(({ id, enabled }) => id === WEB_PLUGIN.id && enabled !== false);
}

// What is known of a request before it is decided who gets it: whether anything in it has to be looked at again for
// each provider, and which extras it asks for. An extra is a name, such as `service_tier=priority`, that a price may be
// stated for; without one it is not sent.

export type Inspection = Readonly<{
  /** The body may go as it is to whoever speaks its format. */
  isPlain: boolean;
  extras: readonly string[];
}>;

export const NO_EXTRAS: readonly string[] = [];

export const PLAIN: Inspection = { isPlain: true, extras: NO_EXTRAS };
