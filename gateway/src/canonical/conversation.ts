// A conversation in no vendor's format: every dialect can be read into it and every protocol written from it. What a
// vendor attaches and only that vendor understands (signatures, encrypted reasoning, cache markers) is carried along
// unchanged, so that a conversation can be sent and come back without losing it.

import type { JsonObject } from './json.ts';

/** A caller's cache marker, forwarded as sent and never added. */
export type CacheControl = JsonObject;

type Marked = Readonly<{ cacheControl?: CacheControl | undefined }>;

export type EmbeddedMedia = Readonly<{ kind: 'base64'; mediaType: string; data: string }>;
export type MediaSource = Readonly<{ kind: 'url'; url: string }> | EmbeddedMedia;

/** Only a model's text has citations; what a caller sends back has none. */
export type TextPart = Marked &
  Readonly<{
    type: 'text';
    text: string;
    citations?: readonly Citation[];
    /** It was asked to be JSON. */
    isJson?: true;
    /** What its message has only in the upstream's format. */
    own?: JsonObject | undefined;
  }>;
export type ImagePart = Marked & Readonly<{ type: 'image'; source: MediaSource; detail?: string | undefined }>;
export type FilePart = Marked & Readonly<{ type: 'file'; source: MediaSource; filename?: string | undefined }>;
type AudioPart = Readonly<{ type: 'audio'; data: string; format: string }>;
type VideoPart = Readonly<{ type: 'video'; source: MediaSource }>;

export type ToolCallPart = Marked &
  Readonly<{
    type: 'tool-call';
    id: string;
    name: string;
    /** Of a function that belongs to one, where the format has such. */
    namespace?: string | undefined;
    /** What it has only in the upstream's format, as who calls the tool. Clients of that format get it as it came. */
    own?: JsonObject | undefined;
    /** Exactly the text the model wrote; it is parsed only where a protocol demands an object. */
    argumentsText: string;
    /** The request offers no tool of this name: it is the model's own word. */
    isInvented?: true;
    /** The one argument of a tool that takes plain text, where it is known to be that. */
    plainInput?: string | undefined;
  }>;

export type ToolResultPart = Marked &
  Readonly<{
    type: 'tool-result';
    callId: string;
    content: readonly ResultContent[];
    isError: boolean;
  }>;

/** A model's thinking. Without its signature it is only text, and no vendor accepts it back. */
export type ReasoningPart = Readonly<{
  type: 'reasoning';
  text: string;
  /** Proof of origin that must come back unchanged. */
  signature?: string | undefined;
  /** Thinking that the vendor does not show; there is no text then. */
  redactedData?: string | undefined;
  /** The Responses form: an item's id and its encrypted content. */
  itemId?: string | undefined;
  encryptedContent?: string | undefined;
}>;

export type ContentPart = TextPart | ImagePart | FilePart | AudioPart | VideoPart;
/** What a tool can return. */
export type ResultContent = TextPart | ImagePart | FilePart;
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

export type Message =
  | Readonly<{ role: 'system'; parts: readonly TextPart[]; name?: string | undefined }>
  | Readonly<{ role: 'user'; parts: readonly ContentPart[]; name?: string | undefined }>
  | Readonly<{
      role: 'assistant';
      parts: readonly AssistantPart[];
      /** Pictures that the model has made; only upstreams that make pictures in conversations accept them back. */
      pictures?: readonly ImagePart[];
      name?: string | undefined;
    }>
  | Readonly<{ role: 'tool'; parts: readonly ToolResultPart[] }>;

export type Tool = Marked &
  Readonly<{
    name: string;
    description?: string | undefined;
    /** A JSON Schema object. */
    parameters: JsonObject;
    strict?: boolean | undefined;
    /** Set where it takes plain text, for protocols that have such tools; the rest describes it as a function. */
    custom?: CustomTool | undefined;
  }>;

export type CustomTool = Readonly<{
  description?: string;
  /** What its input must look like; any text where it is left out. */
  grammar?: Readonly<{ definition: string; syntax: string | undefined }>;
}>;

export type ToolChoice = 'auto' | 'none' | 'required' | Readonly<{ name: string }>;

export type ResponseFormat =
  | Readonly<{ type: 'text' }>
  | Readonly<{ type: 'json-object' }>
  | Readonly<{
      type: 'json-schema';
      name: string;
      schema: JsonObject;
      strict?: boolean | undefined;
      description?: string | undefined;
    }>;

export type ReasoningSettings = Readonly<{
  /** The vendor-neutral words (`low`, `medium`, …), or a newer one as sent. */
  effort?: string | undefined;
  tokensMax?: number | undefined;
  /** Set when the caller explicitly switched thinking on or off. */
  isEnabled?: boolean | undefined;
}>;

export type Sampling = Readonly<{
  temperature?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  frequencyPenalty?: number | undefined;
  presencePenalty?: number | undefined;
  seed?: number | undefined;
  stop?: readonly string[] | undefined;
}>;

export type Conversation = Readonly<{
  messages: readonly Message[];
  /** Those that may be called. */
  tools: readonly Tool[];
  /**
   * Set where the caller allows only some of its tools for this turn: all of them, in its order. A protocol that has a
   * word for that offers them all, so that the prompt stays the same and is found in the cache; others leave them out.
   */
  offeredTools?: readonly Tool[] | undefined;
  toolChoice?: ToolChoice | undefined;
  isParallelToolCalls?: boolean | undefined;
  responseFormat?: ResponseFormat | undefined;
  reasoning?: ReasoningSettings | undefined;
  sampling: Sampling;
  outputTokensMax?: number | undefined;
  /** The caller's own end-user id. */
  endUserId?: string | undefined;
}>;

// A source that an answer is based on: a web page, or a document that the caller gave. Formats put it in different
// places; here it belongs to a piece of text.

export type Citation = Readonly<{
  /** Null for a document, which has a place in the request instead. */
  url: string | null;
  title: string | null;
  /** The quoted text, where the upstream gives it. */
  citedText: string | null;
  documentIndex: number | null;
  /** In UTF-16 units of its text; null means the whole text. */
  range: Readonly<{ start: number; end: number }> | null;
  /** The place in the document, in the vendor's own units. */
  place?: DocumentPlace | undefined;
  /** The whole of it as it came, for clients of its own format. */
  block?: JsonObject | undefined;
}>;

export type DocumentPlace = Readonly<{ unit: 'character' | 'page' | 'block'; start: number; end: number }>;

export function isResultContent(part: ContentPart): part is ResultContent {
  return part.type === 'text' || part.type === 'image' || part.type === 'file';
}
