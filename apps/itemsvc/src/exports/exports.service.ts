import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { type QueryValues, ServiceError } from '@twinyard/conventions';
import type { Snapshot, StoredDocument } from '@twinyard/documents';
import { ItemAccess, type Place } from '../nameditems/item-access';
import { ReadingsService } from '../readings/readings.service';
import { viewOf } from '../relateditems/related-item';
import { spotOf } from '../relateditems/related-items.repository';
import { parseRowFormat } from '../rows/row';
import { type TextColumns, TEXTS_OF_READINGS, textsOfItems } from '../rows/text-columns';
import { parseListQuery } from '../storage/list-query';
import { ExportedRowsRepository, type RowParts } from './exported-rows.repository';
import { type Export, headersOf } from './export';
import { openRowStream } from './row-stream';

/** Each holds a connection of the store for as long as its reader takes; a process has ten. */
const AT_ONCE = 4;

/** Collection versions as files, of one moment each, in the caller's reach. */
@Injectable()
export class ExportsService {
  private open = 0;

  constructor(
    private readonly access: ItemAccess,
    private readonly readingsService: ReadingsService,
    private readonly rows: ExportedRowsRepository,
  ) {}

  async relatedItems(ctx: RequestContext, key: string, query: QueryValues): Promise<Export> {
    const format = parseRowFormat(query);
    const { versionId, projection, ...rest } = parseListQuery(query);
    const place = await this.access.placeFor(ctx, key, versionId, 'read');
    const view = viewOf(place, projection);
    const wanted = { ...rest, ...(view.projection && { projection: view.projection }) };
    const spot = spotOf(place);
    const source = { format, texts: textsOfItems(place.item._itemClass) };
    return this.start(place, 'relateditems', source, (snapshot) => viewed(this.rows.relatedItems(snapshot, spot, wanted), (row) => view.show(row as StoredDocument)));
  }

  async readings(ctx: RequestContext, key: string, query: QueryValues): Promise<Export> {
    const format = parseRowFormat(query);
    const { versionId, ...wanted } = parseListQuery(query);
    const place = await this.readingsService.place(ctx, key, versionId, 'read');
    const only = await this.readingsService.reach(place);
    return this.start(place, 'readings', { format, texts: TEXTS_OF_READINGS }, (snapshot) => this.rows.readings(snapshot, spotOf(place), wanted, only));
  }

  private async start(place: Place, what: string, { format, texts }: { format: Export['format']; texts: TextColumns }, rows: (snapshot: Snapshot) => RowParts): Promise<Export> {
    if (this.open >= AT_ONCE) throw new ServiceError('too_many_requests', `More than ${AT_ONCE} exports at once`, { retryAfter: 1 });
    this.open += 1;
    let isOpen = true;
    const release = async (snapshot?: Snapshot) => {
      if (isOpen) this.open -= 1;
      isOpen = false;
      await snapshot?.close();
    };
    try {
      const snapshot = await this.rows.snapshot();
      const source = { rows: () => rows(snapshot), format, texts, release: () => release(snapshot) };
      return { format, headers: headersOf(place, what, format), body: await openRowStream(source), release: source.release };
    } catch (error) {
      await release();
      throw error;
    }
  }
}

type Fields = Readonly<Record<string, unknown>>;
type View = (row: Fields) => Fields;

async function* viewed(parts: RowParts, view: View): AsyncGenerator<readonly Fields[], void> {
  for await (const part of parts) yield part.map(view);
}
