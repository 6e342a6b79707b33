// Ask up to three models the same thing and watch them answer side by side, with what each answer took and cost. Models
// that make pictures or speech are shown and played here too.

import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Plus, Send, Square } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { accountQuery } from '../../api/account.ts';
import { isFree, type Model, modelsQuery, purposeOf } from '../../api/models.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { AnswerColumn } from './answer-column.tsx';
import { bodyOf, isPlayable, NO_SETTINGS, type PlayPurpose } from './call-body.ts';
import { ModelChoice } from './model-choice.tsx';
import { RequestAsCode } from './request-as-code.tsx';
import { SettingsFields } from './settings-fields.tsx';
import { type Column, type ColumnCall, useColumn } from './use-column.ts';

const COLUMNS_MAX = 3;

export function Playground() {
  const query = useQuery(modelsQuery);
  const account = useQuery(accountQuery());
  return (
    <Page title="Playground" description="Try models side by side. Calls are billed to your account like any other.">
      <QueryView query={query}>
        {(models) =>
          account.isPending ? (
            <Loading />
          ) : (
            <Board
              models={models.filter((model) => isPlayable(purposeOf(model)))}
              hasMoney={(account.data?.balance ?? 1) > 0}
            />
          )
        }
      </QueryView>
    </Page>
  );
}

function Board({ models, hasMoney }: Readonly<{ models: readonly Model[]; hasMoney: boolean }>) {
  const { model: asked } = useSearch({ from: '/member/playground' });
  const [chosen, setChosen] = useState<readonly string[]>([firstOf(models, asked, hasMoney)]);
  const [settings, setSettings] = useState(NO_SETTINGS);
  const columns: readonly Column[] = [useColumn(), useColumn(), useColumn()];
  const isRunning = columns.some((column) => column.state.isRunning);
  const calls = chosen.map((id): ColumnCall => {
    const purpose = playPurposeOf(models, id);
    return { purpose, body: bodyOf(purpose, id, settings) };
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    calls.forEach((call, index) => {
      columns[index]?.run(call);
    });
  };
  return (
    <>
      <ModelChoices models={models} chosen={chosen} onChange={setChosen} />
      <Card>
        <form onSubmit={submit} onKeyDown={submitOnControlEnter} className="grid gap-4">
          <SettingsFields
            settings={settings}
            purposes={new Set(calls.map(({ purpose }) => purpose))}
            onChange={(part) => setSettings({ ...settings, ...part })}
          />
          <div className="flex flex-wrap justify-end gap-2">
            {isRunning && (
              <Button onClick={() => columns.forEach((column) => void column.stop())}>
                <Square size={15} aria-hidden="true" /> Stop
              </Button>
            )}
            <Button kind="primary" type="submit" disabled={settings.prompt.trim() === ''}>
              <Send size={15} aria-hidden="true" /> Run
            </Button>
          </div>
        </form>
      </Card>
      <div className="grid gap-4 lg:grid-cols-[repeat(auto-fit,minmax(18rem,1fr))]">
        {chosen.map((model, index) => (
          <AnswerColumn
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what stays the same.
            key={index}
            model={model}
            state={columns[index]?.state ?? null}
          />
        ))}
      </div>
      {calls[0] !== undefined && <RequestAsCode call={calls[0]} />}
    </>
  );
}

/** Without money, a free one is the only one that answers. */
const firstOf = (models: readonly Model[], asked: string | undefined, hasMoney: boolean): string => {
  const texts = models.filter((model) => purposeOf(model) === 'text');
  const affordable = hasMoney ? undefined : texts.find(isFree);
  return (models.find(({ id }) => id === asked) ?? affordable ?? texts[0] ?? models[0])?.id ?? '';
};

/** One that is not there yet, and does the same. */
function anotherOf(models: readonly Model[], chosen: readonly string[]): string {
  const purpose = playPurposeOf(models, chosen[0] ?? '');
  const others = models.filter((model) => purposeOf(model) === purpose && !chosen.includes(model.id));
  return others[0]?.id ?? chosen[0] ?? '';
}

const submitOnControlEnter = (event: KeyboardEvent<HTMLFormElement>): void => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
};

function playPurposeOf(models: readonly Model[], id: string): PlayPurpose {
  const model = models.find((candidate) => candidate.id === id);
  const purpose = model === undefined ? 'text' : purposeOf(model);
  return isPlayable(purpose) ? purpose : 'text';
}

type ModelChoicesProps = Readonly<{
  models: readonly Model[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}>;

function ModelChoices({ models, chosen, onChange }: ModelChoicesProps) {
  return (
    <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {chosen.map((model, index) => (
        <ModelChoice
          // Columns have no identity but their place.
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is what stays the same.
          key={index}
          models={models}
          value={model}
          label={`Model ${index + 1}`}
          onChange={(id) => onChange(chosen.with(index, id))}
          onRemove={chosen.length === 1 ? null : () => onChange(chosen.toSpliced(index, 1))}
        />
      ))}
      {chosen.length < COLUMNS_MAX && (
        <Button className="self-end" onClick={() => onChange([...chosen, anotherOf(models, chosen)])}>
          <Plus size={16} aria-hidden="true" /> Compare with another
        </Button>
      )}
    </div>
  );
}
