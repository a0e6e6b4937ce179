import type { StoredDocument } from '../document';

/** Some hundred collections that are asked for at a time. */
const MOST = 256;
/** Longer ones are parsed each time: they would be kept for long. */
const LONGEST = 16_000;

interface Known {
  readonly text: string;
  readonly document: StoredDocument;
}

/**
 * What documents say that are found again and again beside others. Each time the store gives the text anew; only when it is the same, letter by letter, it need not be
 * parsed again. What is handed out is frozen, since many get the same.
 */
export class KnownDocuments {
  private readonly byId = new Map<string, Known>();

  parse(id: string | undefined, text: string): StoredDocument {
    if (id === undefined || text.length > LONGEST) return JSON.parse(text) as StoredDocument;
    const known = this.byId.get(id);
    if (known !== undefined && known.text === text) return known.document;
    const document = frozen(JSON.parse(text) as StoredDocument);
    this.byId.delete(id);
    this.byId.set(id, { text, document });
    if (this.byId.size > MOST) this.byId.delete(this.byId.keys().next().value as string);
    return document;
  }
}

function frozen<T>(value: T): T {
  if (value !== null && typeof value === 'object') Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}
