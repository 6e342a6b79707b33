// Speech and transcriptions as they are asked for and answered.

import { Type } from '@sinclair/typebox';
import { named, text, usd } from '../shape.ts';
import { maybe, model, open, ProviderPreferences } from './fields.ts';

export const SpeechRequest = Type.Object(
  {
    model,
    input: Type.String({ minLength: 1, description: 'The text to speak. Each character is charged.' }),
    voice: Type.Union([Type.String({ minLength: 1 }), Type.Object({ id: Type.String({ minLength: 1 }) }, open)]),
    response_format: maybe(Type.String({ description: 'Such as mp3, wav or opus.' })),
    speed: maybe(Type.Number({ minimum: 0.25, maximum: 4 })),
    instructions: maybe(Type.String({ maxLength: 32_768, description: 'How the text is to be spoken.' })),
    stream_format: maybe(Type.String({ description: '`sse` for events, where the model has them.' })),
    provider: maybe(ProviderPreferences),
  },
  { ...open, ...named('SpeechRequest') },
);

const language = Type.String({ description: 'Such as en.' });
const format = Type.String({ description: 'One of json, text, srt, vtt, verbose_json, diarized_json.' });
const prompt = Type.String({ maxLength: 32_768, description: 'A hint that helps to understand the recording.' });

export const TranscriptionRequest = Type.Object(
  {
    model,
    input_audio: Type.Object({ data: text('Base64.'), format: text('Such as wav or mp3.') }, open),
    language: maybe(language),
    response_format: maybe(format),
    prompt: maybe(prompt),
    temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
    stream: maybe(Type.Boolean({ description: 'The text in events; not with srt and vtt.' })),
    provider: maybe(ProviderPreferences),
  },
  { ...open, ...named('TranscriptionRequest') },
);

/** In a form every value is text, except the file. */
export const TranscriptionForm = Type.Object(
  {
    file: Type.String({ contentMediaType: 'audio/*', description: 'The recording, of at most 10 MB.' }),
    model,
    language: Type.Optional(language),
    response_format: Type.Optional(format),
    prompt: Type.Optional(prompt),
    temperature: Type.Optional(Type.String({ description: 'From 0 to 2.' })),
    stream: Type.Optional(Type.String({ description: '`true` for the text in events; not with srt and vtt.' })),
  },
  { ...open, ...named('TranscriptionForm') },
);

export const Transcription = Type.Object(
  { text: text('The text of the recording.'), usage: Type.Object({ cost: usd('What was charged.') }, open) },
  { ...open, ...named('Transcription') },
);

export const TranscriptionEvent = Type.Object(
  {
    type: text(
      'First `transcript.text.delta` with the text as `delta`, then `transcript.text.done` with text and usage.',
    ),
  },
  { ...open, ...named('TranscriptionEvent') },
);
