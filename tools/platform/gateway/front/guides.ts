import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import MarkdownIt from 'markdown-it';
import { escapeHtml, page } from './page';

interface Guide {
  readonly path: string;
  readonly title: string;
  readonly about: string;
  readonly file: string;
}

/** Of the documentation, what tells how the platform is used. The paths are written out: an image gets the files that its programs name so. */
export const GUIDES = [
  { path: '/guides/quickstart', title: 'Quickstart', about: 'from a token to a webhook, with <code>curl</code>', file: join(__dirname, '..', '..', '..', '..', 'docs', 'quickstart.md') },
  { path: '/guides/requests', title: 'Requests', about: 'what a request may hold, and what is refused', file: join(__dirname, '..', '..', '..', '..', 'docs', 'requests.md') },
  { path: '/guides/clients', title: 'Clients', about: 'generated from the references, in your language', file: join(__dirname, '..', '..', '..', '..', 'docs', 'clients.md') },
  { path: '/guides/events', title: 'Events', about: 'what is published when something changes', file: join(__dirname, '..', '..', '..', '..', 'docs', 'events.md') },
  { path: '/guides/scripts', title: 'Scripts', about: 'programs of your own that the platform runs', file: join(__dirname, '..', '..', '..', '..', 'docs', 'scripts.md') },
  { path: '/guides/scripts-tables', title: 'Tables in scripts', about: 'spreadsheets and CSV files that scripts read and write', file: join(__dirname, '..', '..', '..', '..', 'docs', 'scripts-tables.md') },
] as const satisfies readonly [Guide, ...Guide[]];

/** Of a link from one document to another; `undefined` where the other is no guide. */
function pathOf(href: string): string | undefined {
  const [file = '', anchor] = href.split('#');
  if (file === '') return href;
  const guide = GUIDES.find((one) => basename(one.file) === file);
  return guide === undefined ? undefined : guide.path + (anchor === undefined ? '' : `#${anchor}`);
}

const isElsewhere = (href: string): boolean => /^https?:/.test(href);

/** `What a request may hold` → `what-a-request-may-hold` */
const slugOf = (heading: string): string => heading.toLowerCase().replace(/[^\p{L}\p{N} -]/gu, '').replaceAll(' ', '-');

/** Links to what is not here are left out, and what may be wider than the page can be scrolled, also by keyboard. */
function renderer(): InstanceType<typeof MarkdownIt> {
  const markdown = new MarkdownIt();
  const { rules } = markdown.renderer;
  const isKept: boolean[] = [];
  rules['link_open'] = (tokens, at, options, _env, self) => {
    const token = tokens[at];
    const href = String(token?.attrGet('href') ?? '');
    const target = isElsewhere(href) ? href : pathOf(href);
    isKept.push(target !== undefined);
    if (target === undefined) return '';
    token?.attrSet('href', target);
    return self.renderToken(tokens, at, options);
  };
  rules['link_close'] = () => (isKept.pop() === true ? '</a>' : '');
  rules['heading_open'] = (tokens, at, options, _env, self) => {
    tokens[at]?.attrSet('id', slugOf(tokens[at + 1]?.content ?? ''));
    return self.renderToken(tokens, at, options);
  };
  let tables = 0;
  rules['table_open'] = () => `<div class="table" role="region" aria-label="Table ${(tables += 1)}" tabindex="0"><table>\n`;
  // A column without a name has no heading.
  const isEmpty = (at: number, tokens: readonly { readonly content: string }[]) => tokens[at]?.content === '';
  rules['th_open'] = (tokens, at) => (isEmpty(at + 1, tokens) ? '<td>' : '<th scope="col">');
  rules['th_close'] = (tokens, at) => (isEmpty(at - 1, tokens) ? '</td>' : '</th>');
  rules['table_close'] = () => '</table></div>\n';
  rules['fence'] = (tokens, at) => `<pre tabindex="0"><code>${escapeHtml(tokens[at]?.content ?? '')}</code></pre>\n`;
  return markdown;
}

/** A document as a page, once it was asked for. `baseUrl`: in the place of the address that the documents name. */
export function guidePages(baseUrl: string): (guide: Guide) => string {
  const made = new Map<Guide, string>();
  return (guide) => {
    const text = made.get(guide) ?? page(`${guide.title} · Twinyard`, `<section class="guide">\n${renderer().render(readFileSync(guide.file, 'utf8').replaceAll('http://localhost:8080', baseUrl))}</section>`);
    made.set(guide, text);
    return text;
  };
}
