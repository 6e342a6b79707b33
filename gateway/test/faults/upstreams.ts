// The upstreams of the matrix: one kind for each protocol, and for each the providers that a cell may need: the
// simulator, one whose key may be refused without harm to the others, a healthy one, and addresses where no server
// answers.

import { generateKeyPairSync } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Json } from '../harness.ts';
import type { Place } from './faults.ts';

export const KINDS = [
  'chat',
  'responses',
  'anthropic',
  'gemini',
  'vertex',
  'vertex-claude',
  'bedrock',
  'bedrock-claude',
  'azure',
  'cohere',
] as const;
export type Kind = (typeof KINDS)[number];

type Places = Readonly<{ simulatorUrl: string; tokenUrl: string; muteUrl: string }>;

const ROLES = ['sim', 'silent', 'stalling', 'endless', 'auth', 'well', 'dead', 'nameless', 'mute', 'plain'] as const;
export type Role = (typeof ROLES)[number];

export const providerOf = (kind: Kind, role: Role): string => `${kind}-${role}`;
export const roleOf = (place: Place | undefined, commands: string): Role =>
  place ?? ROLE_OF_COMMANDS.find(([pattern]) => pattern.test(commands))?.[1] ?? 'sim';

const ROLE_OF_COMMANDS: readonly (readonly [RegExp, Role])[] = [
  [/^status-40[13]/, 'auth'],
  [/^stall-(?:after|body)/, 'stalling'],
  [/^stall/, 'silent'],
  [/^endless/, 'endless'],
];

/** Only the limit that a cell is about is short; for everything else there is time, also on a busy machine. */
const TIMEOUTS: Readonly<Partial<Record<Role, Json>>> = {
  silent: { first_byte_seconds: 1, whole_seconds: 1 },
  stalling: { stall_seconds: 1, whole_seconds: 1 },
  endless: { total_seconds: 5, whole_seconds: 5 },
  mute: { connect_seconds: 1 },
};

/** The command is in the path or the body, with a number of its own, so that no two cells share a route. */
export function upstreamModel(kind: Kind, name: string): string {
  if (kind === 'vertex-claude') return `anthropic/${name}`;
  return kind === 'bedrock-claude' ? `anthropic.${name}` : name;
}

function addressOf(role: Role, { simulatorUrl, muteUrl }: Places): string {
  switch (role) {
    case 'dead':
      return 'http://127.0.0.1:9';
    case 'nameless':
      // Too long for a name server to be asked, some of which answer after the first keep-alive.
      return `http://${'nobody'.repeat(11)}.invalid`;
    case 'mute':
      return muteUrl;
    case 'plain':
      return simulatorUrl.replace('http:', 'https:');
    default:
      return simulatorUrl;
  }
}

const account = (() => {
  let text: string | undefined;
  return () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    text ??= JSON.stringify({
      client_email: 'gateway@project.example',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    });
    return text;
  };
})();

export function entryOf(kind: Kind, base: string, tokenUrl: string): Json {
  const api_key = 'upstream-secret-key';
  switch (kind) {
    case 'chat':
      return { protocol: 'openai', base_url: `${base}/v1`, api_key };
    case 'responses':
      return { protocol: 'openai', base_url: `${base}/v1`, api_key, responses: true };
    case 'anthropic':
      return { protocol: 'anthropic', base_url: `${base}/v1`, api_key };
    case 'gemini':
      return { protocol: 'gemini', base_url: `${base}/v1beta`, api_key };
    case 'vertex':
    case 'vertex-claude':
      return {
        ...{ protocol: 'vertex', base_url: base, project: 'project', location: 'global' },
        ...{ credentials: account(), token_url: tokenUrl },
      };
    case 'bedrock':
    case 'bedrock-claude':
      return {
        ...{ protocol: 'bedrock', base_url: base, region: 'us-east-1' },
        ...{ access_key_id: 'AKIDEXAMPLE', secret_access_key: api_key },
      };
    case 'azure':
      return { protocol: 'azure', base_url: base, api_key, api_version: '2024-10-21' };
    case 'cohere':
      return { protocol: 'cohere', base_url: base, api_key };
  }
}

export function providersOf(kinds: readonly Kind[], places: Places): Json {
  const entries = kinds.flatMap((kind) =>
    ROLES.map((role) => {
      const entry = entryOf(kind, addressOf(role, places), places.tokenUrl);
      const timeouts = TIMEOUTS[role];
      return [providerOf(kind, role), timeouts === undefined ? entry : { ...entry, timeouts }];
    }),
  );
  return Object.fromEntries(entries) as Json;
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

export type OtherServers = Readonly<{ tokenUrl: string; muteUrl: string; close(): void }>;

/** One server that gives tokens, and one that accepts connections and never answers, so that no handshake ends. */
export async function startOtherServers(): Promise<OtherServers> {
  const tokens = createHttpServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ access_token: 'upstream-secret-key', expires_in: 3_600, token_type: 'Bearer' }));
  });
  const mute = createServer((socket) => socket.on('error', () => {}));
  const [tokenPort, mutePort] = await Promise.all([listen(tokens), listen(mute)]);
  return {
    tokenUrl: `http://127.0.0.1:${tokenPort}/token`,
    muteUrl: `https://127.0.0.1:${mutePort}`,
    close() {
      tokens.close();
      tokens.closeAllConnections();
      mute.close();
    },
  };
}
