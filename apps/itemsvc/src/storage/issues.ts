import { type FieldIssue, invalid, invalidField, tooLarge, toldTogether } from '@twinyard/conventions';
import { isObject } from './filters';

const SHOWN = 5;
/** Of which each is kept; a bulk may hold hundreds of thousands. */
const KEPT = 1_000;

/** Collects the faults of a request, each with its path, and refuses them together: the first thousand in full, the others by their number. */
export class Issues {
  private readonly found: FieldIssue[] = [];
  private count = 0;

  add(field: string, issue: string): void {
    this.count += 1;
    if (this.found.length < KEPT) this.found.push({ field, issue });
  }

  get any(): boolean {
    return this.found.length > 0;
  }

  get list(): readonly FieldIssue[] {
    return this.found;
  }

  refuse(): void {
    if (this.found.length === 0) return;
    const shown = toldTogether(this.found.slice(0, SHOWN));
    const more = this.count > SHOWN ? `; and ${this.count - SHOWN} more` : '';
    throw invalid(shown + more, this.found);
  }

  /** The text, or `undefined` with the fault noted when it is no text or missing where it must be there. */
  text(source: Record<string, unknown>, name: string, at: string, { required = true, max = Number.POSITIVE_INFINITY } = {}): string | undefined {
    const value = source[name] ?? undefined;
    if (value === undefined) return required ? this.fault(at + name, 'is required') : undefined;
    const issue = textIssue(value, required, max);
    return issue === undefined ? (value as string) : this.fault(at + name, issue);
  }

  object(source: Record<string, unknown>, name: string, at: string): Record<string, unknown> | undefined {
    const value = source[name];
    if (value === undefined || value === null) return undefined;
    return isObject(value) ? value : this.fault(at + name, 'must be an object');
  }

  /** Texts, at least one, none twice. */
  texts(source: Record<string, unknown>, name: string, at: string): string[] {
    const value = source[name];
    if (value === undefined || value === null) return this.fault(at + name, 'is required') ?? [];
    if (!Array.isArray(value) || value.length === 0 || !value.every((text) => typeof text === 'string' && text !== '')) {
      return this.fault(at + name, 'must be an array of at least one text') ?? [];
    }
    return [...new Set(value as string[])];
  }

  private fault(field: string, issue: string): undefined {
    this.add(field, issue);
    return undefined;
  }
}

function textIssue(value: unknown, required: boolean, max: number): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  if (required && value.trim() === '') return 'must not be empty';
  return isLonger(value, max) ? `must have at most ${max} characters` : undefined;
}

/** Characters, not halves of them. */
const isLonger = (text: string, max: number) => text.length > max && [...text.slice(0, 2 * max + 1)].length > max;

export function requireArray(body: unknown): readonly unknown[] {
  if (!Array.isArray(body)) throw invalidField('body', 'must be an array');
  return body;
}

/** Entries that a request lists at most; who has more of them imports a file. */
const MAX_ENTRIES = 200_000;

export function requireBoundedArray(body: unknown, what: string): readonly unknown[] {
  const list = requireArray(body);
  if (list.length > MAX_ENTRIES) throw tooLarge(`A request holds at most ${MAX_ENTRIES} ${what}`);
  return list;
}

export function requireObject(body: unknown): Record<string, unknown> {
  if (!isObject(body)) throw invalidField('body', 'must be an object');
  return body;
}
