// What a change of the config adds, alters and takes away, as the gateway tells it line by line.

import { classNames } from '../../ui/class-names.ts';

const STYLES: Readonly<Record<string, string>> = { '+': 'bg-good-soft text-good', '-': 'bg-bad-soft text-bad' };

export function ChangeLines({ lines }: Readonly<{ lines: readonly string[] }>) {
  return (
    <section
      aria-label="The difference"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region takes the focus.
      tabIndex={0}
      className="max-h-72 overflow-auto rounded-lg border border-line bg-surface"
    >
      <pre className="w-max min-w-full py-2 font-mono text-xs leading-relaxed">
        {lines.map((line) => (
          <div key={line} className={classNames('px-3', STYLES[line[0] ?? ''])}>
            {line}
          </div>
        ))}
      </pre>
    </section>
  );
}
