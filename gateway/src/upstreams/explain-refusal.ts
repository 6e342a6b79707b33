// Why a vendor refused, explained to the operator who has just typed its key: key, quota, region, model or the vendor
// itself. The vendor's own text is read and never repeated, because it may quote what it was sent.

type RefusalReason = 'key' | 'network' | 'region' | 'quota' | 'model' | 'request' | 'vendor';

export type Refusal = Readonly<{ reason: RefusalReason; message: string; status: number | null }>;

const REGION =
  /unsupported_country|country, region|region is not|location is not supported|not available in your (?:country|region)/i;
const QUOTA =
  /insufficient_quota|insufficient balance|credit balance|billing|payment required|quota exceeded|out of credits/i;
const KEY = /invalid[_ ]api[_ ]key|incorrect api key|api key not valid|api_key_invalid|authentication/i;
const MODEL = /model_not_found|model not found|does not exist|unknown model|not a valid model/i;
const SEARCHED_BYTES_MAX = 16_384;

export function explainRefusal(status: number, body: Buffer): Refusal {
  const text = body.subarray(0, SEARCHED_BYTES_MAX).toString('utf8');
  const because = (reason: RefusalReason, message: string): Refusal => ({ reason, message, status });
  if (REGION.test(text)) return because('region', `The vendor does not serve this region (${status}).`);
  if (status === 402 || QUOTA.test(text)) {
    return because('quota', `The key works, but its account has no quota or credit left (${status}).`);
  }
  if (status === 401 || status === 403 || KEY.test(text)) {
    return because(
      'key',
      `The vendor refused the key (${status}). Check that it is whole, active and for this address.`,
    );
  }
  if (status === 429) return because('quota', `The vendor limits the rate of this key (429). Try again in a minute.`);
  if (MODEL.test(text)) return because('model', `The vendor does not know the model (${status}).`);
  if (status === 404) return because('request', `There is nothing at this address (404). Check the base URL.`);
  if (status >= 500) return because('vendor', `The vendor failed to answer (${status}). Try again later.`);
  return because('request', `The vendor refused the request (${status}).`);
}

export const unreachableRefusal = (baseUrl: string, isTimeout: boolean): Refusal => ({
  reason: 'network',
  message: isTimeout
    ? `${originOf(baseUrl)} did not answer in time. Check the network and the address.`
    : `${originOf(baseUrl)} cannot be reached. Check the network, the address and its name.`,
  status: null,
});

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'The address');
