// Reads secrets from where they are kept: files, Vault, Secrets Manager. A reference names the place,
// `vault:mount/path#member`; messages contain neither the value nor a source's answer.

import { readFile } from 'node:fs/promises';
import { request } from 'undici';
import { signV4 } from './sign-v4.ts';

export type SecretSourceSettings = Readonly<{
  /** Null: it is not configured, and a reference to it is a problem. */
  vault: Readonly<{ address: string; token: string; namespace: string | null }> | null;
  secretsManager: Readonly<{
    endpoint: string;
    region: string;
    accessKeyId: string;
    secretAccessKey: string;
    sessionToken: string | undefined;
  }> | null;
}>;

/** What a reference in braces may be besides the name of a variable. */
export const SOURCE_REFERENCE = /(?:file|vault|aws-sm):[^{}\s,'"[\]]+/;

export class SecretSourceError extends Error {}

type Reader = Readonly<{ text(name: string): string | null }>;

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 1_048_576;
/** A mount, and a path without steps upwards. */
const VAULT_PATH = /^([\w.-]+)\/((?!\.\.?(?:\/|$))[\w.-]+(?:\/(?!\.\.?(?:\/|$))[\w.-]+)*)$/;

/** With the variable names of the sources' own tools. */
export function readSecretSources({ text }: Reader): SecretSourceSettings {
  const address = text('VAULT_ADDR');
  const token = text('VAULT_TOKEN');
  const region = text('AWS_REGION');
  const accessKeyId = text('AWS_ACCESS_KEY_ID');
  const secretAccessKey = text('AWS_SECRET_ACCESS_KEY');
  return {
    vault:
      address === null || token === null
        ? null
        : { address: address.replace(/\/+$/, ''), token, namespace: text('VAULT_NAMESPACE') },
    secretsManager:
      region === null || accessKeyId === null || secretAccessKey === null
        ? null
        : {
            ...{ region, accessKeyId, secretAccessKey, sessionToken: text('AWS_SESSION_TOKEN') ?? undefined },
            endpoint: text('AWS_ENDPOINT_URL_SECRETS_MANAGER') ?? `https://secretsmanager.${region}.amazonaws.com`,
          },
  };
}

/** Throws `SecretSourceError`, whose message names the reference and why it cannot be read. */
export async function readSecret(reference: string, settings: SecretSourceSettings, nowMs: number): Promise<string> {
  const at = reference.indexOf(':');
  const [place = '', member = null] = reference.slice(at + 1).split('#', 2);
  try {
    const secret = await sources[reference.slice(0, at) as keyof typeof sources]({ place, member, settings, nowMs });
    // A file that is just being written, or a secret that was taken away.
    if (secret === '') throw new SecretSourceError('it is empty');
    return secret;
  } catch (error) {
    throw new SecretSourceError(`${reference} cannot be read: ${reasonOf(error)}`);
  }
}

/** A library's message may contain its input, so only its codes are shown. */
function reasonOf(error: unknown): string {
  if (error instanceof SecretSourceError) return error.message;
  return error instanceof Error && 'code' in error ? String(error.code) : 'the answer makes no sense';
}

type Asked = Readonly<{ place: string; member: string | null; settings: SecretSourceSettings; nowMs: number }>;

const sources = {
  file: async ({ place, member }: Asked): Promise<string> => {
    const text = (await readFile(place, 'utf8')).replace(/\r?\n$/, '');
    return member === null ? text : memberOf(JSON.parse(text), member);
  },
  vault: readVault,
  'aws-sm': readSecretsManager,
} as const;

async function readVault({ place, member, settings: { vault } }: Asked): Promise<string> {
  if (vault === null) throw new SecretSourceError('VAULT_ADDR and VAULT_TOKEN are not set');
  const [, mount, path] = VAULT_PATH.exec(place) ?? [];
  if (mount === undefined || member === null) throw new SecretSourceError('it is not of the form mount/path#member');
  const { address, token, namespace } = vault;
  const answer = await ask(`${address}/v1/${mount}/data/${path}`, {
    method: 'GET',
    headers: { 'x-vault-token': token, ...(namespace === null ? {} : { 'x-vault-namespace': namespace }) },
  });
  return memberOf((answer as { data: { data: unknown } }).data.data, member);
}

async function readSecretsManager({ place, member, settings, nowMs }: Asked): Promise<string> {
  const { secretsManager } = settings;
  if (secretsManager === null)
    throw new SecretSourceError('AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set');
  const { endpoint, region } = secretsManager;
  const url = `${endpoint.replace(/\/+$/, '')}/`;
  const body = JSON.stringify({ SecretId: place });
  const own = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' };
  const signed = await signV4({ method: 'POST', url, body, headers: own, nowMs }, secretsManager, {
    region,
    service: 'secretsmanager',
  });
  const headers = Object.fromEntries(
    signed.flatMap((name, index) => (index % 2 === 0 ? [[name, signed[index + 1] ?? '']] : [])),
  );
  const { SecretString: text } = (await ask(url, { method: 'POST', headers: { ...own, ...headers }, body })) as {
    SecretString: unknown;
  };
  if (typeof text !== 'string') throw new SecretSourceError('it holds no text');
  return member === null ? text : memberOf(JSON.parse(text), member);
}

type Call = Readonly<{ method: 'GET' | 'POST'; headers: Record<string, string>; body?: string }>;

/** The operator chose these services, so they are called directly and not through the guarded client. */
async function ask(url: string, call: Call): Promise<unknown> {
  const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) };
  const { statusCode, body } = await request(url, { ...call, ...timeouts });
  let text = '';
  for await (const chunk of body) {
    text += String(chunk);
    if (text.length > ANSWER_BYTES_MAX) throw new SecretSourceError('the answer is too long');
  }
  if (statusCode !== 200) throw new SecretSourceError(`status ${statusCode}`);
  return JSON.parse(text) as unknown;
}

function memberOf(value: unknown, name: string): string {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  const member = isObject ? (value as Record<string, unknown>)[name] : undefined;
  if (typeof member !== 'string') throw new SecretSourceError(`it has no text called ${name}`);
  return member;
}
