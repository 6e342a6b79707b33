// The page where students exchange a mailed code for a session's token. The institution's key may come behind the # of
// the address, as administrators hand it out; that part never reaches a server or its logs. Nothing is stored.

const element = (id) => document.getElementById(id);

const sentences = {
  cooldown: 'A code was asked for a moment ago.',
  rate_limited: 'There were too many requests.',
  too_many_attempts: 'There were too many wrong codes. Ask for a new one.',
};

const keyInLink = new URLSearchParams(location.hash.slice(1)).get('key') ?? '';
if (keyInLink !== '') {
  element('key').value = keyInLink;
  element('key-field').hidden = true;
}
element('base').textContent = `${location.origin}/v1`;

function say(text, isBad = false) {
  element('notice').textContent = text;
  element('notice').className = isBad ? 'bad' : '';
}

function show(id) {
  for (const each of ['request', 'verify', 'session']) element(each).hidden = each !== id;
}

/** What a refused answer means to a person. */
function explain(response, body, invalid) {
  const sentence = body.error === 'invalid' ? invalid : sentences[body.error];
  if (sentence === undefined) return 'That did not work. Try again in a while.';
  const seconds = Number(response.headers.get('retry-after'));
  if (!(seconds > 0)) return sentence;
  return `${sentence} Try again in ${seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`}.`;
}

async function send(form, name, invalid) {
  const button = form.querySelector('button[type=submit]');
  button.disabled = true;
  say('One moment…');
  const fields = { key: element('key').value.trim(), email: element('email').value.trim() };
  if (name === 'verify') fields.code = element('code').value.trim();
  try {
    const response = await fetch(`/api/edu/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    });
    const body = await response.json();
    if (response.ok) return body;
    say(explain(response, body, invalid), true);
  } catch {
    say('The server cannot be reached. Try again in a while.', true);
  } finally {
    button.disabled = false;
  }
  return null;
}

element('request').addEventListener('submit', async (event) => {
  event.preventDefault();
  const isComplete = element('key').value.trim() !== '' && element('email').validity.valid;
  if (!isComplete) return say('Enter the key and a whole email address.', true);
  const answer = await send(event.target, 'request-code', 'Enter the key and a whole email address.');
  if (answer === null) return;
  element('sent-to').textContent = element('email').value.trim();
  element('code').value = '';
  show('verify');
  say('Look into your mailbox, and among the junk as well.');
  element('code').focus();
});

element('verify').addEventListener('submit', async (event) => {
  event.preventDefault();
  if (!element('code').validity.valid) return say('A code has six digits.', true);
  const answer = await send(event.target, 'verify', 'That code is wrong, or it has expired.');
  if (answer === null) return;
  element('token').value = answer.token;
  element('organization').textContent = answer.organization.name;
  element('expires').textContent = new Date(answer.expiresAt).toLocaleString();
  element('expires').dateTime = answer.expiresAt;
  show('session');
  say('');
  element('copy').focus();
  await Promise.all([showLeft(), showModels()]);
});

/** With the session's token. Null, and a sentence, where that did not work. */
async function call(path, body) {
  const headers = { Authorization: `Bearer ${element('token').value}`, 'Content-Type': 'application/json' };
  try {
    const response = await fetch(path, {
      headers,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (response.ok) return answer;
    say(answer.error?.message ?? 'That did not work. Try again in a while.', true);
  } catch {
    say('The server cannot be reached. Try again in a while.', true);
  }
  return null;
}

const quotaWords = [
  ['requests', 'Calls', (value) => value.toLocaleString()],
  ['tokens', 'Tokens', (value) => value.toLocaleString()],
  ['usd', 'Credit', (value) => `$${value.toFixed(value >= 1 ? 2 : 4)}`],
];

async function showLeft() {
  const session = await call('/api/edu/session');
  if (session === null) return;
  const lines = quotaWords.map(([name, words, text]) => {
    const { used, max } = session[name];
    const line = document.createElement('li');
    line.textContent =
      max === null
        ? `${words}: ${text(used)} used, without a limit`
        : `${words}: ${text(Math.max(0, max - used))} of ${text(max)} left`;
    return line;
  });
  element('left').replaceChildren(...lines);
}

/** Those that answer with text; the list is of what the institution allows. */
async function showModels() {
  const list = await call('/v1/models');
  if (list === null) return;
  const options = list.data
    .filter((model) => model.architecture?.output_modalities?.includes('text') ?? true)
    .map((model) => new Option(model.id, model.id));
  element('model').replaceChildren(...options);
  showSnippet();
}

function showSnippet() {
  element('snippet').textContent = [
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url="${location.origin}/v1", api_key="YOUR TOKEN")`,
    'answer = client.chat.completions.create(',
    `    model="${element('model').value}",`,
    '    messages=[{"role": "user", "content": "Hello"}],',
    ')',
    'print(answer.choices[0].message.content)',
  ].join('\n');
}

element('model').addEventListener('change', showSnippet);

element('ask').addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = event.target.querySelector('button');
  button.disabled = true;
  say('One moment…');
  const messages = [{ role: 'user', content: element('prompt').value }];
  const answer = await call('/v1/chat/completions', { model: element('model').value, messages });
  button.disabled = false;
  if (answer === null) return;
  say('');
  element('answer').textContent = answer.choices[0]?.message?.content ?? '';
  await showLeft();
});

element('back').addEventListener('click', () => {
  show('request');
  say('');
  element('email').focus();
});

element('copy').addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText(element('token').value);
    say('The token is copied.');
  } catch {
    // Without permission, or over plain HTTP: what is selected can be copied by hand.
    element('token').select();
    say('Copy the selected text.');
  }
});
