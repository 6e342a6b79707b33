// Runs the commands of the document as a reader would: in a shell, with the variables that they name, in a folder with
// the files they send.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePng } from '@tollgate/simulator';
import { filledPath } from '../../src/endpoints/docs/curl-example.ts';
import type { OpenApiDocument } from '../../src/endpoints/docs/openapi.ts';
import type { RouteRow } from '../../src/http/exchange.ts';
import { recording } from '../audio/audio-harness.ts';
import type { Row } from '../authorization/row.ts';
import { table } from '../authorization/table.ts';
import { customer, PASSWORD, person, type World } from '../authorization/world.ts';
import { ADMIN_TOKEN } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';

type Variables = Readonly<Record<string, string>>;
export type Ran = Readonly<{ status: number; contentType: string; text: string; complaint: string }>;

const token = (headers: Record<string, string>): string => headers.Authorization?.replace('Bearer ', '') ?? '';

export class CurlBed {
  readonly #world: World;
  readonly #document: OpenApiDocument;
  readonly #folder: string;
  /** Variables for routes whose row in the table has nothing that would succeed. */
  readonly #things: Readonly<Record<string, Variables>>;
  /** Null for a guest, who exists for one command. */
  #signedIn: string | null = null;

  constructor(parts: { world: World; document: OpenApiDocument; folder: string; things: Record<string, Variables> }) {
    this.#world = parts.world;
    this.#document = parts.document;
    this.#folder = parts.folder;
    this.#things = parts.things;
  }

  static async open(parts: {
    world: World;
    document: OpenApiDocument;
    things: Record<string, Variables>;
  }): Promise<CurlBed> {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-curl-'));
    const config = await parts.world.harness.operate('GET', '/admin/v1/config');
    await writeFile(join(folder, 'recording.wav'), recording());
    await writeFile(join(folder, 'calls.jsonl'), '{}\n');
    await writeFile(join(folder, 'cat.png'), makePng(7, '8x8', 0));
    await writeFile(join(folder, 'config.json'), JSON.stringify(config));
    return new CurlBed({ ...parts, folder });
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  async run(row: RouteRow): Promise<Ran> {
    const name = `${row.method} ${row.path}`;
    const expected = table[name];
    if (row.access === 'session') await this.#signIn(expected?.as === undefined ? this.#world.ann.email : null);
    else if (this.usesCookies(row)) this.#signedIn = null;
    const variables = { ...(await this.#variables(row, expected)), ...this.#things[name] };
    return this.#shell(this.#sourceOf(row), variables);
  }

  /** Its command sends the file with the cookie of whoever has signed in, or writes it. */
  usesCookies(row: RouteRow): boolean {
    return row.access === 'session' || this.#sourceOf(row).includes('cookies.txt');
  }

  /** With the document's own command, which leaves the cookie in the file that the others send. */
  async #signIn(email: string | null): Promise<void> {
    if (email !== null && email === this.#signedIn) return;
    this.#signedIn = email;
    const login = { method: 'POST', path: '/api/auth/login' } as RouteRow;
    const EMAIL = email ?? (await customer(this.#world.harness, 'guest')).email;
    const { status, text } = await this.#shell(this.#sourceOf(login), { EMAIL, PASSWORD });
    if (status !== 200) throw new Error(`nobody could sign in: ${status} ${text}`);
  }

  #sourceOf({ method, path }: RouteRow): string {
    const written = path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}');
    return this.#document.paths[written]?.[method.toLowerCase()]?.['x-codeSamples'][0]?.source ?? 'false';
  }

  async #variables(row: RouteRow, expected: Row | undefined): Promise<Variables> {
    const { harness, ann, headers, annsGenerationId } = this.#world;
    const params = (await expected?.params?.(this.#world)) ?? {};
    const names = [...row.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    const filled = [...filledPath(row.path).matchAll(/\$([A-Z_]+)/g)].map(([, name = '']) => name);
    const isOwn = expected?.profile.managementOwn === 'in';
    return {
      TOLLGATE_API_KEY: token(headers.standardOwn),
      TOLLGATE_MANAGEMENT_KEY: token(isOwn ? headers.managementOwn : headers.orgAdmin),
      TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      TOLLGATE_SCIM_TOKEN: token(headers.directory),
      EMAIL: ann.email,
      PASSWORD,
      NEW_PASSWORD: 'another long password',
      USER_ID: ann.userId,
      MEMBER_EMAIL: row.path.endsWith('/members') ? (await person(harness, 'new')).email : '',
      GENERATION_ID: annsGenerationId,
      UPSTREAM_URL: `${harness.simulator.url}/v1`,
      UPSTREAM_KEY: 'sk-upstream',
      TOKEN_OF_THE_MAIL: 'unknown',
      FILE_ID: 'unknown',
      CODE: 'unknown',
      CREDENTIAL: 'AAAA',
      CLIENT_SECRET: 'secret',
      CODE_VERIFIER: 'v'.repeat(43),
      INSTITUTION_KEY: 'sk-edu-unknown',
      ...Object.fromEntries(filled.map((variable, index) => [variable, params[names[index] ?? ''] ?? ''])),
    };
  }

  #shell(source: string, variables: Variables): Promise<Ran> {
    const script = `${source} -s -w '\\n%{http_code} %{content_type}'`;
    const env = { PATH: process.env.PATH, ...variables };
    const options = { cwd: this.#folder, env, timeout: PATIENCE_MS, maxBuffer: 16 * 1024 * 1024 };
    return new Promise((resolve) => {
      execFile('sh', ['-euc', script], options, (_error, output, complaint) => {
        const end = output.lastIndexOf('\n');
        const [status, ...contentType] = output.slice(end + 1).split(' ');
        resolve({
          status: Number(status),
          contentType: contentType.join(' '),
          text: output.slice(0, Math.max(end, 0)),
          complaint,
        });
      });
    });
  }
}
