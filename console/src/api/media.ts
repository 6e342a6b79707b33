// Calls that answer with pictures or sound. The results are shown from addresses of this site or of the page.

import { PLAYGROUND_APP } from './playground-key.ts';
import { send } from './request.ts';

export type MediaCall = Readonly<{ key: string; body: Record<string, unknown>; signal: AbortSignal }>;

export type MediaAnswer = Readonly<{
  generationId: string | null;
  /** Null where the answer does not say; the record of the call does. */
  costUsd: number | null;
  /** Where the browser finds each picture, or the sound. */
  urls: readonly string[];
}>;

type ImagesBody = Readonly<{
  data: readonly Readonly<{ url?: string; b64_json?: string; media_type?: string }>[];
  usage?: Readonly<{ cost?: number }>;
}>;

export async function createImages({ key, body, signal }: MediaCall): Promise<MediaAnswer> {
  const response = await send('POST', '/v1/images/generations', { token: key, app: PLAYGROUND_APP, body, signal });
  const { data, usage } = (await response.json()) as ImagesBody;
  const urls = data.flatMap(({ url, b64_json: bytes, media_type: type = 'image/png' }) =>
    url !== undefined ? [ownAddress(url)] : bytes !== undefined ? [`data:${type};base64,${bytes}`] : [],
  );
  return { generationId: generationOf(response), costUsd: usage?.cost ?? null, urls };
}

/** The sound stays in the page's memory until its address is revoked. */
export async function createSpeech({ key, body, signal }: MediaCall): Promise<MediaAnswer> {
  const response = await send('POST', '/v1/audio/speech', { token: key, app: PLAYGROUND_APP, body, signal });
  const url = URL.createObjectURL(await response.blob());
  return { generationId: generationOf(response), costUsd: null, urls: [url] };
}

const generationOf = (response: Response): string | null => response.headers.get('x-generation-id');

/** The gateway's own address may differ from the one in the browser, and the page may load only from its own origin. */
function ownAddress(url: string): string {
  const { pathname, search } = new URL(url, location.origin);
  return pathname.startsWith('/v1/images/') ? pathname + search : url;
}
