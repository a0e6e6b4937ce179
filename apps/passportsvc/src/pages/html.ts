const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Markup that is safe to put into a page. Only this file makes it, of what it has escaped. */
export class Html {
  constructor(readonly markup: string) {}

  static of(parts: readonly Html[]): Html {
    return new Html(parts.map(({ markup }) => markup).join(''));
  }
}

type Part = string | number | Html | undefined | false;

/** Tagged template: every value is escaped unless it is markup itself. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((page, text, index) => page + toMarkup(parts[index - 1]) + text));
}

function toMarkup(part: Part): string {
  if (part instanceof Html) return part.markup;
  if (part === undefined || part === false) return '';
  return escapeText(String(part));
}

export const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

/** Attributes of an element: `true` stands for one without a value, `false` and `undefined` for none. */
export function attributes(values: Readonly<Record<string, string | boolean | undefined>>): Html {
  const present = Object.entries(values).filter(([, value]) => value !== undefined && value !== false);
  return new Html(present.map(([name, value]) => (value === true ? ` ${name}` : ` ${name}="${escapeText(String(value))}"`)).join(''));
}
