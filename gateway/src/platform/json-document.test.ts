// The bytes that go out mean the same as the edited object, and members that were not edited go out byte for byte.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonSource, UNLIMITED } from '../../test/json-source.ts';
import { assert } from './assert.ts';
import { cutEdited, documentOf, exactMember, keyFaultOf, writeEdited } from './json-document.ts';
import { scanJson } from './json-scan.ts';

const written = (text: string, change: (json: Record<string, unknown>) => Record<string, unknown>): string => {
  const source = jsonSource(text);
  return String(writeEdited(source, change(source.json)));
};

test('CHAT-22 untouched members keep their bytes: spelling, order, spaces, large integers and what nobody knows', () => {
  const text =
    '{ "model" : "a", "seed":18446744073709551615 , "temperature": 1.0, "x": {"b":1,\n"a":[1e2, "\\u00e9é\\/"]},"stream":false}';
  expect(written(text, (json) => ({ ...json, model: 'b', stream: undefined, user: 'ü' }))).toBe(
    '{"model":"b", "seed":18446744073709551615 , "temperature": 1.0, "x": {"b":1,\n"a":[1e2, "\\u00e9é\\/"]},"user":"ü"}',
  );
  expect(written(text, (json) => json)).toBe(text);
});

test('members may go from the front, the middle and the end, all of them or none', () => {
  const text = '{"a":1,"b":[2],"c":{"d":","},"e":"}"}';
  const without = (...names: string[]) =>
    written(text, (json) => ({ ...json, ...Object.fromEntries(names.map((name) => [name, undefined])) }));
  expect(without('a')).toBe('{"b":[2],"c":{"d":","},"e":"}"}');
  expect(without('b', 'c')).toBe('{"a":1,"e":"}"}');
  expect(without('e')).toBe('{"a":1,"b":[2],"c":{"d":","}}');
  expect(without('a', 'b', 'c', 'e')).toBe('{}');
  expect(written('{}', () => ({ a: 1 }))).toBe('{"a":1}');
});

test('bytes that another reader may take for something else are written anew', () => {
  expect(written('{"n":1,"n":2,"m":3}', (json) => ({ ...json, m: 4 }))).toBe('{"n":2,"m":4}');
  expect(written('{"b":1,"1":2}', (json) => ({ ...json, b: 3 }))).toBe('{"1":2,"b":3}');
  const broken = Buffer.from([...Buffer.from('{"a":"'), 0xc3, 0x28, ...Buffer.from('","b":1}')]);
  const source = documentOf(JSON.parse(broken.toString()), broken, scanJson(broken, UNLIMITED));
  expect(String(writeEdited(source, { ...source.json, b: 2 }))).toBe('{"a":"\ufffd(","b":2}');
});

const keyFault = (text: string) => keyFaultOf(JSON.parse(text), scanJson(Buffer.from(text), UNLIMITED));

test('a repeated key is seen at any depth, and a bracket or colon in a text is none', () => {
  expect(keyFault('{"messages":[{"content":"bad","content":"good"}]}')).toBe('repeated');
  expect(keyFault('{"messages":[{"content":"bad","c\\u006fntent":"good"}]}')).toBe('repeated');
  expect(keyFault('{"a":{"b":":","c":[{"d":null},{"d":{}}]}}')).toBeNull();
});

test('__proto__ as a key is found in every spelling and beside repeated keys, as text it is harmless', () => {
  expect(keyFault('{"a":[{"__proto__":1}]}')).toBe('prototype');
  expect(keyFault('{"\\u005f_proto__":1}')).toBe('prototype');
  expect(keyFault('{"__pr\\u006fto__":{}}')).toBe('prototype');
  expect(keyFault('{"a":1,"a":{"b":[[{"__proto__":null}]]}}')).toBe('prototype');
  expect(keyFault('{"content":"__proto__"}')).toBeNull();
  expect(keyFault('{"content":"\\u00e9"}')).toBeNull();
});

test('a member is read again with its large integers', () => {
  const source = jsonSource('{"a":1, "b": [9007199254740993] }');
  expect(exactMember(source, 'b')).toEqual([9007199254740993n]);
  expect(exactMember(source, 'c')).toBeUndefined();
});

test('more members than are noted are written anew', () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, index]));
  expect(JSON.parse(written(JSON.stringify(many), (json) => ({ ...json, k7: null })))).toEqual({ ...many, k7: null });
});

const isSame = (value: unknown, json: Record<string, unknown>, name: string): boolean =>
  Object.hasOwn(json, name) && JSON.stringify(value) === JSON.stringify(json[name]);

test('a member with the name of something that every object inherits goes when it is dropped', () => {
  expect(written('{"valueOf":1,"a":2}', ({ valueOf: _dropped, ...others }) => others)).toBe('{"a":2}');
  expect(written('{"a":2}', (json) => ({ ...json, toString: undefined, valueOf: 3 }))).toBe('{"a":2,"valueOf":3}');
});

test('whatever is changed, the text means the changed object', () => {
  const member = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ unit: fc.constantFrom('"', '\\', '{', ',', 'é', '😀') }),
  );
  const change = fc.oneof(fc.constant(undefined), member);
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), member, { maxKeys: 6 }),
      fc.dictionary(fc.string(), change, { maxKeys: 3 }),
      fc.array(fc.nat(5)),
      fc.constantFrom(0, 2),
      (original, added, dropped, indent) => {
        const text = JSON.stringify(original, null, indent);
        const names = Object.keys(original);
        const edited = { ...jsonSource(text).json, ...added };
        for (const index of dropped) if (names[index] !== undefined) edited[names[index]] = undefined;
        const source = jsonSource(text);
        const copy = Object.fromEntries(
          Object.entries(edited).map(([name, value]) => [
            name,
            isSame(value, source.json, name) ? source.json[name] : value,
          ]),
        );
        const whole = String(writeEdited(source, copy));
        expect(JSON.parse(whole)).toEqual(JSON.parse(JSON.stringify(edited)));
        expect(inOnePiece(cutEdited(source, copy))).toBe(whole);
        // A long one is cut, and the bytes are the same.
        const long = jsonSource(text.replace(/^\{/, `{"long":"${'x'.repeat(70_000)}"${names.length > 0 ? ',' : ''}`));
        const longCopy = {
          ...long.json,
          ...Object.fromEntries(Object.entries(copy).filter(([name]) => name !== 'long')),
        };
        const pieces = cutEdited(long, longCopy);
        expect(inOnePiece(pieces)).toBe(String(writeEdited(long, longCopy)));
        expect(long.marks === null || Array.isArray(pieces)).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});

const inOnePiece = (written: ReturnType<typeof cutEdited>): string =>
  Array.isArray(written) ? Buffer.concat(written).toString() : String(written);

test('a long body is sent as parts of the bytes that came', () => {
  const text = 'x'.repeat(70_000);
  const source = jsonSource(`{"model":"a","messages":["${text}"],"user":"b","n":1}`);
  const pieces = cutEdited(source, source.json, { model: 'c', user: undefined, seed: 2 });
  assert(Array.isArray(pieces), 'it is long enough to be cut');
  expect(Buffer.concat(pieces).toString()).toBe(`{"model":"c","messages":["${text}"],"n":1,"seed":2}`);
  expect(pieces.some(({ buffer, length }) => buffer === source.bytes.buffer && length > 70_000)).toBe(true);
});
