import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ApiProblem } from '../api/problem.ts';
import { TextField } from './field.tsx';
import { Form, FormError, type Sending, SubmitButton } from './form.tsx';

const QUIET: Sending<string> = { mutateAsync: async () => {}, isPending: false, error: null };

const drawn = (sending: Partial<Sending<string>>, beside?: unknown): string =>
  renderToStaticMarkup(
    <Form sending={{ ...QUIET, ...sending }} read={(form) => String(form.get('name'))} footer={<a href="/">Back</a>}>
      <TextField label="Name" name="name" hint="As others see it." required />
      <FormError beside={beside} />
      <SubmitButton>Save</SubmitButton>
    </Form>,
  );

test('a field has its name, and its label and hint belong to it', () => {
  const html = drawn({});
  const id = /<input id="([^"]+)"/.exec(html)?.[1] ?? '';
  expect(id).not.toBe('');
  expect(html).toContain(`<label for="${id}"`);
  expect(html).toContain(`aria-describedby="${id}-hint"`);
  expect(html).toContain('name="name"');
  expect(html).not.toContain('disabled=""');
});

test('while it is sent its fields are locked and its button says so, but the way out stays open', () => {
  const html = drawn({ isPending: true });
  expect(html).toContain('<fieldset disabled=""');
  expect(html).toContain('aria-busy="true"');
  expect(html.indexOf('</fieldset>')).toBeLessThan(html.indexOf('Back'));
});

test('a word that was typed wrong has no id beside it', () => {
  const error = new ApiProblem({ status: 401, code: 'http_401', message: 'It is wrong.', requestId: 'req-1' });
  expect(drawn({ error })).toContain('It is wrong.');
  expect(drawn({ error })).not.toContain('req-1');
});

test('what went wrong is said with the id that support asks for; what failed beside the form only without it', () => {
  const error = new ApiProblem({ status: 409, code: 'taken', message: 'It is taken.', requestId: 'req-1' });
  expect(drawn({ error }, new Error('Another.'))).toMatch(/role="alert".*It is taken\..*req-1/s);
  expect(drawn({ error }, new Error('Another.'))).not.toContain('Another.');
  expect(drawn({}, new Error('Another.'))).toContain('Another.');
});
