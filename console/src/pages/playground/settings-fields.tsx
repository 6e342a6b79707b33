// The prompt and what goes with it. Only settings that the chosen models take are offered.

import { AreaField, SelectField, TextField } from '../../ui/field.tsx';
import type { PlayPurpose, Settings } from './call-body.ts';

type SettingsFieldsProps = Readonly<{
  settings: Settings;
  purposes: ReadonlySet<PlayPurpose>;
  onChange: (part: Partial<Settings>) => void;
}>;

const SIZES = ['1024x1024', '1536x1024', '1024x1536'];
const VOICES = ['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer'];

export function SettingsFields({ settings, purposes, onChange }: SettingsFieldsProps) {
  return (
    <>
      <AreaField
        label="Prompt"
        required
        value={settings.prompt}
        placeholder={placeholderOf(purposes)}
        onChange={(event) => onChange({ prompt: event.target.value })}
      />
      <details>
        <summary className="text-sm font-medium">Settings</summary>
        <div className="mt-3 grid gap-3 sm:grid-cols-2">
          {purposes.has('text') && <TextSettings settings={settings} onChange={onChange} />}
          {purposes.has('image') && (
            <SelectField
              label="Size of the picture"
              value={settings.size}
              onChange={(event) => onChange({ size: event.target.value })}
            >
              <option value="">The model’s own</option>
              {SIZES.map((size) => (
                <option key={size}>{size}</option>
              ))}
            </SelectField>
          )}
          {purposes.has('audio') && (
            <SelectField
              label="Voice"
              value={settings.voice}
              onChange={(event) => onChange({ voice: event.target.value })}
            >
              {VOICES.map((voice) => (
                <option key={voice}>{voice}</option>
              ))}
            </SelectField>
          )}
        </div>
      </details>
    </>
  );
}

function placeholderOf(purposes: ReadonlySet<PlayPurpose>): string {
  if (purposes.has('text')) return 'Ask anything';
  return purposes.has('image') ? 'What the picture shows' : 'What is to be said';
}

function TextSettings({ settings, onChange }: Omit<SettingsFieldsProps, 'purposes'>) {
  return (
    <>
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
        placeholder="The model’s own"
        value={settings.temperature}
        onChange={(event) => onChange({ temperature: event.target.value })}
      />
      <TextField
        label="Longest answer, in tokens"
        type="number"
        min={1}
        step={1}
        placeholder="The model’s own"
        value={settings.maxTokens}
        onChange={(event) => onChange({ maxTokens: event.target.value })}
      />
    </>
  );
}
