import { invalidField } from '@twinyard/conventions';

/** What placeholders are filled with. */
export interface TemplateValues {
  readonly inparams: unknown;
  readonly actualParams: unknown;
}

/** Where a text stands, and what may be put in there. */
export interface Place {
  readonly at: string;
  readonly takesSecrets?: boolean;
  /** Of a value that something stands before. */
  readonly encode?: (value: string, at: string) => string;
}

type Placeholder =
  | { readonly kind: 'secret'; readonly name: string }
  | { readonly kind: 'value'; readonly root: keyof TemplateValues; readonly path: readonly string[]; readonly text: string };

const PLACEHOLDER = /\{\{([^{}]{1,1000})\}\}/g;
const ONE_PLACEHOLDER = /^\{\{([^{}]{1,1000})\}\}$/;
const VALUE = /^(inparams|actualParams)((?:\.[^.\s]+)*)$/;
const SECRET = 'secret:';
const MOST_LEVELS = 100;
/** Of all that is filled in one step. */
const MOST_CHARACTERS = 10 * 1024 ** 2;

/** Fills `{{inparams.a.b}}`, `{{actualParams.x}}` and `{{secret:name}}`. What is put in is not looked at again, so a value brings no placeholder with it. */
export class Templates {
  private left = MOST_CHARACTERS;

  constructor(private readonly values: TemplateValues, private readonly secrets: ReadonlyMap<string, string> = new Map()) {}

  text(text: string, place: Place): string {
    this.take(text, place.at);
    return text.replace(PLACEHOLDER, (whole: string, inner: string, offset: number) => {
      const placeholder = parsePlaceholder(inner);
      if (placeholder === undefined) return whole;
      const written = placeholder.kind === 'secret' ? this.secret(placeholder.name, place) : writtenAs(this.lookUp(placeholder, place.at));
      const taken = this.take(written, place.at);
      return placeholder.kind === 'value' && offset > 0 && place.encode !== undefined ? place.encode(taken, place.at) : taken;
    });
  }

  /** All texts of a value. One that is a placeholder and nothing else becomes what the placeholder stands for: a number stays a number. */
  value(value: unknown, place: Place): unknown {
    return mapTexts(value, place.at, (text, at) => {
      const placeholder = parsePlaceholder(ONE_PLACEHOLDER.exec(text)?.[1] ?? '');
      if (placeholder?.kind !== 'value') return this.text(text, { ...place, at });
      const found = this.lookUp(placeholder, at);
      this.take(writtenAs(found), at);
      return found;
    });
  }

  private lookUp({ root, path, text }: Placeholder & { readonly kind: 'value' }, at: string): unknown {
    let value = this.values[root];
    for (const key of path) {
      if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) throw invalidField(at, `there is no ${text}`);
      value = (value as Record<string, unknown>)[key];
    }
    return value;
  }

  private secret(name: string, { at, takesSecrets }: Place): string {
    if (takesSecrets !== true) throw invalidField(at, 'a secret may stand in values of headers and in the body alone');
    const value = this.secrets.get(name);
    if (value === undefined) throw invalidField(at, `the secret ${JSON.stringify(name)} is not among those of the step`);
    return value;
  }

  private take(text: string, at: string): string {
    this.left -= text.length;
    if (this.left < 0) throw invalidField(at, `is larger than ${MOST_CHARACTERS / 1024 ** 2} MB when it is filled`);
    return text;
  }
}

/** The secrets that stand in the texts of a value. */
export function secretsNamedIn(value: unknown, at: string): string[] {
  const names: string[] = [];
  mapTexts(value, at, (text) => {
    for (const [, inner = ''] of text.matchAll(PLACEHOLDER)) {
      const placeholder = parsePlaceholder(inner);
      if (placeholder?.kind === 'secret') names.push(placeholder.name);
    }
    return text;
  });
  return names;
}

/** What is neither is left as it stands: it may be a template of the other side. */
function parsePlaceholder(inner: string): Placeholder | undefined {
  const text = inner.trim();
  if (text.startsWith(SECRET)) return { kind: 'secret', name: text.slice(SECRET.length).trim() };
  const [, root, path] = VALUE.exec(text) ?? [];
  if (root === undefined || path === undefined) return undefined;
  return { kind: 'value', root: root as keyof TemplateValues, path: path.split('.').slice(1), text };
}

/** Within a text; `null` is an empty one. */
function writtenAs(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function mapTexts(value: unknown, at: string, change: (text: string, at: string) => unknown, level = 0): unknown {
  if (typeof value === 'string') return change(value, at);
  if (value === null || typeof value !== 'object') return value;
  if (level === MOST_LEVELS) throw invalidField(at.slice(0, 100), `is nested more than ${MOST_LEVELS} levels deep`);
  if (Array.isArray(value)) return value.map((entry: unknown, index) => mapTexts(entry, `${at}[${index}]`, change, level + 1));
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapTexts(entry, `${at}.${key}`, change, level + 1)]));
}
