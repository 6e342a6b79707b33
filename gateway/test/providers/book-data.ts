// A small price book in the published form, with prices that a test can raise.

const model = (id: string, prompt: number, completion: number) => ({
  id,
  match: { starts_with: id },
  prices: { input_mtok: prompt, output_mtok: completion },
});

export const createBookData = (factor: number) => [
  {
    ...{ id: 'openai', name: 'OpenAI', api_pattern: 'https://api\\.openai\\.com' },
    models: [model('gpt-4o-mini', 0.15 * factor, 0.6 * factor), model('gpt-4o', 2.5, 10)],
  },
  ...['one', 'two', 'three', 'four'].map((id) => ({
    ...{ id, name: id, api_pattern: `https://${id}\\.test` },
    models: [model(`${id}-model`, 1, 2)],
  })),
];
