// Which cells there are: all; one for each fault, surface and variant; or a selection in which every form of every
// fault meets every protocol, and every fault meets every surface and variant in turn.

import { type Cell, VARIANTS } from './bed.ts';
import { FAULTS } from './faults.ts';
import { SURFACES } from './surfaces.ts';
import { KINDS, type Kind } from './upstreams.ts';

/** Cells that take seconds of computing are not run in every combination. */
const isTooHeavy = ({ form, variant }: Cell): boolean => form.isHeavy === true && variant !== 'alone';

export function allCells(kinds: readonly Kind[]): readonly Cell[] {
  let number = 0;
  return FAULTS.flatMap((fault) =>
    fault.forms.flatMap((form) =>
      SURFACES.flatMap((surface) =>
        surface.kinds
          .filter((kind) => kinds.includes(kind) && !form.notOver?.includes(kind))
          .filter(() => surface.without?.test(form.commands) !== true)
          .flatMap((kind) =>
            VARIANTS.map((variant) => {
              number += 1;
              return { id: `c${number}`, fault, form, surface, kind, variant };
            }),
          ),
      ),
    ),
  ).filter((cell) => !isTooHeavy(cell));
}

/** A line of a batch that no provider takes yet is tried until the end of its day. */
const waitsForItsDay = ({ form, surface, variant }: Cell): boolean =>
  surface.later === 'batch' && variant !== 'rescued' && form.commands.startsWith('status-429');

/** Every fault on every surface in every variant, its forms and the protocols in turn. */
export function matrixCells(kinds: readonly Kind[]): readonly Cell[] {
  const cells = allCells(kinds).filter((cell) => !waitsForItsDay(cell));
  let turn = 0;
  return FAULTS.flatMap((fault) =>
    SURFACES.flatMap((surface) =>
      VARIANTS.flatMap((variant) => {
        const found = cells.filter(
          (cell) => cell.fault === fault && cell.surface === surface && cell.variant === variant,
        );
        turn += 1;
        // Cells are ordered by form and by kind within each: a step that shares no divisor with either number reaches
        // all.
        return found.length === 0 ? [] : [found[(turn * STEP) % found.length] as Cell];
      }),
    ),
  );
}

const STEP = 31;

const TURNS = ['alone', 'rescued', 'alone', 'gone', 'rescued'] as const;

/** For each form and kind one of the conversations in turn, for each form one of the other surfaces in turn. */
export function someCells(kinds: readonly Kind[]): readonly Cell[] {
  const conversations = SURFACES.filter(({ kinds: spoken }) => spoken === KINDS);
  const others = SURFACES.filter(({ kinds: spoken }) => spoken !== KINDS);
  const cells = allCells(kinds);
  const chosen = new Set<Cell>();
  let turn = 0;
  for (const fault of FAULTS) {
    for (const form of fault.forms) {
      turn += 1;
      const choose = (
        surface: (typeof SURFACES)[number] | undefined,
        kind: Kind,
        variant: Cell['variant'] | undefined,
      ) => {
        const found = cells.find(
          (cell) => cell.form === form && cell.surface === surface && cell.kind === kind && cell.variant === variant,
        );
        if (found !== undefined) chosen.add(found);
      };
      if (form.isHeavy) {
        choose(conversations[1], 'chat', 'alone');
        continue;
      }
      for (const [index, kind] of kinds.entries()) {
        choose(conversations[(turn + index) % conversations.length], kind, TURNS[(turn + index) % TURNS.length]);
      }
      for (const [step, variant] of (['alone', TURNS[turn % TURNS.length]] as const).entries()) {
        const other = others[(turn + step) % others.length];
        const spoken = other?.kinds[turn % (other?.kinds.length ?? 1)];
        if (spoken !== undefined) choose(other, spoken, variant);
      }
    }
  }
  return [...chosen];
}
