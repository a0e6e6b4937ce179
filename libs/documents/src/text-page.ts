import type { StoredDocument } from './document';
import type { FindQuery, JsonList, TextPage, TextRow, TextRows } from './document-store';
import { type ParsedProjection, project } from './projection';

export const toList = (documents: readonly StoredDocument[]): string => documents.map((document) => JSON.stringify(document)).join(',');

export const documentsIn = (list: JsonList): StoredDocument[] => JSON.parse(`[${typeof list === 'string' ? list : Buffer.concat(list).toString()}]`) as StoredDocument[];

export function projectList(list: string, projection: ParsedProjection | undefined): string {
  return projection === undefined ? list : toList(documentsIn(list).map((document) => project(document, projection)));
}

/** The `_id` may be one of what a projection leaves out: it is taken before. */
export const toTextRow = (document: StoredDocument, projection?: ParsedProjection): TextRow => (
  { id: document._id, text: JSON.stringify(projection === undefined ? document : project(document, projection)) }
);

export const textRowsOf = (documents: readonly StoredDocument[], total: number, projection?: ParsedProjection): TextRows => ({ rows: documents.map((document) => toTextRow(document, projection)), total });

/** A page that is not full ends what matches: nothing is left to be counted. */
export function totalFrom(count: number, { limit, skip = 0 }: Pick<FindQuery, 'limit' | 'skip'>): number | undefined {
  return count < limit && (count > 0 || skip === 0) ? skip + count : undefined;
}

export const pageOf = (documents: readonly StoredDocument[], total: number): TextPage => ({ list: toList(documents), count: documents.length, total });
