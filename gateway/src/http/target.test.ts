// Every reader sees the same path in a target, or the target is refused.

import { describe, expect, test } from 'vitest';
import { matchesLiterally, normalizePath } from './target.ts';

describe('the request target', () => {
  test.each([
    ['/v1/models', '/v1/models'],
    ['/api/v1/models', '/v1/models'],
    ['/v1/v1/messages', '/v1/messages'],
    ['/api/v1/v1/messages', '/v1/messages'],
    ['/api/orgs/org-1', '/api/orgs/org-1'],
    ['/api/hello', '/api/hello'],
    ['/', '/'],
    ['/v1/models/a%2Fb', '/v1/models/a%2Fb'],
    ['/v1/models/a..b', '/v1/models/a..b'],
    ['/v1/models/.hidden', '/v1/models/.hidden'],
  ])('VER-02 %s is read as %s', (raw, path) => {
    expect(normalizePath(raw)).toBe(path);
  });

  test.each([
    'http://host/v1/models',
    '*',
    '',
    'v1/models',
    '//v1/models',
    '/v1//models',
    '/v1/models//',
    '/v1/../admin/v1/users',
    '/v1/..',
    '/v1/./models',
    '/v1/models/.',
    '/v1\\models',
    '/v1/mod\u0000els',
    '/v1/mod els',
    '/v1/modéls',
    '/v1/models#x',
    '/v1/%2e%2e/admin',
    '/v1/%2E',
    '/v1/models/%00',
    '/v1/models/%5c',
    '/v1/models/%zz',
    '/v1/models/%ff',
    '/v1/models/%0d%0a',
  ])('%s is refused, because two readers could take it for different paths', (raw) => {
    expect(normalizePath(raw)).toBeNull();
  });

  test('an encoded letter stands for itself only inside a parameter', () => {
    expect(matchesLiterally('/v1/models/a%2Fb', '/v1/models/:slug')).toBe(true);
    expect(matchesLiterally('/v1/%6dodels/a', '/v1/models/:slug')).toBe(false);
  });
});
