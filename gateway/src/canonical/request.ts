// A client's call after its dialect has been parsed and validated: what every later stage needs to know of it,
// plus the body itself for the protocol that speaks the same format. Stages never reach into `body` for decisions.

import type { Conversation } from './conversation.ts';
import type { Format } from './format.ts';
import type { JsonObject } from './json.ts';
import type { ProviderPreferences } from './preferences.ts';

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

export type CanonicalRequest = Readonly<{
  operation: 'chat';
  /** The format of `body`; a protocol of the same format takes the body as it is. */
  format: Format;
  /** As the caller wrote it; resolve turns it into a model. */
  modelName: string;
  fallbackModelNames: readonly string[];
  isStream: boolean;
  choiceCount: number;
  /** Null when the caller set none: the reservation then uses a bounded default. */
  outputTokensMax: number | null;
  /**
   * The same request with a lower limit on its output. Null where the caller's limit is a decision to be kept or
   * refused; clients of one dialect must always send one, and send a number larger than any model's.
   */
  withOutputLimit: ((tokensMax: number) => CanonicalRequest) | null;
  messageCount: number;
  /** A cheap upper-side estimate of the prompt, for the reservation only; the upstream's count is what is billed. */
  promptTokensEstimate: number;
  needs: RequestNeeds;
  /** What the caller allows to be done to a prompt that is too long. Null when it does not say; empty is a no. */
  transforms: readonly string[] | null;
  /** Who may serve the call, and who rather; null when the caller does not say. */
  preferences: ProviderPreferences | null;
  /** Thinking asked for explicitly; some families bill it differently. */
  isThinkingEnabled: boolean;
  hidesReasoning: boolean;
  /** The parsed body with the gateway's own fields still in place. Frozen by convention: encode copies. */
  body: JsonObject;
  /** The body read into the vendor-neutral form, for protocols of another format. Pure; called once per attempt. */
  toConversation(): Conversation;
}>;
