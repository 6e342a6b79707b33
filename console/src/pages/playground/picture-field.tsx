// Pictures to send with a question. They are read here and are part of the call; nothing is uploaded.

import { X } from 'lucide-react';
import { type ChangeEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';

const PICTURES_MAX = 4;
const BYTES_MAX = 4_000_000;
const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

type PictureFieldProps = Readonly<{ pictures: readonly string[]; onChange: (pictures: readonly string[]) => void }>;

export function PictureField({ pictures, onChange }: PictureFieldProps) {
  const [error, setError] = useState<Error | null>(null);
  const add = async (event: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const input = event.target;
    const files = [...(input.files ?? [])];
    const isFit = files.every(({ type, size }) => TYPES.includes(type) && size <= BYTES_MAX);
    if (!isFit || pictures.length + files.length > PICTURES_MAX) {
      setError(new Error(`At most ${PICTURES_MAX} pictures: PNG, JPEG, WebP or GIF, up to 4 MB each.`));
    } else {
      setError(null);
      onChange([...pictures, ...(await Promise.all(files.map(dataUri)))]);
    }
    // Otherwise the same file could not be chosen a second time.
    input.value = '';
  };
  return (
    <div className="grid gap-2">
      <TextField
        label="Pictures to send"
        type="file"
        accept={TYPES.join()}
        multiple
        onChange={(event) => void add(event)}
      />
      <ErrorNotice error={error} />
      {pictures.length > 0 && (
        <ul className="flex flex-wrap gap-2">
          {pictures.map((url, index) => (
            <li key={url} className="flex items-start gap-1">
              <img src={url} alt={`To send ${index + 1}`} className="h-16 rounded" />
              <Button
                kind="ghost"
                isSmall
                aria-label={`Remove picture ${index + 1}`}
                onClick={() => onChange(pictures.toSpliced(index, 1))}
              >
                <X size={15} aria-hidden="true" />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const dataUri = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('The picture could not be read.'));
    reader.readAsDataURL(file);
  });
