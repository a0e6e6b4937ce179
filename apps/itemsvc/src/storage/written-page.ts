import { type Paging, Turn } from '@twinyard/conventions';
import { JsonText } from '@twinyard/service-kit';

/**
 * The page of what a write made or changed, in the order of the request, as far as an answer goes: `_pageSize` says how many come, one at least, and the others can be
 * read where they are. In as many turns as it takes.
 *
 * @param mostBytes of the rows
 * @param end members of the page behind its list
 */
export async function toWrittenPage<T>(rows: readonly T[], show: (row: T) => object, mostBytes: number, end: Readonly<Record<string, unknown>> = {}): Promise<JsonText> {
  const turn = new Turn();
  const texts: string[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (turn.isOver) await turn.pass();
    const text = JSON.stringify(show(row));
    bytes += Buffer.byteLength(text);
    if (bytes > mostBytes && texts.length > 0) break;
    texts.push(text);
  }
  return new JsonText(`${pageHead({ offset: 0, pageSize: texts.length }, rows.length)}${texts.join(',')}${pageEnd(end)}`);
}

/** What stands before and behind the list of a page, for who has that as text. */
export const pageHead = ({ offset, pageSize }: Paging, total: number) => `{"_offset":${offset},"_pageSize":${pageSize},"_total":${total},"_list":[`;
export const pageEnd = (end: Readonly<Record<string, unknown>> = {}) => `]${Object.entries(end).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`).join('')}}`;
