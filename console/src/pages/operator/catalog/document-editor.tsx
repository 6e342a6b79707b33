// The whole config document as text, JSON or YAML. Syntax errors are shown while typing; what the gateway refuses is
// shown on applying.

import { useState } from 'react';
import type { ConfigDocument } from '../../../api/operator/config.ts';
import { Button } from '../../../ui/button.tsx';
import { AreaField } from '../../../ui/field.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { Segments } from '../../../ui/segments.tsx';
import { useMay } from '../role.tsx';
import { type DocumentFormat, readText, textOfDocument } from './document-text.ts';
import { keepDraft, useDraft } from './draft.ts';

type DocumentEditorProps = Readonly<{ live: ConfigDocument; onReview: () => void }>;

const FORMATS = [
  ['json', 'JSON'],
  ['yaml', 'YAML'],
] as const;

export function DocumentEditor({ live, onReview }: DocumentEditorProps) {
  const [format, setFormat] = useState<DocumentFormat>('json');
  const draft = useDraft();
  const shown = draft?.text ?? textOfDocument(draft?.document ?? live, format);
  const { problem } = readText(shown);
  const mayChange = useMay('owner');
  const type = (text: string): void => {
    const { document } = readText(text);
    const kept = document ?? draft?.document ?? live;
    keepDraft({ base: draft?.base ?? live, document: kept as ConfigDocument, text });
  };
  const change = (chosen: DocumentFormat): void => {
    setFormat(chosen);
    if (draft !== null && problem === null) keepDraft({ ...draft, text: null });
  };
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Segments label="Format" options={FORMATS} value={format} onChange={change} />
        <Button isSmall onClick={() => saveFile(`tollgate.${format}`, textOfDocument(live, format))}>
          Download what is live
        </Button>
      </div>
      <AreaField
        label="Config document"
        rows={24}
        spellCheck={false}
        className="font-mono text-xs"
        value={shown}
        error={problem}
        hint="Keys of providers are masked; a mask that is left as it is keeps the stored key."
        readOnly={!mayChange}
        onChange={(event) => type(event.target.value)}
      />
      {mayChange && (
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" disabled={problem !== null || draft === null} onClick={onReview}>
            Review the change
          </Button>
          <Button disabled={draft === null} onClick={() => keepDraft(null)}>
            Discard
          </Button>
        </div>
      )}
    </div>
  );
}
