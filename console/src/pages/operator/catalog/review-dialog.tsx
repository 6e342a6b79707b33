// What a change to the config will do, line by line, before it is applied; and why it was refused, problem by problem.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { applyConfig, type ConfigDocument, configQuery } from '../../../api/operator/config.ts';
import { describeProblem } from '../../../api/problem.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { useToast } from '../../../ui/toast.tsx';
import { priceText } from '../../models/price-text.ts';
import { isSlip, problemsOf, textOfDocument } from './document-text.ts';
import { type DiffLine, lineDiff } from './line-diff.ts';
import { changeShare, type PriceChange, priceChanges, priceName } from './price-changes.ts';

type ReviewDialogProps = Readonly<{
  live: ConfigDocument;
  /** Null while there is nothing to review. */
  edited: unknown;
  onClose: () => void;
  onApplied: () => void;
}>;

export function ReviewDialog({ live, edited, onClose, onApplied }: ReviewDialogProps) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const applying = useMutation({
    mutationFn: (isConfirmed: boolean) => applyConfig(live, edited, isConfirmed),
    onSuccess: ({ config, changes }) => {
      queryClient.setQueryData(configQuery.queryKey, config);
      // The public catalog has changed with it.
      void queryClient.invalidateQueries({ queryKey: ['models'] });
      toast(changes.length === 0 ? 'Nothing has changed.' : 'The change is applied.');
      onApplied();
      onClose();
    },
  });
  const close = (): void => {
    applying.reset();
    onClose();
  };
  return (
    <Dialog title="Review the change" isOpen={edited !== null} onClose={close}>
      {edited !== null && (
        <>
          <PricePreview changes={priceChanges(live, edited)} />
          <Difference lines={lineDiff(textOfDocument(live), textOfDocument(edited))} />
        </>
      )}
      {applying.error !== null && <Problems error={applying.error} />}
      <footer className="flex justify-end gap-2">
        <Button onClick={close}>Back</Button>
        {isSlip(applying.error) && (
          <Button kind="danger" isBusy={applying.isPending} onClick={() => applying.mutate(true)}>
            These prices are correct
          </Button>
        )}
        <Button kind="primary" isBusy={applying.isPending} onClick={() => applying.mutate(false)}>
          Apply
        </Button>
      </footer>
    </Dialog>
  );
}

const SHOWN_MAX = 6;

function PricePreview({ changes }: Readonly<{ changes: readonly PriceChange[] }>) {
  if (changes.length === 0) return <p className="text-sm text-quiet">No price changes.</p>;
  return (
    <ul aria-label="Prices that change" className="grid gap-1.5 text-sm">
      {changes.slice(0, SHOWN_MAX).map((change) => (
        <li key={`${change.model} ${change.price}`} className="flex flex-wrap justify-between gap-x-4">
          <span className="text-quiet">
            {change.model}, {priceName(change.price)}
          </span>
          <span className="font-medium tabular-nums">
            {change.before === null ? 'no price' : priceText(change.before)} →{' '}
            {change.after === null ? 'no price' : priceText(change.after)} {changeShare(change)}
          </span>
        </li>
      ))}
      {changes.length > SHOWN_MAX && <li className="text-quiet">and {changes.length - SHOWN_MAX} more</li>}
    </ul>
  );
}

const LINE_STYLES: Readonly<Record<DiffLine['kind'], readonly [sign: string, style: string]>> = {
  same: [' ', ''],
  added: ['+', 'bg-good-soft text-good'],
  removed: ['-', 'bg-bad-soft text-bad'],
  gap: [' ', 'text-quiet'],
};

function Difference({ lines }: Readonly<{ lines: readonly DiffLine[] }>) {
  return (
    <section
      aria-label="The difference"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region takes the focus.
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-lg border border-line bg-surface"
    >
      <pre className="w-max min-w-full py-2 font-mono text-xs leading-relaxed">
        {lines.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place.
          <div key={index} className={classNames('px-3', LINE_STYLES[kind][1])}>
            {`${LINE_STYLES[kind][0]} ${text}`}
          </div>
        ))}
      </pre>
    </section>
  );
}

function Problems({ error }: Readonly<{ error: Error }>) {
  return (
    <div role="alert" className="rounded-lg bg-bad-soft px-4 py-3 text-sm text-bad">
      <p className="font-medium">It was not applied:</p>
      <ul className="mt-1 list-disc pl-5 break-words">
        {problemsOf(describeProblem(error)).map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </div>
  );
}
