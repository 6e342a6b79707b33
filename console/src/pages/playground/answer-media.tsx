// Pictures and sound that a model made.

import type { PlayPurpose } from './call-body.ts';

export function AnswerMedia({ purpose, urls }: Readonly<{ purpose: PlayPurpose; urls: readonly string[] }>) {
  if (purpose !== 'audio') {
    return urls.map((url, index) => (
      <a key={url} href={url} target="_blank" rel="noreferrer" className="block">
        <img src={url} alt={`Answer ${index + 1}`} className="max-h-96 w-full rounded-lg object-contain" />
      </a>
    ));
  }
  return urls.map((url) => (
    // biome-ignore lint/a11y/useMediaCaption: the text that is spoken stands in the prompt above.
    <audio key={url} controls src={url} aria-label="The spoken answer" className="w-full" />
  ));
}
