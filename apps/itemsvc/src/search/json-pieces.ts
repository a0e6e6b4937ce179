import { limitExceeded, type Paging } from '@twinyard/conventions';
import { JsonText } from '@twinyard/service-kit';

/** JSON in pieces that are joined once, in the end: levels that join what is below them copy megabytes each. */
export class JsonPieces {
  constructor(readonly pieces: readonly string[]) {}

  /** What stands below many is there many times: it is weighed before it is joined. */
  textWithin(most: number): JsonText {
    let weight = 0;
    for (const piece of this.pieces) if ((weight += piece.length) > most) throw limitExceeded(`The answer would weigh more than ${most} bytes; ask for smaller pages, or project`, 'project');
    return new JsonText(this.pieces.join(''));
  }
}

/** An object some of whose members are JSON already. */
export function objectOf(members: Readonly<Record<string, unknown>>): JsonPieces {
  const pieces: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    pieces.push(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    if (value instanceof JsonPieces) append(pieces, value);
    else pieces.push(JSON.stringify(value));
  }
  return new JsonPieces(pieces.length === 0 ? ['{}'] : [...pieces, '}']);
}

export function arrayOf(entries: readonly JsonPieces[]): JsonPieces {
  const pieces = ['['];
  for (const [place, entry] of entries.entries()) {
    if (place > 0) pieces.push(',');
    append(pieces, entry);
  }
  pieces.push(']');
  return new JsonPieces(pieces);
}

export const pageOf = (rows: readonly JsonPieces[], total: number, { offset, pageSize }: Paging, more?: Readonly<Record<string, unknown>>): JsonPieces => (
  objectOf({ _offset: offset, _pageSize: pageSize, _total: total, _list: arrayOf(rows), ...more })
);

/** One by one: there may be more pieces than a call takes arguments. */
function append(pieces: string[], { pieces: more }: JsonPieces): void {
  for (const piece of more) pieces.push(piece);
}
