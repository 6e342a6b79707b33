// The playground's board: the models, the question with its settings, and a column of answers for each model.

import { Plus, Send, Square } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import type { Model } from '../../api/models.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { AreaField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { AnswerColumn } from './answer-column.tsx';
import { bodyOf, NO_SETTINGS, type PlayPurpose, problemOf } from './call-body.ts';
import { playPurposeOf } from './choose-models.ts';
import type { Conversation, Question } from './conversation.ts';
import { History } from './history-card.tsx';
import { LinkButton } from './link-button.tsx';
import { ModelChoices } from './model-choices.tsx';
import { PictureField } from './picture-field.tsx';
import { RequestAsCode } from './request-as-code.tsx';
import { SettingsFields } from './settings-fields.tsx';
import { type Column, useColumn } from './use-column.ts';
import { useKeptConversation } from './use-kept-conversation.ts';

const NOTHING_ASKED: Question = { text: '', pictures: [], results: [] };

type BoardProps = Readonly<{ models: readonly Model[]; first: string; userId: string }>;

export function Board({ models, first, userId }: BoardProps) {
  const [chosen, setChosen] = useState<readonly string[]>([first]);
  const [settings, setSettings] = useState(NO_SETTINGS);
  const [question, setQuestion] = useState(NOTHING_ASKED);
  const columns: readonly Column[] = [useColumn(), useColumn(), useColumn()];
  const open = (conversation: Conversation): void => {
    setChosen(conversation.models.length === 0 ? [first] : conversation.models);
    setSettings(conversation.settings);
    setQuestion(NOTHING_ASKED);
    columns.forEach((column, index) => void column.restore(conversation.columns[index] ?? []));
  };
  const choose = (next: readonly string[]): void => {
    setChosen(next);
    for (const column of columns.slice(next.length)) column.restore([]);
  };
  const isRunning = columns.some((column) => column.isRunning);
  const conversation: Conversation = {
    models: chosen,
    settings,
    columns: chosen.map((_, index) => columns[index]?.turns ?? []),
  };
  const history = useKeptConversation({ userId, conversation, isRunning, open });
  const calls = chosen.map((model) => ({ purpose: playPurposeOf(models, model), model, settings }));
  const purposes = new Set(calls.map(({ purpose }) => purpose));
  const problem = problemOf(settings);
  const ask = async (): Promise<void> => {
    const answers = await Promise.all(calls.map((call, index) => columns[index]?.run({ ...call, question })));
    // The typed question stays until a model has answered, and so does what was typed meanwhile.
    if (answers.includes(true)) setQuestion((shown) => (shown === question ? NOTHING_ASKED : shown));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (question.text.trim() !== '' && problem === null) void ask();
  };
  const [firstCall] = calls;
  return (
    <>
      {history.isFromLink && (
        <Notice>
          This conversation came with a link. The person who made the link wrote all of it, the answers too.
        </Notice>
      )}
      <ModelChoices models={models} chosen={chosen} onChange={choose} />
      <Card>
        <form onSubmit={submit} onKeyDown={submitOnControlEnter} className="grid gap-4">
          <AreaField
            label="Prompt"
            required
            rows={3}
            hint="Ctrl+Enter sends it."
            value={question.text}
            placeholder={placeholderOf(purposes)}
            onChange={(event) => setQuestion({ ...question, text: event.target.value })}
          />
          {purposes.has('text') && (
            <details>
              <summary className="text-sm font-medium">Pictures</summary>
              <div className="mt-3">
                <PictureField
                  pictures={question.pictures}
                  onChange={(pictures) => setQuestion((shown) => ({ ...shown, pictures }))}
                />
              </div>
            </details>
          )}
          <SettingsFields
            settings={settings}
            purposes={purposes}
            onChange={(part) => setSettings({ ...settings, ...part })}
          />
          <ErrorNotice error={problem === null ? null : new Error(problem)} />
          <div className="flex flex-wrap justify-end gap-2">
            {columns.some(({ turns }) => turns.length > 0) && (
              <>
                <LinkButton conversation={conversation} />
                <Button
                  onClick={() => {
                    for (const column of columns) column.restore([]);
                    history.begin();
                  }}
                >
                  <Plus size={15} aria-hidden="true" /> New conversation
                </Button>
              </>
            )}
            {isRunning && (
              <Button onClick={() => columns.forEach((column) => void column.stop())}>
                <Square size={15} aria-hidden="true" /> Stop
              </Button>
            )}
            <Button kind="primary" type="submit" disabled={question.text.trim() === '' || problem !== null}>
              <Send size={15} aria-hidden="true" /> Run
            </Button>
          </div>
        </form>
      </Card>
      <div className="grid gap-4 lg:grid-cols-[repeat(auto-fit,minmax(18rem,1fr))]">
        {calls.map((call, index) => (
          <AnswerColumn
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what stays the same.
            key={index}
            model={call.model}
            turns={columns[index]?.turns ?? []}
            onResults={(results) => void columns[index]?.run({ ...call, question: { ...NOTHING_ASKED, results } })}
          />
        ))}
      </div>
      <History kept={history.kept} onOpen={history.openKept} onForget={history.forget} />
      {firstCall !== undefined && (
        <RequestAsCode
          purpose={firstCall.purpose}
          body={bodyOf({ ...firstCall, ...asCode(question, columns[0]?.turns ?? []) })}
        />
      )}
    </>
  );
}

/** The typed question; without one, the last question again. */
function asCode(question: Question, turns: Column['turns']): Readonly<{ question: Question; before: Column['turns'] }> {
  const last = question.text === '' ? turns.at(-1) : undefined;
  return last === undefined ? { question, before: turns } : { question: last.question, before: turns.slice(0, -1) };
}

function placeholderOf(purposes: ReadonlySet<PlayPurpose>): string {
  if (purposes.has('text')) return 'Ask anything';
  return purposes.has('image') ? 'What the picture shows' : 'The text to speak';
}

const submitOnControlEnter = (event: KeyboardEvent<HTMLFormElement>): void => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
};
