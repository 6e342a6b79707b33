// A thread that matches the regular expressions which people write. They run on RE2's algorithm, whose time grows with
// the text and never explodes, but that can still be long; whoever asks ends the thread when it takes too long. It is a
// plain script because it must start from the same file whether the gateway runs from its sources or from what is
// built.

import { parentPort } from 'node:worker_threads';
import { RE2JS, RE2Set } from 're2js';

const PATTERNS_MAX = 500;
const SETS_MAX = 16;
const SET_BYTES_MAX = 2_097_152;
/** With fewer patterns, asking each by itself is faster: most have a letter or word that is looked for first. */
const SET_SIZE_MIN = 5;
/** Beyond this the answer would be larger than what was asked about, and counts as none. */
const MATCHES_MAX = 100_000;

const patterns = new Map();
const sets = new Map();

function kept(map, key, most, make) {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (map.size >= most) map.delete(map.keys().next().value);
  map.set(key, made);
  return made;
}

const patternOf = (source) => kept(patterns, source, PATTERNS_MAX, () => RE2JS.compile(source));

function setOf(sources) {
  return kept(sets, JSON.stringify(sources), SETS_MAX, () => {
    const set = new RE2Set(RE2Set.UNANCHORED, 0, SET_BYTES_MAX);
    for (const source of sources) set.add(source);
    set.compile();
    return set;
  });
}

function matchingIn(sources, text) {
  if (sources.length >= SET_SIZE_MIN) return setOf(sources).match(text);
  return [...sources.keys()].filter((index) => patternOf(sources[index]).test(text));
}

function match({ sources, texts, needsPlaces }) {
  const found = [];
  for (const [text, content] of texts.entries()) {
    for (const index of matchingIn(sources, content)) {
      if (!needsPlaces[index]) {
        found.push(index, text, 0, content.length);
        continue;
      }
      const matcher = patternOf(sources[index]).matcher(content);
      while (matcher.find()) {
        if (matcher.end() > matcher.start()) found.push(index, text, matcher.start(), matcher.end());
        if (found.length > 4 * MATCHES_MAX) throw new Error('there are too many matches');
      }
    }
  }
  return { found };
}

function check({ source }) {
  try {
    const pattern = RE2JS.compile(source);
    return { problem: null, programSize: pattern.programSize(), matchesNothing: pattern.test('') };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error), programSize: 0, matchesNothing: false };
  }
}

const works = { match, check };

parentPort?.on('message', ({ id, kind, ...work }) => {
  try {
    parentPort?.postMessage({ id, ...works[kind](work) });
  } catch (error) {
    parentPort?.postMessage({ id, failure: error instanceof Error ? error.message : String(error) });
  }
});
parentPort?.postMessage({ isReady: true });
