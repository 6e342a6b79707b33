// How the memory for large answers is shared.

import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { HttpResponse } from '../http/exchange.ts';
import { TakenRoom } from '../platform/memory-room.ts';
import { noRoom } from '../upstreams/failure.ts';
import { AnswerRoom, takeUntilClosed } from './answer-room.ts';
import { lostIn } from './money/lost-work.ts';

test('an owner has as much as it leaves to the others, and there is some for whoever comes next', () => {
  const room = new AnswerRoom(120);
  expect(room.take('first', 61)).toBe(false);
  expect(room.take('first', 60)).toBe(true);
  expect(room.take('first', 1)).toBe(false);
  expect(room.take('second', 30)).toBe(true);
  expect(room.take('second', 1)).toBe(false);
  expect(room.take('third', 15)).toBe(true);
  expect(room.heldBytes).toBe(105);
  room.giveBack('first', 60);
  expect(room.take('second', 20)).toBe(true);
  room.giveBack('second', 50);
  room.giveBack('third', 15);
  expect(room.heldBytes).toBe(0);
  expect(room.take('second', 60)).toBe(true);
});

test('an answer whose client left before it was there takes nothing, and one takes room until its client has it', () => {
  const MIB = 1024 * 1024;
  const room = new AnswerRoom(120 * MIB);
  const response = (destroyed: boolean): HttpResponse & EventEmitter =>
    Object.assign(new EventEmitter(), { destroyed }) as unknown as HttpResponse & EventEmitter;
  takeUntilClosed(room, 'first', 20 * MIB, response(true));
  expect(room.heldBytes).toBe(0);
  const open = response(false);
  takeUntilClosed(room, 'first', 20 * MIB, open);
  expect(room.heldBytes).toBe(20 * MIB);
  open.emit('close');
  expect(room.heldBytes).toBe(0);
});

test('what an answer costs that finds no room counts whole where its own account fills it, and a tenth where others do', () => {
  const MIB = 1024 * 1024;
  const room = new AnswerRoom(120 * MIB);
  const reasonFor = (owner: string, megabytes: number): string | undefined => {
    const taken = new TakenRoom(room, owner);
    expect(taken.cover(megabytes * MIB)).toBe(false);
    const call = { request: { promptTokensEstimate: 10, unitsMax: {} } as CanonicalRequest };
    return lostIn(call, [noRoom(taken.isCrowdedOut)])?.reason;
  };
  expect(room.take('first', 60 * MIB)).toBe(true);
  expect(reasonFor('first', 20)).toBe('oversize');
  expect(room.take('second', 30 * MIB)).toBe(true);
  expect(reasonFor('second', 10)).toBe('oversize');
  expect(reasonFor('third', 20)).toBe('interrupted');
  expect(room.heldBytes).toBe(90 * MIB);
});
