// The playground's call as code for other programs. The key stays a placeholder: a secret never enters a text that is
// made to be pasted.

export type CodeLanguage = 'curl' | 'javascript' | 'python';

export const CODE_LANGUAGES: readonly (readonly [CodeLanguage, string])[] = [
  ['curl', 'curl'],
  ['javascript', 'JavaScript'],
  ['python', 'Python'],
];

export function requestCode(language: CodeLanguage, body: Record<string, unknown>, origin: string): string {
  switch (language) {
    case 'curl':
      return [
        `curl ${origin}/v1/chat/completions \\`,
        '  -H "Authorization: Bearer $TOLLGATE_API_KEY" \\',
        '  -H "Content-Type: application/json" \\',
        `  -d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`,
      ].join('\n');
    case 'javascript':
      return [
        "import OpenAI from 'openai';",
        '',
        `const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.TOLLGATE_API_KEY });`,
        `const answer = await client.chat.completions.create(${JSON.stringify(body, null, 2)});`,
        'console.log(answer.choices[0].message.content);',
      ].join('\n');
    case 'python':
      return [
        'import os',
        'from openai import OpenAI',
        '',
        `client = OpenAI(base_url="${origin}/v1", api_key=os.environ["TOLLGATE_API_KEY"])`,
        'answer = client.chat.completions.create(',
        ...Object.entries(body).map(([name, value]) => `    ${name}=${pythonText(value)},`),
        ')',
        'print(answer.choices[0].message.content)',
      ].join('\n');
  }
}

/** JSON is Python but for its three words. */
function pythonText(value: unknown): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null) return 'None';
  return JSON.stringify(value);
}
