// A client's flags at servers of this format that are not Anthropic's own. They refuse the whole call for a flag that
// they do not know, and agents send flags for everything that they might use.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';

const HEADER = 'anthropic-beta';
/** Anthropic has one flag for several abilities; elsewhere the one that has a flag of its own is known by that. */
const RENAMED: ReadonlyMap<string, string> = new Map([['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19']]);

type IsNeeded = (body: JsonObject) => boolean;

/** Flags that not every model takes: they are sent with bodies that would be refused without them. */
const NEEDED: ReadonlyMap<string, IsNeeded> = new Map<string, IsNeeded>([
  ['thinking-binding-controls-2026-08-01', ({ thinking }) => isJsonObject(thinking) && isSet(thinking.block_binding)],
  ['thinking-display-updates-2026-08-18', ({ thinking }) => isJsonObject(thinking) && thinking.display === 'updates'],
  [
    'mid-conversation-output-config-2026-07-01',
    ({ messages }) => objectsIn(messages).some((message) => isSet(message.output_config)),
  ],
  [
    'mid-conversation-tool-changes-2026-07-01',
    ({ messages }) => objectsIn(messages).some(({ content }) => objectsIn(content).some(isToolChange)),
  ],
]);

/** Those of the flags that the server takes with this body. `headers` are names and values in turn. */
export function knownFlags(
  headers: readonly string[],
  body: JsonObject,
  known: ReadonlySet<string>,
): readonly string[] {
  const place = headers.indexOf(HEADER);
  if (place === -1) return [];
  const sent = (headers[place + 1] ?? '').split(',').map((flag) => flag.trim());
  const flags = [...new Set(sent.map((flag) => RENAMED.get(flag) ?? flag))];
  return flags.filter((flag) => NEEDED.get(flag)?.(body) ?? known.has(flag));
}

/** The headers with these flags only; without any, there is no header. */
export function withKnownFlags(
  headers: readonly string[],
  body: JsonObject,
  known: ReadonlySet<string>,
): readonly string[] {
  const flags = knownFlags(headers, body, known);
  return flags.length === 0 ? [] : [HEADER, flags.join(',')];
}

const isToolChange = ({ type }: JsonObject): boolean => type === 'tool_addition' || type === 'tool_removal';

const objectsIn = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

const isSet = (value: unknown): boolean => value !== undefined && value !== null;
