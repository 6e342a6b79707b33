// A server that speaks S3, with one bucket, over https. It knows one access key and refuses others; of signatures it checks
// the form alone, so what they are made of is tested beside the signer.

import { createRequire } from 'node:module';
import { selfSigned } from '../videos/self-signed.ts';
import { FEED_ADDRESS, FEED_HOST } from './feed-receiver.ts';

type BucketServer = Readonly<{ run(): Promise<{ port: number }>; close(): Promise<void> }>;

const require = createRequire(import.meta.url);
const Server = require('s3rver') as new (options: object) => BucketServer;

export const KNOWN_KEY = 'S3RVER';

/** Objects are files below the folder. */
export const createBucketServer = (directory: string, bucket: string): BucketServer =>
  new Server({
    ...{ address: FEED_ADDRESS, port: 0, silent: true, directory, vhostBuckets: false },
    ...selfSigned(FEED_HOST, FEED_ADDRESS),
    configureBuckets: [{ name: bucket, configs: [] }],
  });
