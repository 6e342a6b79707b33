// The operator's own guards, from the config. They are asked about everybody's calls, before the guards of an
// organization. The operator chose their addresses, so they are called directly and not through the guarded client.

import { request as send } from 'undici';
import type { GuardEntry } from '../../../contract/config-guards.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import type { AskParts } from './ask.ts';
import type { Guard } from './guard.ts';

const TIMEOUT_MS = 2_000;

type Entries = Readonly<Record<string, GuardEntry>>;

const NONE: readonly Guard[] = [];

/** The guards of the config as it is now, in its order; made anew when the config has changed. */
export function createPlatformGuards(entries: () => Entries): () => readonly Guard[] {
  let known: Readonly<{ entries: Entries; guards: readonly Guard[] }> | null = null;
  return () => {
    const current = entries();
    if (known === null || known.entries !== current) known = { entries: current, guards: guardsOf(current) };
    return known.guards;
  };
}

function guardsOf(entries: Entries): readonly Guard[] {
  const guards = Object.entries(entries).map(([name, entry]) => ({
    ...{ id: name, orgId: null, name, form: entry.form, url: entry.url, apiKey: entry.api_key ?? null },
    ...{ stages: entry.stages, action: entry.action ?? 'block', timeoutMs: entry.timeout_ms ?? TIMEOUT_MS },
    isOpenOnFailure: entry.on_failure === 'allow',
  }));
  return guards.length === 0 ? NONE : guards;
}

/** Without redirects, bounded in time and size like a call of the guarded client. */
export const requestDirectly: AskParts['request'] = async ({ url, headers, body, timeoutMs, responseBytesMax }) => {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await send(url, { method: 'POST', headers: [...headers], body, signal });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer.body) {
      bytes += (chunk as Buffer).length;
      if (bytes > responseBytesMax) throw new OutboundError('oversize');
      chunks.push(chunk as Buffer);
    }
    return { status: answer.statusCode, body: Buffer.concat(chunks) };
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    throw new OutboundError(signal.aborted ? 'timeout' : 'unreachable', error);
  }
};
