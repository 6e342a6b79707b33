// The whole config document as text. What is no JSON is told while it is typed; what the gateway refuses, on applying.

import { useState } from 'react';
import type { ConfigDocument } from '../../../api/operator/config.ts';
import { Button } from '../../../ui/button.tsx';
import { AreaField } from '../../../ui/field.tsx';
import { readText, textOfDocument } from './document-text.ts';

type DocumentEditorProps = Readonly<{ live: ConfigDocument; onReview: (document: unknown) => void }>;

export function DocumentEditor({ live, onReview }: DocumentEditorProps) {
  const [text, setText] = useState<string | null>(null);
  const liveText = textOfDocument(live);
  const shown = text ?? liveText;
  const { document, problem } = readText(shown);
  return (
    <div className="grid gap-3">
      <AreaField
        label="Config document"
        rows={24}
        spellCheck={false}
        className="font-mono text-xs"
        value={shown}
        error={problem}
        hint="Keys of providers are masked; a mask that is left as it is keeps the stored key."
        onChange={(event) => setText(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          kind="primary"
          disabled={problem !== null || shown === liveText}
          onClick={() => document !== null && onReview(document)}
        >
          Review the change
        </Button>
        <Button disabled={text === null} onClick={() => setText(null)}>
          Discard
        </Button>
      </div>
    </div>
  );
}
