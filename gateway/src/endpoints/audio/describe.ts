// Speech and transcriptions, described.

import {
  SpeechRequest,
  Transcription,
  TranscriptionForm,
  TranscriptionRequest,
} from '../../contract/inference/audio.ts';
import type { Descriptions } from '../docs/description.ts';
import { OF_CALLS } from '../docs/implied-errors.ts';

export const audioDescriptions: Descriptions = {
  'POST /v1/audio/speech': {
    tag: 'Audio',
    summary: 'Speak a text',
    notes: 'The sound comes as the model makes it. What it costs is known before: the characters of the text.',
    body: SpeechRequest,
    answers: { 200: { bytes: ['audio/*', 'application/octet-stream', 'text/event-stream'] } },
    errors: OF_CALLS,
    example: {
      model: 'speech',
      body: { model: '$MODEL', input: 'Hello there.', voice: 'alloy' },
      options: ['-o speech.mp3'],
    },
  },
  'POST /v1/audio/transcriptions': {
    tag: 'Audio',
    summary: 'Transcribe a recording',
    notes: 'A form with the file, or JSON with base64.',
    body: TranscriptionRequest,
    form: TranscriptionForm,
    answers: { 200: { json: Transcription, bytes: ['text/plain', 'text/vtt'] } },
    errors: [...OF_CALLS, 'unsupported_response_format', 'invalid_content_type'],
    example: { model: 'transcription', form: { file: '@recording.wav', model: '$MODEL' } },
  },
};
