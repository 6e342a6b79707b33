// What is sold and who can serve it, as the live catalog states it. These are plain readonly values: a catalog change
// makes new ones, and a call keeps the ones it started with.

import type { AutoDecision } from './generation.ts';
import type { Operation } from './operation.ts';
import type { PriceSchedule } from './price.ts';
import type { VideoOptions } from './video.ts';

export type Resolution = Readonly<{
  primary: ResolvedModel;
  /** Tried in order when the primary fails: the auto tier's others, then the caller's `models` list. */
  fallbacks: readonly ResolvedModel[];
  /** Null where the caller named a model. */
  auto: AutoDecision | null;
}>;

export type UpstreamTimeouts = Readonly<{
  connectMs: number;
  /** A whole answer arrives only when the model has finished, so it may take far longer than a stream's first byte. */
  wholeFirstByteMs: number;
  streamFirstByteMs: number;
  idleMs: number;
  totalMs: number;
}>;

export type Provider = Readonly<{
  name: string;
  /** One of catalog/protocols.json. */
  protocol: string;
  /** Without a trailing slash, for example `https://api.example.com/v1`. */
  baseUrl: string;
  /** The first, where there are several. */
  apiKey: string;
  /** Only where there are several. */
  keys?: readonly ProviderKey[];
  /** What its protocol needs besides, by the names of the config file; may hold secrets. */
  settings?: Readonly<Record<string, string>>;
  dataCollection: 'allow' | 'deny';
  /** The provider also speaks `/responses` natively. */
  speaksResponses: boolean;
  /** The provider also has `/completions`: a prompt that is continued, and filled in before a suffix. */
  speaksCompletions?: true;
  /** False where a call with plugins would be refused; then they are left out. Only formats with a field for them ask. */
  takesPlugins?: boolean;
  /** How long it may take, where the operator says so. */
  timeouts?: Partial<UpstreamTimeouts>;
  /** What its models cost by its own names for them, for turns that another model takes in an answer. */
  pricesByModel?: ReadonlyMap<string, PriceSchedule>;
}>;

export type ProviderKey = Readonly<{
  name: string;
  /** How much of the calls it gets beside the others; 0 for one that is only used when they cannot be. */
  weight: number;
  /** The provider as it is with this key alone. */
  provider: Provider;
}>;

export type OutputModality =
  | 'text'
  | 'image'
  | 'embeddings'
  | 'audio'
  | 'video'
  | 'rerank'
  | 'moderation'
  | 'speech'
  | 'transcription';

/** Vocabularies that can be counted with exactly. */
export type TokenizerName = 'o200k_base' | 'cl100k_base';

/** Facts of a model's family that change how a call is treated; data in catalog/families.json, never string tests. */
export type FamilyTraits = Readonly<{
  family: string;
  /** `user`, `logprobs` and their like are forwarded only to families that know them. */
  keepsOpenAiOnlyFields: boolean;
  /** Null when the family sets no limit. */
  messagesMax: number | null;
  /** Thinking is off unless asked for, and asking multiplies the completion price. */
  isThinkingOptIn: boolean;
  thinkingCompletionMultiplier: number;
  isReasoningMandatory: boolean;
  /** The family thinks only when it is asked to. */
  isReasoningAsked: boolean;
  /** Null where tokens can only be estimated. */
  tokenizer: TokenizerName | null;
}>;

export type Route = Readonly<{
  provider: Provider;
  upstreamModel: string;
  quantization: string | null;
  /** The route's own prices where it states any, else the model's. */
  prices: PriceSchedule | null;
}>;

export type Model = Readonly<{
  /** `<provider>/<name>`, possibly with an independent suffix such as `:extended`. */
  id: string;
  /** The id with `/` replaced by `-`. */
  slug: string;
  name: string;
  description: string | null;
  contextLength: number | null;
  completionTokensMax: number | null;
  inputModalities: readonly string[];
  outputModalities: readonly OutputModality[];
  /** Null when the catalog does not say; then nothing is refused on that ground. */
  supportedParameters: readonly string[] | null;
  traits: FamilyTraits;
  /** Null: reachable, but refused before dispatch because nobody said what it costs. */
  prices: PriceSchedule | null;
  free: Readonly<{ requestsPerMinute: number; requestsPerDay: number }> | null;
  /** UTC midnight that ends the model's last day; null when no end is planned. */
  retiresAtMs: number | null;
  deprecationDate: string | null;
  video: VideoOptions | null;
  /** What is known of a model that makes pictures: the sizes it has, none for any, and how many it makes at once. */
  image?: Readonly<{ sizes: readonly string[]; imagesMax: number | null }>;
  createdAtMs: number;
  routes: readonly Route[];
}>;

/** A name after resolution: the model that will be billed and the routing wishes its spelling carried. */
export type ResolvedModel = Readonly<{
  model: Model;
  /** What the caller wrote, for records. */
  requestedName: string;
  /** `:floor`, `:nitro`, `:online`, stripped before matching. */
  shortcuts: readonly ('floor' | 'nitro' | 'online')[];
  /** The caller named the free variant itself, or came to the model through the free table of the auto router. */
  isFreeVariant: boolean;
}>;

/** A provider and upstream model that could serve this call, at these prices. */
export type Candidate = Readonly<{
  model: Model;
  provider: Provider;
  upstreamModel: string;
  prices: PriceSchedule;
  operation: Operation;
  /** Absent where the model has no free quota for this call. */
  freeShare?: FreeShare;
  /** The customer's own upstream, where the provider is one; absent for the platform's. */
  own?: OwnUpstream;
  /** It has refused the reasoning that the conversation brings along: it is asked again without. */
  omitsReasoning?: true;
  /** How it is asked for pictures, where its protocol has two ways. */
  way?: 'usual' | 'other';
}>;

// An upstream that a customer brings for one model. It stands beside the platform's routes and not among them: it costs
// nothing here, nobody else may use it, and its address and its key only ever go together.

export type OwnUpstream = Readonly<{
  byokKeyId: string;
  orgId: string;
  provider: Provider;
  upstreamModel: string;
  /** Whatever goes wrong, the platform is not asked instead. */
  isStrict: boolean;
  /** The API keys that it carries calls of; null means all of the organization. */
  scopedKeyIds: ReadonlySet<string> | null;
}>;

/** By the id of the model, in the order of trying. */
export type OwnUpstreams = ReadonlyMap<string, readonly OwnUpstream[]>;

// How a call stands with the quota of a free model: what the call took of it, or which limit left nothing for it.

/** Which limit of a quota was used up: the day's, or the minute's. */
export type FreeWindow = 'daily' | 'rpm';

type FreeShare =
  /** Of a longer answer only the beginning is free, and asked for. */
  | Readonly<{ units: number; exhausted: null; outputTokensMax: number }>
  /** The caller pays all the same. */
  | Readonly<{ units: 0; exhausted: FreeWindow }>;
