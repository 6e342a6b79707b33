// What the page shows, from the gateway's public routes alone. Everything that came over the network is put in as text,
// never as markup.

const byId = (id) => document.getElementById(id);
const siteUrl = new URL('.', location.href).href.replace(/\/$/, '');

function exampleCall(model) {
  return [
    `curl ${siteUrl}/v1/chat/completions \\`,
    '  -H "Authorization: Bearer $TOLLGATE_API_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'`,
  ].join('\n');
}

function cell(text, { isNumber = false, detail = null } = {}) {
  const element = document.createElement('td');
  element.textContent = text;
  if (isNumber) element.className = 'number';
  if (detail !== null) {
    const small = document.createElement('small');
    small.textContent = detail;
    element.append(small);
  }
  return element;
}

/** What is sold by something other than tokens, and how a person calls that unit. */
const units = {
  image: 'per image',
  video_second: 'per second of video',
  audio_second: 'per second of audio',
  character: 'per character',
  request: 'per call',
};

/** Prices arrive as exact decimal text; they are shown as they came. */
function priceCells(pricing) {
  const byUnit = Object.keys(units).filter((unit) => typeof pricing[unit] === 'string');
  const detail = byUnit.map((unit) => `$${pricing[unit]} ${units[unit]}`).join(', ');
  return [
    cell(`$${pricing.prompt}`, { isNumber: true }),
    cell(`$${pricing.completion}`, { isNumber: true, detail: detail === '' ? null : detail }),
  ];
}

function modelRow(model) {
  const row = document.createElement('tr');
  const length = model.context_length;
  row.append(
    cell(model.id, { detail: model.name }),
    cell(model.modality ?? ''),
    cell(typeof length === 'number' ? length.toLocaleString() : '', { isNumber: true }),
    ...priceCells(model.pricing),
  );
  return row;
}

function showModels(models) {
  const sought = byId('filter').value.trim().toLowerCase();
  const shown = models.filter((model) => `${model.id} ${model.name}`.toLowerCase().includes(sought));
  byId('models')
    .querySelector('tbody')
    .replaceChildren(...shown.map(modelRow));
  byId('models').hidden = shown.length === 0;
  byId('models-note').textContent =
    models.length === 0
      ? 'No model is on sale yet.'
      : `${shown.length} of ${models.length}; prices in USD per million tokens.`;
}

async function loadModels() {
  try {
    const answer = await fetch('v1/models?output_modalities=all');
    const { data: models } = await answer.json();
    const textModel = models.find((model) => model.modality?.endsWith('->text')) ?? models[0];
    if (textModel !== undefined) byId('example').textContent = exampleCall(textModel.id);
    byId('filter').addEventListener('input', () => showModels(models));
    showModels(models);
  } catch {
    byId('models-note').textContent = 'The list of models could not be loaded.';
  }
}

async function checkHealth() {
  const isUp = await fetch('healthz', { cache: 'no-store' }).then(
    (answer) => answer.ok,
    () => false,
  );
  byId('status').textContent = isUp ? 'Running' : 'Not reachable';
  byId('status').dataset.state = isUp ? 'up' : 'down';
}

byId('base-url').textContent = `${siteUrl}/v1`;
byId('example').textContent = exampleCall('provider/model');
byId('copy').addEventListener('click', async () => {
  // The clipboard exists on secure origins only, and loopback counts as one; elsewhere the text can still be selected.
  await navigator.clipboard?.writeText(byId('example').textContent);
  byId('copy').textContent = 'Copied';
});

await Promise.all([checkHealth(), loadModels()]);
setInterval(checkHealth, 15_000);
