// A row of expectations: which profile, and how to ask so that only authorization can refuse. The thing that a path
// names is made again for each request where an answer uses it up.

import type { OperatorRole } from '../../src/canonical/caller.ts';
import type { Json } from '../harness.ts';
import { operator, type Profile } from './profiles.ts';
import type { World } from './world.ts';

export type Params = Readonly<Record<string, string>>;
export type ParamsOf = (world: World) => Params | Promise<Params>;

export type Question = Readonly<{
  /** What the path names; it belongs to Ann or to Acme. */
  params?: ParamsOf;
  /** Used in place of Ann's own session, where an answer ends the session or changes who she is. */
  as?: (world: World) => Promise<Record<string, string>>;
  query?: string | ((world: World) => string);
  body?: Json | ((world: World) => Json | Promise<Json>);
  /** The status of an answer to a caller who is let in, or several possible ones; 200 by default. */
  success?: number | readonly number[];
  /** Of a named operator who is let in. */
  leastRole?: OperatorRole;
}>;

export type Row = Readonly<{ profile: Profile }> & Question;

export const row = (profile: Profile, question: Question = {}): Row => ({ profile, ...question });

export const forReaders = (question: Question = {}): Row => row(operator, { ...question, leastRole: 'read_only' });
export const forSupport = (question: Question): Row => row(operator, { ...question, leastRole: 'support' });
export const forOwners = (question: Question): Row => row(operator, { ...question, leastRole: 'owner' });
