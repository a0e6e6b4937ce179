import { Inject, Injectable } from '@nestjs/common';
import { type RequestContext, tenantOf } from '@twinyard/auth';
import { type QueryValues, ServiceError } from '@twinyard/conventions';
import type { Snapshot, StoredDocument } from '@twinyard/documents';
import { FairShare, fairShareTerms } from '@twinyard/service-kit';
import { ITEM_SETTINGS, type ItemSettings } from '../config';
import { ItemAccess, type Place } from '../nameditems/item-access';
import { ReadingsService } from '../readings/readings.service';
import { isShownAsStored, viewOf } from '../relateditems/related-item';
import { spotOf } from '../relateditems/related-items.repository';
import { parseRowFormat } from '../rows/row';
import { TEXTS_OF_READINGS, textsOfItems } from '../rows/text-columns';
import { parseListQuery } from '../storage/list-query';
import { ExportedRowsRepository, type RowParts } from './exported-rows.repository';
import { type Export, headersOf } from './export';
import { openRowStream, type RowSource } from './row-stream';

/** Each holds a connection of the store for as long as its reader takes, so that nobody waits for one. */
const tooMany = () => new ServiceError('too_many_requests', 'More exports at once than this namespace may have', { retryAfter: 1 });

/** Collection versions as files, of one moment each, in the caller's reach. */
@Injectable()
export class ExportsService {
  private readonly places: FairShare;

  constructor(
    private readonly access: ItemAccess,
    private readonly readingsService: ReadingsService,
    private readonly rows: ExportedRowsRepository,
    @Inject(ITEM_SETTINGS) settings: ItemSettings,
  ) {
    this.places = new FairShare(fairShareTerms(settings, settings.EXPORT_PLACES));
  }

  async relatedItems(ctx: RequestContext, key: string, query: QueryValues): Promise<Export> {
    const format = parseRowFormat(query);
    const { versionId, projection, ...rest } = parseListQuery(ctx, query);
    const place = await this.access.placeFor(ctx, key, versionId, 'read');
    const view = viewOf(place, projection);
    const wanted = { ...rest, ...(view.projection && { projection: view.projection }) };
    const spot = spotOf(place);
    return this.start(ctx, place, { what: 'relateditems', format, columns: textsOfItems(place.item._itemClass) }, (snapshot) => ({
      rows: () => viewed(this.rows.relatedItems(snapshot, spot, wanted), (row) => view.show(row as StoredDocument)),
      ...(projection === undefined && isShownAsStored(place.item) && { texts: () => this.rows.relatedItemTexts(snapshot, spot, rest) }),
    }));
  }

  async readings(ctx: RequestContext, key: string, query: QueryValues): Promise<Export> {
    const format = parseRowFormat(query);
    const { versionId, ...wanted } = parseListQuery(ctx, query);
    const place = await this.readingsService.place(ctx, key, versionId, 'read');
    const only = await this.readingsService.reach(place);
    const spot = spotOf(place);
    return this.start(ctx, place, { what: 'readings', format, columns: TEXTS_OF_READINGS }, (snapshot) => ({
      rows: () => this.rows.readings(snapshot, spot, wanted, only),
      ...(wanted.projection === undefined && { texts: () => this.rows.readingTexts(snapshot, spot, wanted, only) }),
    }));
  }

  private async start(ctx: RequestContext, place: Place, { what, format, columns }: Form, content: (snapshot: Snapshot) => Content): Promise<Export> {
    const leave = this.places.enterNow(tenantOf(ctx), tooMany);
    const release = async (snapshot?: Snapshot) => {
      leave();
      await snapshot?.close();
    };
    try {
      const snapshot = await this.rows.snapshot();
      const end = () => release(snapshot);
      const source = { ...content(snapshot), format, columns, release: end };
      return { format, headers: headersOf(place, what, format), body: await openRowStream(source), release: end };
    } catch (error) {
      await release();
      throw error;
    }
  }
}

type Content = Pick<RowSource, 'rows' | 'texts'>;

interface Form extends Pick<RowSource, 'format' | 'columns'> {
  readonly what: string;
}

type Fields = Readonly<Record<string, unknown>>;
type View = (row: Fields) => Fields;

async function* viewed(parts: RowParts, view: View): AsyncGenerator<readonly Fields[], void> {
  for await (const part of parts) yield part.map(view);
}
