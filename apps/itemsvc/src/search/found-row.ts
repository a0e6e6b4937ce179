import type { Paging } from '@twinyard/conventions';
import type { JsonObject } from '@twinyard/documents';
import { without } from '../storage/projected-ids';
import { JsonPieces, objectOf, pageOf } from './json-pieces';

/** A page of what is related to a row. */
interface RelatedPage {
  readonly rows: readonly FoundRow[];
  readonly total: number;
  readonly paging: Paging;
}

/**
 * A related item on its way into an answer: the text that the store gave, and under the aliases what was found beside it. Texts are put together in the end;
 * to parse thousands of items and write them anew took three quarters of a search.
 */
export class FoundRow {
  private readonly related = new Map<string, RelatedPage>();
  private made: JsonPieces | undefined;

  constructor(readonly key: string, private readonly document: string) {}

  put(as: string, page: RelatedPage): void {
    this.related.set(as, page);
  }

  /** The item without what is related to it. */
  toObject(): JsonObject {
    return JSON.parse(this.document) as JsonObject;
  }

  /** To be asked for when all that is related is there: a row that stands below many is made once. */
  get json(): JsonPieces {
    return (this.made ??= this.related.size === 0 ? new JsonPieces([this.document]) : this.makeJson());
  }

  private makeJson(): JsonPieces {
    const aliases = [...this.related].map(([as, { rows, total, paging }]) => [as, pageOf(rows.map(({ json }) => json), total, paging)] as const);
    const more = objectOf(Object.fromEntries(aliases));
    const own = this.ownText();
    const [begin = '', ...rest] = more.pieces;
    return own === '{}' ? more : new JsonPieces([own.slice(0, -1), `,${begin.slice(1)}`, ...rest]);
  }

  /** A field of the item that is named as an alias gives way to it. */
  private ownText(): string {
    const hidden = [...this.related.keys()].filter((as) => this.document.includes(`${JSON.stringify(as)}:`));
    return hidden.length === 0 ? this.document : JSON.stringify(hidden.reduce<JsonObject>(without, this.toObject()));
  }
}
