// The pages of docs/ for those who call the APIs, as the server serves them under /docs/guides, and which operations they
// mention.

import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { slug } from 'github-slugger';
import { Marked } from 'marked';
import type { Api, Operation } from './apis.ts';
import { htmlPage } from './html-page.ts';

const root = join(import.meta.dirname, '../..');

/** By the listener that leads to them. */
const names: Readonly<Record<Api['listener'], string>> = {
  public: 'quick-start-backend client events webhooks developer-api quick-start-tests sandbox errors',
  operator:
    'quick-start-store statements console operating deployment settings scaling payment-gateway renewal-terms store-events import-export moving-a-store',
};

export interface Guide {
  /** The name of its file in docs/, and of its page. */
  readonly name: string;
  readonly title: string;
  readonly markdown: string;
  readonly listener: Api['listener'];
}

export const guides: readonly Guide[] = (['public', 'operator'] as const).flatMap((listener) =>
  names[listener].split(' ').map((name) => {
    const markdown = readFileSync(join(root, `docs/${name}.md`), 'utf8');
    const [, title = name] = /^# (.+)$/m.exec(markdown) ?? [];
    return { name, title, markdown, listener };
  }),
);

export const linkToGuide = ({ name, title }: Guide): string => `[${title}](/docs/guides/${name}.html)`;

/** The name of an operation, or its call below the address of its API, as in \`POST /reset\`. */
export function mentionOf({ operationId, method, path }: Operation): RegExp {
  const tail = path
    .replace(/^.*\/v\d(?:\/apps\/:packageName)?(?=\/)/, '')
    .replaceAll(/:\w+/g, '\\{?\\w+\\}?');
  const name = /[A-Z]/.test(operationId) ? `(?<![\\w.])${operationId}(?!\\w)|` : '';
  return new RegExp(`${name}\\b${method} ${tail}(?![\\w/])`);
}

/** A guide for operators is no help for a call of the public listener. */
export function guidesOf({ listener }: Api, operation: Operation): Guide[] {
  const mention = mentionOf(operation);
  return guides.filter((guide) => guide.listener === listener && mention.test(guide.markdown));
}

/** A link to a page that is not served becomes the path of its file. */
function htmlOf(markdown: string): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        if (/^(?:[a-z]+:|#)/.test(href)) return `<a href="${href}">${text}</a>`;
        const [file = '', anchor] = href.split('#');
        const served = guides.find(({ name }) => file === `${name}.md`);
        if (served !== undefined) {
          return `<a href="${served.name}.html${anchor === undefined ? '' : `#${anchor}`}">${text}</a>`;
        }
        const path = posix.join('docs', file);
        return existsSync(join(root, path)) ? `${text} (<code>${path}</code>)` : text;
      },
      image: ({ text }) => `<em>${text}</em>`,
    },
  });
  return marked.parse(markdown, { async: false });
}

export const guidePage = ({ title, markdown }: Guide): string => htmlPage(title, htmlOf(markdown));
