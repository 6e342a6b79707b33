// What processes have used, from /proc: CPU time with all their threads, and memory. Ratios are made of CPU time,
// because unlike elapsed time it hardly changes when something else runs on the machine.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const pageBytes = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));

/** The fields after the program's name, which may itself contain spaces and parentheses. */
function statFields(pid: number): readonly string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

const PARENT = 1;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const ENDED_CHILDREN_USER_TICKS = 13;
const ENDED_CHILDREN_SYSTEM_TICKS = 14;
const RESIDENT_PAGES = 21;

export const cpuSeconds = (pids: readonly number[]): number => sumSeconds(pids, [USER_TICKS, SYSTEM_TICKS]);

/** For a database, whose connections are processes that may end while it is measured. */
export const cpuSecondsWithEnded = (pids: readonly number[]): number =>
  sumSeconds(pids, [USER_TICKS, SYSTEM_TICKS, ENDED_CHILDREN_USER_TICKS, ENDED_CHILDREN_SYSTEM_TICKS]);

function sumSeconds(pids: readonly number[], indexes: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const fields = statFields(pid);
    for (const index of indexes) ticks += Number(fields?.[index] ?? 0);
  }
  return ticks / ticksPerSecond;
}

export function residentBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + Number(statFields(pid)?.[RESIDENT_PAGES] ?? 0) * pageBytes, 0);
}

export const parentOf = (pid: number): number => Number(statFields(pid)?.[PARENT]);

/** A process and all its descendants. */
export function processTree(root: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = statFields(Number(name))?.[PARENT];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const tree = [root];
  for (const pid of tree) {
    for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  }
  return tree;
}
