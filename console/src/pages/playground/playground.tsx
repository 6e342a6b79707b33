// Ask up to three models the same thing and watch them answer side by side, with what each answer took and cost.

import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Plus, Send, Square, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { type Model, makesText, modelsQuery } from '../../api/models.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { AreaField, SelectField, TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { AnswerColumn } from './answer-column.tsx';
import { CODE_LANGUAGES, type CodeLanguage, requestCode } from './request-code.ts';
import { type Column, useColumn } from './use-column.ts';

const COLUMNS_MAX = 3;

export function Playground() {
  const query = useQuery(modelsQuery);
  return (
    <Page title="Playground" description="Try models side by side. Calls are billed to your account like any other.">
      <QueryView query={query}>{(models) => <Board models={models.filter(makesText)} />}</QueryView>
    </Page>
  );
}

type Settings = Readonly<{ system: string; prompt: string; temperature: string; maxTokens: string }>;

function bodyOf(model: string, settings: Settings): Record<string, unknown> {
  const { system, prompt, temperature, maxTokens } = settings;
  const messages = [...(system === '' ? [] : [{ role: 'system', content: system }]), { role: 'user', content: prompt }];
  return {
    model,
    messages,
    ...(temperature === '' ? {} : { temperature: Number(temperature) }),
    ...(maxTokens === '' ? {} : { max_tokens: Number(maxTokens) }),
  };
}

function Board({ models }: Readonly<{ models: readonly Model[] }>) {
  const { model: asked } = useSearch({ from: '/member/playground' });
  const first = models.find((model) => model.id === asked)?.id ?? models[0]?.id ?? '';
  const [chosen, setChosen] = useState<readonly string[]>([first]);
  const [settings, setSettings] = useState<Settings>({ system: '', prompt: '', temperature: '', maxTokens: '' });
  const columns: readonly Column[] = [useColumn(), useColumn(), useColumn()];
  const isRunning = columns.some((column) => column.state.isRunning);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    chosen.forEach((model, index) => {
      columns[index]?.run(bodyOf(model, settings));
    });
  };
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {chosen.map((model, index) => (
          <ModelChoice
            // Columns have no identity but their place.
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what stays the same.
            key={index}
            models={models}
            value={model}
            label={`Model ${index + 1}`}
            onChange={(id) => setChosen(chosen.with(index, id))}
            onRemove={chosen.length === 1 ? null : () => setChosen(chosen.toSpliced(index, 1))}
          />
        ))}
        {chosen.length < COLUMNS_MAX && (
          <Button className="self-end" onClick={() => setChosen([...chosen, first])}>
            <Plus size={16} aria-hidden="true" /> Compare with another
          </Button>
        )}
      </div>
      <Card>
        <form onSubmit={submit} className="grid gap-4">
          <SettingsFields settings={settings} onChange={(part) => setSettings({ ...settings, ...part })} />
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
      <RequestAsCode body={bodyOf(chosen[0] ?? '', settings)} />
    </>
  );
}

type ModelChoiceProps = Readonly<{
  models: readonly Model[];
  value: string;
  label: string;
  onChange: (id: string) => void;
  onRemove: (() => void) | null;
}>;

function ModelChoice({ models, value, label, onChange, onRemove }: ModelChoiceProps) {
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
          {models.map((model) => (
            <option key={model.id} value={model.id}>
              {model.name}
            </option>
          ))}
        </SelectField>
      </div>
      {onRemove !== null && (
        <Button aria-label={`Remove ${label.toLowerCase()}`} onClick={onRemove}>
          <Trash2 size={16} aria-hidden="true" />
        </Button>
      )}
    </div>
  );
}

type SettingsFieldsProps = Readonly<{ settings: Settings; onChange: (part: Partial<Settings>) => void }>;

function SettingsFields({ settings, onChange }: SettingsFieldsProps) {
  return (
    <>
      <AreaField
        label="Prompt"
        required
        value={settings.prompt}
        placeholder="Ask anything"
        onChange={(event) => onChange({ prompt: event.target.value })}
      />
      <details>
        <summary className="text-sm font-medium">Settings</summary>
        <div className="mt-3 grid gap-3 sm:grid-cols-2">
          <div className="sm:col-span-2">
            <AreaField
              label="System instructions"
              rows={2}
              value={settings.system}
              onChange={(event) => onChange({ system: event.target.value })}
            />
          </div>
          <TextField
            label="Temperature"
            type="number"
            min={0}
            max={2}
            step={0.1}
            placeholder="The model's own"
            value={settings.temperature}
            onChange={(event) => onChange({ temperature: event.target.value })}
          />
          <TextField
            label="Longest answer, in tokens"
            type="number"
            min={1}
            step={1}
            placeholder="The model's own"
            value={settings.maxTokens}
            onChange={(event) => onChange({ maxTokens: event.target.value })}
          />
        </div>
      </details>
    </>
  );
}

function RequestAsCode({ body }: Readonly<{ body: Record<string, unknown> }>) {
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  return (
    <Card
      title="This call as code"
      actions={
        <SelectField
          label="Language"
          isLabelHidden
          value={language}
          onChange={(event) => setLanguage(event.target.value as CodeLanguage)}
        >
          {CODE_LANGUAGES.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </SelectField>
      }
    >
      <CodeBlock label="The call as code" code={requestCode(language, body, location.origin)} />
    </Card>
  );
}
