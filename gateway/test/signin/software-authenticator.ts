// An authenticator in software: it answers what a browser is asked for when a passkey is added, without attestation.

import { createHash, generateKeyPairSync } from 'node:crypto';
import { cose, isoCBOR } from '@simplewebauthn/server/helpers';

const PRESENT_WITH_CREDENTIAL = 0b0100_0001;

const encoded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

function coseKey(): Uint8Array {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  return isoCBOR.encode(
    new Map<number, number | Uint8Array>([
      [cose.COSEKEYS.kty, cose.COSEKTY.EC2],
      [cose.COSEKEYS.alg, cose.COSEALG.ES256],
      [cose.COSEKEYS.crv, cose.COSECRV.P256],
      [cose.COSEKEYS.x, new Uint8Array(Buffer.from(x, 'base64url'))],
      [cose.COSEKEYS.y, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]),
  );
}

function authenticatorData(host: string, credentialId: Uint8Array): Uint8Array {
  const head = Buffer.alloc(5);
  head.writeUInt8(PRESENT_WITH_CREDENTIAL, 0);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(credentialId.length);
  const host32 = createHash('sha256').update(host).digest();
  return new Uint8Array(Buffer.concat([host32, head, Buffer.alloc(16), length, credentialId, coseKey()]));
}

type Asked = Readonly<{ challenge: string; origin: string; credentialId: Uint8Array; response?: object }>;

/** The credential as a browser writes it, with further members of its response. */
export function newCredential({ challenge, origin, credentialId, response = {} }: Asked) {
  const attestation = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authenticatorData(new URL(origin).hostname, credentialId)],
  ]);
  const clientData = JSON.stringify({ type: 'webauthn.create', challenge, origin });
  const id = encoded(credentialId);
  return {
    id,
    rawId: id,
    type: 'public-key',
    response: {
      clientDataJSON: encoded(Buffer.from(clientData)),
      attestationObject: encoded(isoCBOR.encode(attestation as Parameters<typeof isoCBOR.encode>[0])),
      ...response,
    },
  };
}
