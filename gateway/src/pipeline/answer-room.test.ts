// How the memory for large answers is shared.

import { expect, test } from 'vitest';
import { AnswerRoom } from './answer-room.ts';

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
