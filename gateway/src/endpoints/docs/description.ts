// What a route says about itself: the texts, schemas and errors of the published document. The schemas are the same
// values with which endpoints validate, where they do.

import type { TObject, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { ExampleModel } from './example-models.ts';

/** The sections of the document, in the order in which they are shown. */
export const TAGS = {
  Chat: 'Conversations with models, in three dialects.',
  Embeddings: 'Vectors of texts and pictures.',
  Rerank: 'Sorting documents by how well they answer a query.',
  Moderations: 'Checking texts and pictures against a policy.',
  Images: 'Pictures from a prompt, or from other pictures.',
  Video: 'Videos, as jobs: order one, ask for its state, download it.',
  Audio: 'Speech and transcriptions.',
  Batches: 'Many calls in a file, run within a day.',
  Models: 'The models that can be called, and their prices.',
  Account: 'The calling key, its account and its usage.',
  Credits: 'Buying credit.',
  Keys: 'Making, changing and revoking keys.',
  Organizations: 'Organizations, their teams and members.',
  'Organization spending': 'Reports, and breakers that stop spending.',
  'Content filters': 'Rules on the prompts and answers of an organization, and outside guards.',
  Notices: 'Messages about money and calls, by mail, webhook or chat.',
  Feeds: 'Records of calls, sent to a collector, a server or a bucket of their owner.',
  Transcripts: 'Prompts and answers, for organizations that keep them.',
  'Own upstreams': "An organization's own keys at upstreams.",
  Institutions: "Students' sessions, paid by their institution.",
  'Sign-in': 'Signing up and in, for the console.',
  Applications: 'Programs that ask a user for a key of their own.',
  'Single sign-on': "Signing in with an organization's own OpenID Connect issuer, for its confirmed domains.",
  Provisioning: "People and groups of an organization's directory, by SCIM 2.0.",
  Operator: 'For the operators of the gateway, with the operator token or the session of an operator.',
  System: 'Health, metrics, the console and this document.',
} as const;
type Tag = keyof typeof TAGS;

/** The forms of one answer; without any there is no body. */
export type AnswerForms = Readonly<{
  json?: TSchema;
  /** The content of one event of a stream. */
  events?: TSchema;
  /** Media types of other answers. */
  bytes?: readonly string[];
}>;

/** What a request needs to succeed. `$NAME` in a value is a variable of the reader's shell. */
export type Example = Readonly<{
  query?: string;
  body?: Readonly<Record<string, unknown>>;
  /** Fields of a form; a value that begins with `@` is a file. */
  form?: Readonly<Record<string, string>>;
  /** Which kind of model replaces `$MODEL`. */
  model?: ExampleModel;
  /** Further arguments of curl. */
  options?: readonly string[];
}>;

export type Description = Readonly<{
  tag: Tag;
  summary: string;
  notes?: string;
  query?: TObject;
  body?: TSchema;
  form?: TSchema;
  answers: Readonly<Record<number, AnswerForms>>;
  /** Errors that do not follow from access, a body, a query or path parameters. */
  errors?: readonly ErrorCode[];
  /** Errors in a form of their own, by status. */
  refusals?: Readonly<Record<number, TSchema>>;
  example?: Example;
}>;

/** By method and path, as in the table of routes. */
export type Descriptions = Readonly<Record<string, Description>>;
