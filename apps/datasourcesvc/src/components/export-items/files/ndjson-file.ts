import type { Bytes } from '../../made-files/made-once';
import type { ExportFigures, ExportForm, FileFormat } from './exported-file';

const LINE_FEED = 0x0a;

/** As it comes. */
export const ndjsonFile: FileFormat = { asked: 'ndjson', extension: 'ndjson', contentType: 'application/x-ndjson', make };

async function* make(items: Bytes, _: ExportForm, figures: ExportFigures): AsyncGenerator<Uint8Array> {
  for await (const chunk of items) {
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) figures.rows += 1;
    yield chunk;
  }
}
