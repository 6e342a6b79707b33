// Second factors: showing one when signing in, and managing one's own. The data that a passkey signs passes unchanged
// between the gateway and the browser.

import { queryOptions } from '@tanstack/react-query';
import type {
  FactorChangedAnswer,
  FactorsAnswer,
  PasskeyOptionsAnswer,
  PasswordProofBody,
  RecoveryCodesAnswer,
  TotpSecretAnswer,
} from '../../../gateway/src/contract/factors.ts';
import { request } from './request.ts';
import type { Session } from './session.ts';

export type TotpSecret = TotpSecretAnswer;
export type Passkey = FactorsAnswer['passkeys'][number];

export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: () => request<FactorsAnswer>('GET', '/api/auth/factors'),
});

export const showCode = (code: string) => request<Session>('POST', '/api/auth/second-factor', { body: { code } });

export async function showPasskey(): Promise<Session> {
  const { options } = await request<PasskeyOptionsAnswer>('POST', '/api/auth/second-factor/passkey', { body: {} });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const passkey = asJson(await navigator.credentials.get({ publicKey }));
  return request<Session>('POST', '/api/auth/second-factor', { body: { passkey } });
}

export type Proof = PasswordProofBody;

export async function addPasskey(proof: Proof, name: string): Promise<FactorChangedAnswer> {
  const path = '/api/auth/factors/passkeys';
  const { options } = await request<PasskeyOptionsAnswer>('POST', `${path}/options`, { body: proof });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const passkey = asJson(await navigator.credentials.create({ publicKey }));
  return request<FactorChangedAnswer>('POST', path, { body: { name, passkey } });
}

export const removePasskey = (proof: Proof, id: string) =>
  request<FactorChangedAnswer>('POST', `/api/auth/factors/passkeys/${encodeURIComponent(id)}/remove`, { body: proof });

export const beginTotp = (proof: Proof) => request<TotpSecret>('POST', '/api/auth/factors/totp', { body: proof });

export const confirmTotp = (code: string) =>
  request<FactorChangedAnswer>('POST', '/api/auth/factors/totp/confirm', { body: { code } });

export const removeTotp = (proof: Proof) =>
  request<FactorChangedAnswer>('POST', '/api/auth/factors/totp/remove', { body: proof });

export const renewRecoveryCodes = (proof: Proof) =>
  request<RecoveryCodesAnswer>('POST', '/api/auth/factors/recovery-codes', { body: proof });

function asJson(credential: Credential | null): unknown {
  if (credential instanceof PublicKeyCredential) return credential.toJSON();
  throw new Error('The browser gave no passkey.');
}
