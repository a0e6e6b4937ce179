import { invalidField, mapInTurns, tooLarge } from '@twinyard/conventions';
import { type CollectionRef, MAX_DOCUMENT_BYTES, type StoredDocument } from './document';

/** The JSON of documents that are to be written, and what each weighs (`byteSize`). */
export interface MeasuredDocuments {
  /** Commas between them. */
  readonly list: string;
  readonly sizes: readonly number[];
  readonly bytes: number;
}

/** Errors: `too_large` for a document of more bytes than one may have. */
export function requireStorable({ _id }: StoredDocument, bytes: number, { maxDocumentBytes = MAX_DOCUMENT_BYTES }: CollectionRef): void {
  if (bytes > maxDocumentBytes) throw tooLarge(`${_id} has ${bytes} bytes; at most ${maxDocumentBytes} are kept of one`);
}

export async function measureDocuments(target: CollectionRef, documents: readonly StoredDocument[]): Promise<MeasuredDocuments> {
  const texts = await mapInTurns(documents, (document) => {
    if (typeof document._id !== 'string' || document._id === '') throw invalidField('_id', 'must be a text');
    return JSON.stringify(document);
  });
  const sizes = texts.map((text) => Buffer.byteLength(text));
  sizes.forEach((size, index) => requireStorable(documents[index] as StoredDocument, size, target));
  return { list: texts.join(','), sizes, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
