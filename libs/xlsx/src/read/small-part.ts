import { XmlFeed, type XmlReader } from '../xml/xml-feed';
import type { Stopwatch } from '../xml/stopwatch';
import type { XlsxLimits } from '../xlsx-limits';
import type { PackageParts } from '../zip/package-parts';

/** What is needed to read parts of one workbook. */
export interface Reading {
  readonly parts: PackageParts;
  readonly limits: XlsxLimits;
  readonly watch: Stopwatch;
}

/** Reads a part to its end. */
export async function readPart({ parts, watch }: Reading, name: string, maxBytes: number, reader: XmlReader): Promise<void> {
  const feed = new XmlFeed(name, reader);
  for await (const chunk of parts.read(name, maxBytes)) watch.time(() => feed.take(chunk));
  watch.time(() => feed.end());
}
