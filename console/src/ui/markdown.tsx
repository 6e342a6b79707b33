// A model's text as Markdown. Only elements are made, never HTML: tags in the text are shown as text, pictures become
// links, because loading one would tell a stranger who reads the answer, and links lead only to the web.

import { Lexer, type Token, type Tokens } from 'marked';
import { Fragment, type ReactNode, useDeferredValue, useMemo } from 'react';
import { CodeBlock } from './code-block.tsx';
import { textLinkClass } from './text-link.ts';

const WEB_ADDRESS = /^(https?:\/\/|mailto:)/i;

export function Markdown({ text }: Readonly<{ text: string }>) {
  // A stream changes the text many times a second, and all of it is parsed again each time.
  const deferred = useDeferredValue(text);
  const tokens = useMemo(() => Lexer.lex(deferred, { gfm: true, breaks: true }), [deferred]);
  return <div className="grid min-w-0 grid-cols-1 gap-3 text-sm break-words">{all(tokens)}</div>;
}

const all = (tokens: readonly Token[] | undefined): ReactNode =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the place in the text is all that a piece of it has.
  tokens?.map((token, index) => <Fragment key={index}>{one(token)}</Fragment>);

/** Its parts where it has some, else its text. */
const inside = ({ tokens, text }: Readonly<{ tokens?: Token[] | undefined; text: string }>): ReactNode =>
  tokens === undefined ? text : all(tokens);

function one(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return <h3 className="font-semibold">{inside(token as Tokens.Heading)}</h3>;
    case 'paragraph':
      return <p>{inside(token as Tokens.Paragraph)}</p>;
    case 'blockquote':
      return (
        <blockquote className="grid grid-cols-1 gap-2 border-l-2 border-line pl-3 text-quiet">
          {all((token as Tokens.Blockquote).tokens)}
        </blockquote>
      );
    case 'code':
      return <CodeBlock label={codeLabel(token as Tokens.Code)} code={(token as Tokens.Code).text} />;
    case 'list':
      return listOf(token as Tokens.List);
    case 'table':
      return tableOf(token as Tokens.Table);
    case 'hr':
      return <hr className="border-line" />;
    default:
      return inline(token);
  }
}

function inline(token: Token): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inside(token as Tokens.Strong)}</strong>;
    case 'em':
      return <em>{inside(token as Tokens.Em)}</em>;
    case 'del':
      return <del>{inside(token as Tokens.Del)}</del>;
    case 'codespan':
      return <code className="rounded bg-sunken px-1 font-mono text-xs">{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return linkOf((token as Tokens.Link).href, inside(token as Tokens.Link));
    case 'image':
      return linkOf((token as Tokens.Image).href, (token as Tokens.Image).text || 'Picture');
    case 'text':
      return inside(token as Tokens.Text);
    case 'escape':
      return (token as Tokens.Escape).text;
    default:
      // HTML, and tokens of later versions of the parser.
      return token.raw;
  }
}

function linkOf(address: string, words: ReactNode): ReactNode {
  if (!WEB_ADDRESS.test(address)) return words;
  return (
    <a href={address} target="_blank" rel="noreferrer nofollow" className={textLinkClass}>
      {words}
    </a>
  );
}

const codeLabel = ({ lang }: Tokens.Code): string => (lang === undefined || lang === '' ? 'Code' : `Code, ${lang}`);

function listOf({ ordered, start, items }: Tokens.List): ReactNode {
  const entries = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the place in the list is all that an entry has.
    <li key={index}>
      {item.task && <span>{item.checked === true ? '☑ ' : '☐ '}</span>}
      {all(item.tokens)}
    </li>
  ));
  return ordered ? (
    <ol start={start === '' ? 1 : start} className="grid list-decimal gap-1 pl-6">
      {entries}
    </ol>
  ) : (
    <ul className="grid list-disc gap-1 pl-6">{entries}</ul>
  );
}

function tableOf({ header, rows }: Tokens.Table): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region takes the focus.
    <section aria-label="Table" tabIndex={0} className="overflow-x-auto">
      <table className="text-left">
        <thead>
          <tr>{header.map((cell, index) => cellOf('th', cell, index))}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place in the table is all that a row has.
            <tr key={index}>{row.map((cell, column) => cellOf('td', cell, column))}</tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const cellOf = (Kind: 'th' | 'td', { tokens }: Tokens.TableCell, index: number): ReactNode => (
  <Kind key={index} className="border border-line px-2 py-1">
    {all(tokens)}
  </Kind>
);
