// Code to read and to copy.

import { CopyButton } from './copy-button.tsx';

export function CodeBlock({ code, label }: Readonly<{ code: string; label: string }>) {
  return (
    <div className="relative rounded-lg border border-line bg-sunken">
      <div className="absolute top-2 right-2">
        <CopyButton text={code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region takes the focus. */}
      <section aria-label={label} tabIndex={0} className="overflow-x-auto p-4 pt-12 sm:pt-4 sm:pr-24">
        <pre className="font-mono text-xs leading-relaxed">
          <code>{code}</code>
        </pre>
      </section>
    </div>
  );
}
