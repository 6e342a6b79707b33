// What is sold and which providers can serve it, as the live catalog states it. These are plain readonly values: a
// catalog change makes new ones, and a call keeps those it started with.

import type { AutoDecision } from './generation.ts';
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
  /**
   * An answer that is not streamed arrives only when the model has finished, so it may take far longer than a stream's
   * first byte.
   */
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
  /** The first key, where there are several. */
  apiKey: string;
  /** Only where there are several. */
  keys?: readonly ProviderKey[];
  /** Further settings of its protocol, by the names of the config file; may contain secrets. */
  settings?: Readonly<Record<string, string>>;
  dataCollection: 'allow' | 'deny';
  /** The provider also speaks `/responses` natively. */
  speaksResponses: boolean;
  /** The provider also has `/completions`: a prompt that is continued, and filled in before a suffix. */
  speaksCompletions?: true;
  /**
   * False where a call with plugins would be refused; then they are left out. Only formats with a plugins field use
   * this.
   */
  takesPlugins?: boolean;
  /** How long it may take, where the operator sets it. */
  timeouts?: Partial<UpstreamTimeouts>;
  /** The prices of its models by its own names for them, for turns of an answer that another model takes. */
  pricesByModel?: ReadonlyMap<string, PriceSchedule>;
}>;

export type ProviderKey = Readonly<{
  name: string;
  /** The key's share of the calls; 0 for a key that is used only when no other can be. */
  weight: number;
  /** The provider as it is with this key only. */
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

/** Vocabularies with which tokens can be counted exactly. */
export type TokenizerName = 'o200k_base' | 'cl100k_base';

/**
 * Facts about a model's family that change how a call is treated; data in catalog/families.json, never a comparison of
 * names in code.
 */
export type FamilyTraits = Readonly<{
  family: string;
  /** `user`, `logprobs` and similar fields are forwarded only to families that know them. */
  keepsOpenAiOnlyFields: boolean;
  /** Null when the family sets no limit. */
  messagesMax: number | null;
  /** Thinking is off unless asked for, and asking multiplies the completion price. */
  isThinkingOptIn: boolean;
  thinkingCompletionMultiplier: number;
  isReasoningMandatory: boolean;
  /** The family thinks only when asked to. */
  isReasoningAsked: boolean;
  /** The most tokens that are billed for a picture in a prompt. */
  pictureTokensMax: number;
  /** They are billed at more tokens than they take of the context. */
  picturesExceedContext: boolean;
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
  /** Null: the model exists, but is refused before dispatch because it has no price. */
  prices: PriceSchedule | null;
  free: Readonly<{ requestsPerMinute: number; requestsPerDay: number }> | null;
  /** UTC midnight that ends the model's last day; null when no end is planned. */
  retiresAtMs: number | null;
  deprecationDate: string | null;
  video: VideoOptions | null;
  /** For a model that makes pictures: its sizes (empty for any), and how many it makes at once. */
  image?: Readonly<{ sizes: readonly string[]; imagesMax: number | null }>;
  createdAtMs: number;
  routes: readonly Route[];
}>;

/** A name after resolution: the model that will be billed, and the preferences in the name's suffixes. */
export type ResolvedModel = Readonly<{
  model: Model;
  /** `:floor`, `:nitro`, `:online`, stripped before matching. */
  shortcuts: readonly ('floor' | 'nitro' | 'online')[];
  /** The caller named the free variant itself, or came to the model through the free table of the auto router. */
  isFreeVariant: boolean;
  /** Of a conversation that is too long for it: the entries that it gets. Absent where it gets them all. */
  entriesKept?: ReadonlySet<number>;
}>;

/** A provider and upstream model that could serve this call, at these prices. */
export type Candidate = Readonly<{
  model: Model;
  provider: Provider;
  upstreamModel: string;
  prices: PriceSchedule;
  /** Absent where the model has no free quota for this call. */
  freeShare?: FreeShare;
  /** The customer's own upstream, where the provider is one; absent for the platform's. */
  own?: OwnUpstream;
  /** The upstream has refused the conversation's reasoning: it is asked again without. */
  omitsReasoning?: true;
  /** The entries of the conversation that its model gets, where these are not all. */
  entriesKept?: ReadonlySet<number>;
  /** How it is asked for pictures, where its protocol has two ways. */
  way?: 'usual' | 'other';
}>;

// An upstream that a customer brings for one model. It is not one of the platform's routes: it costs nothing here,
// nobody else may use it, and its address and key always belong together.

export type OwnUpstream = Readonly<{
  byokKeyId: string;
  orgId: string;
  provider: Provider;
  upstreamModel: string;
  /** When it fails, the platform is not asked instead. */
  isStrict: boolean;
  /** The API keys whose calls it may serve; null means all of the organization. */
  scopedKeyIds: ReadonlySet<string> | null;
}>;

/** By the id of the model, in the order of trying. */
export type OwnUpstreams = ReadonlyMap<string, readonly OwnUpstream[]>;

// A call's relation to the quota of a free model: what the call took of it, or which limit left nothing.

/** Which limit of a quota was used up: the day's, or the minute's. */
export type FreeWindow = 'daily' | 'rpm';

type FreeShare =
  /** Only the beginning of a longer answer is free, so no more is asked for. */
  | Readonly<{ units: number; exhausted: null; outputTokensMax: number }>
  /** The quota is used up, and the caller pays. */
  | Readonly<{ units: 0; exhausted: FreeWindow }>;
