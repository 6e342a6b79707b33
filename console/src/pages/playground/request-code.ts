// The playground's call as code for other programs. The key stays a placeholder, because the text is made to be pasted.

import { PATHS, type PlayPurpose } from './call-body.ts';

export type CodeLanguage = 'curl' | 'javascript' | 'python';

export const CODE_LANGUAGES: readonly (readonly [CodeLanguage, string])[] = [
  ['curl', 'curl'],
  ['javascript', 'JavaScript'],
  ['python', 'Python'],
];

export type CodeCall = Readonly<{ purpose: PlayPurpose; body: Record<string, unknown>; origin: string }>;

export function requestCode(language: CodeLanguage, call: CodeCall): string {
  switch (language) {
    case 'curl':
      return curl(call);
    case 'javascript':
      return javascript(call);
    case 'python':
      return python(call);
  }
}

function curl({ purpose, body, origin }: CodeCall): string {
  const output = purpose === 'audio' ? [' \\\n  --output speech.mp3'] : [];
  return [
    [
      `curl ${origin}${PATHS[purpose]} \\`,
      '  -H "Authorization: Bearer $TOLLGATE_API_KEY" \\',
      '  -H "Content-Type: application/json" \\',
      `  -d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
    ].join('\n'),
    ...output,
  ].join('');
}

const JAVASCRIPT: Readonly<Record<PlayPurpose, readonly [method: string, rest: readonly string[]]>> = {
  text: ['chat.completions.create', ['console.log(answer.choices[0].message.content);']],
  image: ['images.generate', ['console.log(answer.data[0].url);']],
  audio: ['audio.speech.create', ["await writeFile('speech.mp3', Buffer.from(await answer.arrayBuffer()));"]],
};

function javascript({ purpose, body, origin }: CodeCall): string {
  const [method, rest] = JAVASCRIPT[purpose];
  return [
    ...(purpose === 'audio' ? ["import { writeFile } from 'node:fs/promises';"] : []),
    "import OpenAI from 'openai';",
    '',
    `const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.TOLLGATE_API_KEY });`,
    `const answer = await client.${method}(${JSON.stringify(body, null, 2)});`,
    ...rest,
  ].join('\n');
}

const PYTHON: Readonly<Record<PlayPurpose, readonly [method: string, rest: string]>> = {
  text: ['chat.completions.create', 'print(answer.choices[0].message.content)'],
  image: ['images.generate', 'print(answer.data[0].url)'],
  audio: ['audio.speech.create', 'answer.write_to_file("speech.mp3")'],
};

function python({ purpose, body, origin }: CodeCall): string {
  const [method, rest] = PYTHON[purpose];
  return [
    'import os',
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url="${origin}/v1", api_key=os.environ["TOLLGATE_API_KEY"])`,
    `answer = client.${method}(`,
    ...Object.entries(body).map(([name, value]) => `    ${name}=${pythonText(value)},`),
    ')',
    rest,
  ].join('\n');
}

/** JSON is valid Python except for three words. */
function pythonText(value: unknown): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null) return 'None';
  return JSON.stringify(value);
}
