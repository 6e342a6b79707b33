// The signature of an upload, compared with the example in the documentation of the service that defined it.

import { expect, test } from 'vitest';
import { signV4 } from './sign-v4.ts';

test('an upload is signed as in the published example', async () => {
  const headers = await signV4(
    {
      method: 'PUT',
      url: 'https://examplebucket.s3.amazonaws.com/test%24file.text',
      body: Buffer.from('Welcome to Amazon S3.'),
      headers: {
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
      nowMs: Date.UTC(2013, 4, 24),
    },
    { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
    { region: 'us-east-1', service: 's3' },
  );
  const authorization = headers[headers.indexOf('authorization') + 1];
  expect(authorization).toContain('Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd');
});
