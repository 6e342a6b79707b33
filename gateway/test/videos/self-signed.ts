// A certificate for a server of a test, made when it is needed, so that no key is kept anywhere and none runs out.

import { generateKeyPairSync, sign } from 'node:crypto';

export type SelfSigned = Readonly<{ key: string; cert: string }>;

function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...contents: readonly Buffer[]): Buffer => element(0x30, ...contents);
const bytes = (...values: readonly number[]): Buffer => Buffer.from(values);

/** ecdsa-with-SHA256, and the names of the two fields that are used. */
const ALGORITHM = sequence(element(0x06, bytes(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)));
const COMMON_NAME = element(0x06, bytes(0x55, 0x04, 0x03));
const ALTERNATIVE_NAMES = element(0x06, bytes(0x55, 0x1d, 0x11));

/** For a name, and for an address. */
export function selfSigned(hostName: string, address: string): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = sequence(element(0x31, sequence(COMMON_NAME, element(0x0c, Buffer.from(hostName)))));
  const places = [element(0x82, Buffer.from(hostName)), element(0x87, Buffer.from(address.split('.').map(Number)))];
  const names = sequence(ALTERNATIVE_NAMES, element(0x04, sequence(...places)));
  const certificate = sequence(
    element(0xa0, element(0x02, bytes(2))),
    element(0x02, bytes(1)),
    ALGORITHM,
    name,
    sequence(element(0x17, Buffer.from('200101000000Z')), element(0x17, Buffer.from('491231235959Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(names)),
  );
  const signature = element(0x03, bytes(0), sign('sha256', certificate, privateKey));
  const der = sequence(certificate, ALGORITHM, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der.replace(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`,
  };
}
