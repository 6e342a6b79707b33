// How to point a client at this gateway, one entry per client. The key is an environment variable, never the secret
// itself, except where the person has just created it and the page has it.

export type Snippet = Readonly<{ id: string; label: string; code: string; note?: string }>;

export type SnippetPlace = Readonly<{
  origin: string;
  model: string;
  claudeModel: string;
  /** A secret that the page has just been given; null where it knows none. */
  secret: string | null;
}>;

/** How each language names the key. */
const keyForms = (secret: string | null) => ({
  shell: secret ?? '$TOLLGATE_API_KEY',
  javascript: secret === null ? 'process.env.TOLLGATE_API_KEY' : `'${secret}'`,
  python: secret === null ? 'os.environ["TOLLGATE_API_KEY"]' : `"${secret}"`,
});

export function snippets(place: SnippetPlace): readonly Snippet[] {
  return [...libraries(place), ...agents(place)];
}

function libraries({ origin, model, claudeModel, secret }: SnippetPlace): readonly Snippet[] {
  const key = keyForms(secret);
  return [
    {
      id: 'curl',
      label: 'curl',
      code: [
        `curl ${origin}/v1/chat/completions \\`,
        `  -H "Authorization: Bearer ${key.shell}" \\`,
        '  -H "Content-Type: application/json" \\',
        `  -d '{"model":"${model}","messages":[{"role":"user","content":"Say hello."}]}'`,
      ].join('\n'),
    },
    {
      id: 'openai-js',
      label: 'openai (JavaScript)',
      code: [
        "import OpenAI from 'openai';",
        '',
        `const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: ${key.javascript} });`,
        'const answer = await client.chat.completions.create({',
        `  model: '${model}',`,
        "  messages: [{ role: 'user', content: 'Say hello.' }],",
        '});',
        'console.log(answer.choices[0].message.content, answer.usage.cost);',
      ].join('\n'),
    },
    {
      id: 'openai-python',
      label: 'openai (Python)',
      code: [
        ...(secret === null ? ['import os'] : []),
        'from openai import OpenAI',
        '',
        `client = OpenAI(base_url="${origin}/v1", api_key=${key.python})`,
        'answer = client.chat.completions.create(',
        `    model="${model}",`,
        '    messages=[{"role": "user", "content": "Say hello."}],',
        ')',
        'print(answer.choices[0].message.content)',
      ].join('\n'),
    },
    {
      id: 'anthropic',
      label: 'anthropic',
      code: [
        "import Anthropic from '@anthropic-ai/sdk';",
        '',
        `const client = new Anthropic({ baseURL: '${origin}', apiKey: ${key.javascript} });`,
        'const message = await client.messages.create({',
        `  model: '${claudeModel}',`,
        '  max_tokens: 256,',
        "  messages: [{ role: 'user', content: 'Say hello.' }],",
        '});',
        'console.log(message.content);',
      ].join('\n'),
    },
    {
      id: 'ai-sdk',
      label: 'AI SDK',
      code: [
        "import { createOpenAICompatible } from '@ai-sdk/openai-compatible';",
        "import { generateText } from 'ai';",
        '',
        'const tollgate = createOpenAICompatible({',
        "  name: 'tollgate',",
        `  baseURL: '${origin}/v1',`,
        `  apiKey: ${key.javascript},`,
        '});',
        `const { text } = await generateText({ model: tollgate('${model}'), prompt: 'Say hello.' });`,
        'console.log(text);',
      ].join('\n'),
    },
  ];
}

function agents({ origin, model, claudeModel, secret }: SnippetPlace): readonly Snippet[] {
  const key = keyForms(secret);
  return [
    {
      id: 'claude-code',
      label: 'Claude Code',
      code: [
        `export ANTHROPIC_BASE_URL=${origin}`,
        `export ANTHROPIC_AUTH_TOKEN=${key.shell}`,
        `export ANTHROPIC_MODEL=${claudeModel}`,
        'claude',
      ].join('\n'),
      note: 'The same values can be in the env block of ~/.claude/settings.json.',
    },
    {
      id: 'codex',
      label: 'Codex',
      code: [
        ...(secret === null ? [] : [`# In your shell: export TOLLGATE_API_KEY=${secret}`]),
        '# ~/.codex/config.toml',
        `model = "${model}"`,
        'model_provider = "tollgate"',
        '',
        '[model_providers.tollgate]',
        'name = "Tollgate"',
        `base_url = "${origin}/v1"`,
        'env_key = "TOLLGATE_API_KEY"',
        'wire_api = "responses"',
      ].join('\n'),
    },
    {
      id: 'cursor',
      label: 'Cursor',
      code: [`Base URL: ${origin}/v1/cursor`, `API key:  ${secret ?? 'your Tollgate key'}`, `Model:    ${model}`].join(
        '\n',
      ),
      note: 'In Settings, Models: switch on the OpenAI key, override its base URL, and add the model by its name. Cursor calls from its own servers, so the address must be reachable from the internet.',
    },
  ];
}
