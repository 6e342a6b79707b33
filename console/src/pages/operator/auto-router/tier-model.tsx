// One model of a tier, with its handles.

import { ArrowDown, ArrowUp, GripVertical, X } from 'lucide-react';
import type { DragEvent } from 'react';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';

type TierModelProps = Readonly<{
  model: string;
  isDragged: boolean;
  /** Without its handles. */
  isFixed: boolean;
  onUp: (() => void) | null;
  onDown: (() => void) | null;
  onRemove: () => void;
  onDragStart: () => void;
  onDrop: (event: DragEvent) => void;
}>;

export function TierModel(props: TierModelProps) {
  const { model, isDragged, isFixed, onUp, onDown, onRemove, onDragStart, onDrop } = props;
  if (isFixed) return <li className="rounded-lg border border-line px-2 py-1 text-sm wrap-anywhere">{model}</li>;
  return (
    <li
      draggable
      onDragStart={onDragStart}
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
      className={classNames(
        'flex items-center gap-1 rounded-lg border border-line px-2 py-1',
        isDragged && 'bg-accent-soft',
      )}
    >
      <GripVertical size={15} aria-hidden="true" className="shrink-0 cursor-grab text-quiet" />
      <span className="min-w-0 flex-1 text-sm wrap-anywhere">{model}</span>
      <Button kind="ghost" isSmall aria-label={`Move ${model} up`} disabled={onUp === null} onClick={() => onUp?.()}>
        <ArrowUp size={15} aria-hidden="true" />
      </Button>
      <Button
        kind="ghost"
        isSmall
        aria-label={`Move ${model} down`}
        disabled={onDown === null}
        onClick={() => onDown?.()}
      >
        <ArrowDown size={15} aria-hidden="true" />
      </Button>
      <Button kind="ghost" isSmall aria-label={`Remove ${model}`} onClick={onRemove}>
        <X size={15} aria-hidden="true" />
      </Button>
    </li>
  );
}
