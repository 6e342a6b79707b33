// A client's call after its dialect has parsed and validated it: what every later stage needs to know, and the body
// itself for a protocol of the same format. Stages never read `body` for decisions. What only one operation has is in a
// type of its own, which its dialect fills and its codec reads.

import type { JsonDocument } from '../platform/json-document.ts';
import type { Conversation } from './conversation.ts';
import type { ConversationFormat, Format } from './format.ts';
import type { JsonObject } from './json.ts';
import type { ReplacePart, TextVisitor } from './passage.ts';
import type { Units } from './usage.ts';

/** What the request needs from a model; authorize and route compare it with what a model and a route offer. */
export type RequestNeeds = Readonly<{
  tools: boolean;
  responseFormat: boolean;
  imageInput: boolean;
  fileInput: boolean;
  audioInput: boolean;
  videoInput: boolean;
  imageOutput: boolean;
}>;

/** What every stage may read of every request, whatever its operation. */
export type RequestBase = Readonly<{
  /** The format of `body`; a protocol of the same format takes the body as it is. */
  format: Format;
  /** As the caller wrote it; resolve turns it into a model. */
  modelName: string;
  fallbackModelNames: readonly string[];
  /** The answer is passed on as it comes, in frames or as plain bytes; otherwise it is collected first. */
  isStream: boolean;
  /** The client gets events even though the answer is collected first. */
  isShownAsStream?: boolean;
  /** A cheap, high estimate of the prompt, for the reservation only; the upstream's count is billed. */
  promptTokensEstimate: number;
  /** How many more it may come to, where it has parts that only the upstream can measure. */
  promptTokensBeyond?: number;
  /** How many pictures it has, of which some families count more tokens than others. */
  promptPictures?: number;
  /** For each choice. Null when the caller set no limit: the reservation then uses a bounded default. */
  outputTokensMax: number | null;
  choiceCount: number;
  /** The most that it will use of units other than tokens; the reservation covers it. */
  unitsMax: Units;
  needs: RequestNeeds;
  /** Which providers may serve the call, and in which order; null when the caller does not say. */
  preferences: ProviderPreferences | null;
  /** The parsed body, with the gateway's own fields still in place. Not changed by anybody: encode copies it. */
  body: JsonObject;
  /**
   * Called by whoever is about to read the texts. Undefined where they can be read at once; else they are decoded in
   * turns, with the owner's other long work. Absent where nothing is encoded.
   */
  prepareTexts?(owner: string): Promise<unknown> | undefined;
  /** Shows a reviewer every text of the request; the visitor's answers are not used. */
  visitTexts(visitor: TextVisitor): void;
}>;

/** Only files are encoded, so nearly every request is ready at once. */
export const prepareTexts = (request: RequestBase, owner: string): Promise<unknown> | undefined =>
  request.needs.fileInput ? request.prepareTexts?.(owner) : undefined;

/** The same request with its texts replaced part by part, in the order of `visitTexts`, for reviewers that redact. */
export type WithTexts<Request> = (replace: ReplacePart) => Request;

export type ConversationRequest = RequestBase &
  Readonly<{
    operation: 'chat';
    format: ConversationFormat;
    /**
     * The limit was sent because the format requires one, so it says nothing about the wanted answer: clients send a
     * number larger than any model's. Any other limit is the caller's decision, to be kept or refused.
     */
    isOutputLimitHabitual: boolean;
    /** A member of the body that only an upstream of the same format can serve; others are not asked. */
    nativeMember?: string;
    /** Not to be answered: the provider shall make it shorter, in a form that only providers of this format have. */
    isCompaction?: true;
    /** The same request with an output limit that the gateway sets. */
    withOutputLimit(tokensMax: number): ConversationRequest;
    /** The limit in the body is the gateway's own, so the upstream gets it under the name that it knows. */
    isOutputLimitOurs?: true;
    /**
     * The document that the body was made from: members that are unchanged need not be written anew. Null when it is
     * gone.
     */
    source: JsonDocument | null;
    messageCount: number;
    /** How a prompt that is too long may be shortened. Null when the caller does not say; empty forbids it. */
    transforms: readonly string[] | null;
    /** Plugins for the upstream. Those that the gateway itself handles are not among them. */
    plugins: readonly JsonObject[];
    /** Tools in the body that the provider would run and charge for. */
    hostedTools: HostedTools;
    /** Tools of the caller's that take plain text, which need nothing of a model. */
    offersPlainTools?: boolean;
    /** Thinking was asked for explicitly; some families bill it differently. */
    isThinkingEnabled: boolean;
    /** Whether the caller asks for thinking, in any spelling; null when it does not say. */
    wantsReasoning: boolean | null;
    hidesReasoning: boolean;
    /**
     * How many log probabilities come with each token: its own and those of alternatives; 0 when none are asked for.
     */
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

// The caller's preferences about which providers serve a call, as every dialect reads them. They restrict or order the
// providers of a model, and never add one that the catalog does not offer.

export type ProviderSort = 'price' | 'latency' | 'throughput';

export type ProviderPreferences = Readonly<{
  /** Tried first and in this order. */
  order: readonly string[];
  /** Null: any provider may serve. */
  only: readonly string[] | null;
  ignore: readonly string[];
  /** False: no other provider is asked when the first one fails. */
  allowFallbacks: boolean;
  /** Parameters of this request that a model must state to support; null when the caller does not require that. */
  requiredParameters: readonly string[] | null;
  dataCollection: 'allow' | 'deny';
  /** Null: any, and unknown ones too. */
  quantizations: readonly string[] | null;
  sort: ProviderSort | null;
  /** The order applies across all models of the call, and not only among the providers of each. */
  sortsAcrossModels: boolean;
  /** The highest price that the caller accepts, by price name: USD per million tokens, or per unit. */
  maxPriceUsd: Readonly<Record<string, number>> | null;
}>;

// Tools that a provider runs itself and charges by the use, as far as a request offers any. Plugins are handled
// separately and are not counted here.

export type HostedTools = Readonly<{
  /** How many web searches to expect; zero where none is offered. */
  searchesMax: number;
  /** Tools that run code or make pictures. */
  hasOthers: boolean;
}>;

export const NO_HOSTED_TOOLS: HostedTools = { searchesMax: 0, hasOthers: false };

// Plugins that a caller wants an upstream to add to a call. Each protocol decides where a plugin goes, and whether it
// can.

export const NO_PLUGINS: readonly JsonObject[] = [];

export const WEB_PLUGIN: JsonObject = { id: 'web' };

/** Also true where the caller has explicitly switched it off. */
export function mentionsWeb(plugins: readonly JsonObject[]): boolean {
  return plugins.some(({ id }) => id === WEB_PLUGIN.id);
}

export function wantsWeb(plugins: readonly JsonObject[]): boolean {
  return plugins.some(({ id, enabled }) => id === WEB_PLUGIN.id && enabled !== false);
}

// What is known of a request before a provider is chosen: whether something in it must be checked for each provider,
// and which extras it asks for. An extra is a name, such as `service_tier=priority`, that may have a price; without one
// it is not sent.

export type Inspection = Readonly<{
  /** The body may be sent unchanged to every provider of its format. */
  isPlain: boolean;
  extras: readonly string[];
  /** A cache is to keep a part of the prompt. */
  cacheKept?: CacheKept;
}>;

export type CacheKept = 'minutes' | 'hour';

export const NO_EXTRAS: readonly string[] = [];

export const PLAIN: Inspection = { isPlain: true, extras: NO_EXTRAS };
