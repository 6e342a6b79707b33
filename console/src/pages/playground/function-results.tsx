// What the functions give that a model asked for, typed by hand, so that the conversation can go on.

import { type FormEvent, useState } from 'react';
import type { CalledFunction } from '../../api/chat-stream.ts';
import { Button } from '../../ui/button.tsx';
import { AreaField } from '../../ui/field.tsx';
import type { FunctionResult } from './conversation.ts';

type FunctionResultsProps = Readonly<{
  calls: readonly CalledFunction[];
  onResults: (results: readonly FunctionResult[]) => void;
}>;

export function FunctionResults({ calls, onResults }: FunctionResultsProps) {
  const [texts, setTexts] = useState<readonly string[]>(() => calls.map(() => ''));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onResults(calls.map(({ id }, index) => ({ callId: id, text: texts[index] ?? '' })));
  };
  return (
    <form onSubmit={submit} className="grid gap-3">
      {calls.map(({ id, name }, index) => (
        <AreaField
          key={id}
          label={`What ${name} gives`}
          rows={2}
          required
          value={texts[index] ?? ''}
          onChange={(event) => setTexts(texts.with(index, event.target.value))}
        />
      ))}
      <div>
        <Button type="submit" isSmall>
          Answer the model
        </Button>
      </div>
    </form>
  );
}
