// The settings of a question. Only those that the chosen models take are offered.

import { AreaField, SelectField, TextField } from '../../ui/field.tsx';
import type { PlayPurpose } from './call-body.ts';
import type { Settings } from './conversation.ts';
import { FunctionFields } from './function-fields.tsx';

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
      {purposes.has('text') && (
        <details>
          <summary className="text-sm font-medium">Functions and the form of the answer</summary>
          <div className="mt-3 grid gap-3 sm:grid-cols-2">
            <FunctionFields settings={settings} onChange={onChange} />
          </div>
        </details>
      )}
    </>
  );
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
