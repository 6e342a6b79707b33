// A command of the page in other languages, and made from the page with the reader's own key. The key stays in the memory
// of the page and goes nowhere but to this gateway; what a call does, it does for real.

(() => {
  const VARIABLE = /\$([A-Z][A-Z_]*)/g;
  const LANGUAGES = ['curl', 'JavaScript', 'Python'];
  /** By the variable that names it in commands. */
  const keys = new Map();

  /** Null for what is more than an address, headers and JSON: files, cookies. */
  function readCommand(source) {
    const [head, ...options] = source.split(' \\\n  ');
    const call = /^curl (?:-X (\w+) )?"([^"]*)"$/.exec(head);
    if (call === null) return null;
    const headers = {};
    let body = null;
    for (const option of options) {
      const header = /^-H "([^:]+): (.*)"$/.exec(option);
      const data = /^-d '(.*)'$/s.exec(option);
      if (header !== null) headers[header[1]] = header[2];
      else if (data !== null) body = data[1].replaceAll(`'\\''`, "'").replaceAll(/'"(\$[A-Z_]+)"'/g, '$1');
      else return null;
    }
    return { method: call[1] ?? (body === null ? 'GET' : 'POST'), url: call[2], headers, body };
  }

  const pretty = (text) => {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  };

  const javaScriptText = (text) =>
    text.includes('$')
      ? `\`${text.replaceAll('`', '\\`').replace(VARIABLE, (_, name) => `\${process.env.${name}}`)}\``
      : JSON.stringify(text);

  function javaScript({ method, url, headers, body }) {
    const lines = Object.entries(headers).map(
      ([name, value]) => `    ${JSON.stringify(name)}: ${javaScriptText(value)},`,
    );
    const content = body === null ? '' : `  body: JSON.stringify(${indented(pretty(body), '  ')}),\n`;
    const parts = [`  method: '${method}',`, ...(lines.length === 0 ? [] : ['  headers: {', ...lines, '  },'])];
    return `const response = await fetch(${javaScriptText(url)}, {\n${parts.join('\n')}\n${content}});\nconsole.log(await response.text());`;
  }

  const indented = (text, by) => text.replaceAll('\n', `\n${by}`);

  const pythonText = (text) =>
    text.includes('$')
      ? `f${JSON.stringify(text.replaceAll('{', '{{').replaceAll('}', '}}')).replace(VARIABLE, (_, name) => `{os.environ['${name}']}`)}`
      : JSON.stringify(text);

  function pythonValue(value, by) {
    if (value === null) return 'None';
    if (typeof value === 'boolean') return value ? 'True' : 'False';
    if (typeof value === 'string') return pythonText(value);
    if (typeof value !== 'object') return String(value);
    const inner = `${by}    `;
    const items = Array.isArray(value)
      ? value.map((item) => `${inner}${pythonValue(item, inner)},`)
      : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${pythonValue(item, inner)},`);
    const [open, close] = Array.isArray(value) ? '[]' : '{}';
    return items.length === 0 ? open + close : `${open}\n${items.join('\n')}\n${by}${close}`;
  }

  function python({ method, url, headers, body }) {
    const lines = [`    ${JSON.stringify(method)},`, `    ${pythonText(url)},`];
    if (Object.keys(headers).length > 0) lines.push(`    headers=${pythonValue(headers, '    ')},`);
    if (body !== null) lines.push(`    json=${pythonValue(JSON.parse(body), '    ')},`);
    return `import os\n\nimport requests\n\nresponse = requests.request(\n${lines.join('\n')}\n)\nprint(response.text)`;
  }

  const make = (name, text, fields = {}) =>
    Object.assign(document.createElement(name), { textContent: text, ...fields });

  function offerLanguages(example, command, source) {
    const code = example.querySelector('code');
    const texts = { curl: source, JavaScript: javaScript(command), Python: python(command) };
    const bar = make('div', '', { className: 'languages' });
    bar.setAttribute('role', 'group');
    bar.setAttribute('aria-label', 'Language');
    for (const language of LANGUAGES) {
      const button = make('button', language, { type: 'button' });
      button.setAttribute('aria-pressed', String(language === 'curl'));
      button.addEventListener('click', () => {
        code.textContent = texts[language];
        for (const other of bar.children) other.setAttribute('aria-pressed', String(other === button));
      });
      bar.append(button);
    }
    example.before(bar);
  }

  let fieldCount = 0;

  function field(label, control) {
    fieldCount += 1;
    control.id = `try-${fieldCount}`;
    const line = make('p', '');
    const name = make('label', label);
    name.htmlFor = control.id;
    line.append(name, control);
    return line;
  }

  function offerTry(example, { method, url, headers, body }) {
    const form = make('form', '', { className: 'try' });
    const address = make('input', '', { value: url.slice(location.origin.length), required: true });
    const keyName = /\$([A-Z_]+)/.exec(headers.Authorization ?? '')?.[1] ?? null;
    const key = make('input', '', { type: 'password', autocomplete: 'off', value: keys.get(keyName) ?? '' });
    const content = make('textarea', '', { value: body === null ? '' : pretty(body), spellcheck: false, rows: 8 });
    const answer = make('pre', '', { tabIndex: 0, hidden: true });
    const status = make('p', '', { className: 'quiet' });
    status.setAttribute('role', 'status');
    form.append(field('Path', address));
    if (keyName !== null) form.append(field(keyName === 'TOLLGATE_API_KEY' ? 'Your key' : keyName, key));
    if (body !== null) form.append(field('Body', content));
    form.append(make('button', 'Send', { type: 'submit' }), status, answer);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (keyName !== null) keys.set(keyName, key.value);
      const sent = { ...headers, ...(keyName === null ? {} : { Authorization: `Bearer ${key.value.trim()}` }) };
      answer.hidden = false;
      answer.textContent = '';
      status.textContent = 'Waiting for the answer.';
      try {
        const options = {
          method,
          headers: sent,
          credentials: 'omit',
          ...(body === null ? {} : { body: content.value }),
        };
        const response = await fetch(new URL(address.value, location.origin), options);
        status.textContent = `Answered with ${response.status}.`;
        await show(response, answer);
      } catch (error) {
        status.textContent = `There was no answer: ${error.message}.`;
      }
    });
    const details = make('details', '', { className: 'try-it' });
    details.append(
      make('summary', 'Try it', { className: 'try-head' }),
      make('p', 'The call is real, and costs what it costs.', { className: 'quiet' }),
      form,
    );
    example.after(details);
  }

  /** A stream is shown as it comes; what is no text is told by its size. */
  async function show(response, place) {
    const type = response.headers.get('content-type') ?? '';
    if (!/json|text|event-stream/.test(type)) {
      place.textContent = `${(await response.arrayBuffer()).byteLength} bytes of ${type}`;
      return;
    }
    if (!type.includes('event-stream')) {
      place.textContent = pretty(await response.text());
      return;
    }
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) place.textContent += chunk;
  }

  /** Made when an operation is opened: there are hundreds of them. */
  function equip(operation) {
    const example = operation.querySelector('.example');
    if (example === null || operation.dataset.equipped !== undefined) return;
    operation.dataset.equipped = '';
    const source = example.querySelector('code').textContent;
    const command = readCommand(source);
    if (command === null) return;
    offerLanguages(example, command, source);
    offerTry(example, command);
  }

  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (target.open && target.classList.contains('operation')) equip(target);
    },
    true,
  );
})();
