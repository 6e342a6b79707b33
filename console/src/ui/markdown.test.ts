import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Markdown } from './markdown.tsx';

const shown = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }));

test('lists, tables, emphasis and code become elements', () => {
  const html = shown('# Title\n\n- **one** and `two`\n\n```js\nlet a = 1 < 2;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |');
  expect(html).toContain('Title</h3>');
  expect(html).toContain('<strong>one</strong>');
  expect(html).toContain('let a = 1 &lt; 2;');
  expect(html).toMatch(/<td[^>]*>2<\/td>/);
});

test.each([
  ['a script', 'Hi <script>alert(1)</script>', '&lt;script&gt;'],
  ['a block of HTML', '<img src=x onerror=alert(1)>\n\ntext', '&lt;img src=x'],
  ['a link that runs', '[go](javascript:alert(1))', 'go'],
  ['a link with data', '[go](data:text/html,hi)', 'go'],
])('%s is text', (_, text, expected) => {
  const html = shown(text);
  expect(html).toContain(expected);
  expect(html).not.toMatch(/<script|<img|href/);
});

test('a picture is a link that nobody follows unasked', () => {
  const html = shown('![cat](https://tracker.example/cat.png)');
  expect(html).not.toContain('<img');
  expect(html).toContain('href="https://tracker.example/cat.png"');
});
