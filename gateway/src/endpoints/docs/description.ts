// What a route says about itself: the texts, schemas and errors of the published document. The schemas are the same
// values with which endpoints validate, where they do.

import type { TObject, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { ExampleModel } from './example-models.ts';

/** The sections of the document, in the order in which they are shown. */
export const TAGS = {
  Chat: 'Conversations with models, in three dialects.',
  Embeddings: 'Vectors of texts and pictures.',
  Rerank: 'Documents in the order of how well they answer.',
  Moderations: 'What a policy says of texts and pictures.',
  Images: 'Pictures from words and from pictures.',
  Video: 'Videos, as jobs that are ordered and asked about.',
  Audio: 'Speech and transcriptions.',
  Batches: 'Many calls in a file, run within a day.',
  Models: 'What can be called, and at which price.',
  Account: 'What the calling key is, and what it has used.',
  Credits: 'Buying credit.',
  Keys: 'Making, changing and revoking keys.',
  Organizations: 'Organizations, their teams and members.',
  'Organization spending': 'Reports, and breakers that stop spending.',
  'Content filters': 'What the keys of an organization may send and get, and who else is asked.',
  Notices: 'Who is told what, by mail, webhook or chat.',
  Feeds: 'The records of calls, sent to where their owner wants them.',
  Transcripts: 'Prompts and answers, for organizations that keep them.',
  'Own upstreams': "An organization's own keys at upstreams.",
  Institutions: "Students' sessions, paid by their institution.",
  'Sign-in': 'Signing up and in, for the console.',
  Applications: 'Programs that ask a user for a key of their own.',
  'Single sign-on': "With an organization's own OpenID Connect issuer, for the domains that it has proven.",
  Provisioning: "What an organization's directory sends: people and groups, by SCIM 2.0.",
  Operator: 'For whoever runs the gateway, with the operator token or the session of an operator.',
  System: 'Health, and what else is served.',
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
