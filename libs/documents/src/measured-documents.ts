import { invalid } from '@twinyard/conventions';
import type { StoredDocument } from './document';

/** The JSON of documents that are to be written, and what each weighs (`byteSize`). */
export interface MeasuredDocuments {
  /** Commas between them. */
  readonly list: string;
  readonly sizes: readonly number[];
  readonly bytes: number;
}

export function measureDocuments(documents: readonly StoredDocument[]): MeasuredDocuments {
  const texts = documents.map((document) => {
    if (typeof document._id !== 'string' || document._id === '') throw invalid('_id: must be a text');
    return JSON.stringify(document);
  });
  const sizes = texts.map((text) => Buffer.byteLength(text));
  return { list: texts.join(','), sizes, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
