import { Injectable } from '@nestjs/common';
import type { Outcome, RequestContext } from '@twinyard/auth';
import { invalid, invalidField, isRefusal, type Page, type QueryValues, textParameter, toPage } from '@twinyard/conventions';
import type { DocumentTx, JsonObject, ParsedFilter, Reading } from '@twinyard/documents';
import { ItemAccess, type Place } from '../nameditems/item-access';
import type { Use } from '../nameditems/item-reach';
import { type ProcessingFault, toProcessingErrors } from '../processingerrors/processing-error';
import { ProcessingErrorsRepository } from '../processingerrors/processing-errors.repository';
import { CollectionWrites, type Effect, type PreparedWrite } from '../relateditems/collection-writes';
import { requireNoneSeen } from '../relateditems/part-rule';
import { RelatedItemsRepository, spotOf } from '../relateditems/related-items.repository';
import { Issues } from '../storage/issues';
import { parseListQuery } from '../storage/list-query';
import { type Normalized, NormalizeReadings, rawReadings } from './normalize-readings';
import { type ReadingDraft, readReadings } from './reading.parse';
import { readingsOf, ReadingsRepository } from './readings.repository';
import { type ConflictRule, NONE_WRITTEN, parseConflictRule, resolve, type WrittenReadings } from './same-instants';

interface SentReadings {
  readonly place: Place;
  readonly sent: readonly ReadingDraft[];
  readonly rule: ConflictRule | undefined;
}

@Injectable()
export class ReadingsService {
  constructor(
    private readonly access: ItemAccess,
    private readonly related: RelatedItemsRepository,
    private readonly readings: ReadingsRepository,
    private readonly writes: CollectionWrites,
    private readonly normalization: NormalizeReadings,
    private readonly errors: ProcessingErrorsRepository,
  ) {}

  /** Counts what met another reading where it is asked what becomes of that. */
  async put(ctx: RequestContext, key: string, query: QueryValues, body: unknown): Promise<Outcome> {
    const rule = parseConflictRule(query);
    const place = await this.place(ctx, key, textParameter(query, 'userItemVersionId'), 'measure');
    const { drafts, issues } = readReadings(body);
    if (issues.any) await this.addItemFaults(place, drafts, issues);
    issues.refuse();
    const written = drafts.length > 0 ? await this.writes.run(ctx.origin, place, (await this.prepare(place, drafts, rule)).write) : NONE_WRITTEN;
    return rule === undefined ? { status: 204 } : { status: 200, body: written };
  }

  /** The same, to be written in a transaction that does more; scripts have run when this resolves. */
  async prepare(place: Place, drafts: readonly ReadingDraft[], rule?: ConflictRule): Promise<PreparedWrite<WrittenReadings>> {
    const normalized = await this.normalization.run(place, drafts);
    return { alsoLock: [], write: (tx) => this.writeNormalized(tx, { place, sent: drafts, rule }, normalized) };
  }

  async list(ctx: RequestContext, key: string, query: QueryValues): Promise<Page<Reading>> {
    const wanted = parseListQuery(query);
    const place = await this.place(ctx, key, wanted.versionId, 'read');
    return toPage(await this.readings.list(spotOf(place), wanted, await this.reach(place)), wanted.paging, (row) => row);
  }

  async aggregate(ctx: RequestContext, key: string, query: QueryValues, body: unknown): Promise<{ readonly _list: readonly JsonObject[] }> {
    const place = await this.place(ctx, key, textParameter(query, 'userItemVersionId'), 'read');
    if (!Array.isArray(body)) throw invalidField('body', 'must be an array of stages');
    return { _list: await this.readings.aggregate(spotOf(place), body, await this.reach(place)) };
  }

  /** Readings belong to items: who may READ some of these may read their series alone. */
  async reach(place: Place): Promise<ParsedFilter | undefined> {
    return place.only && readingsOf(await this.related.idsInReach(spotOf(place)));
  }

  /** What was sent must be right in itself: else it is the sender's fault. Then all is stored, or all is kept as what could not be. */
  private async writeNormalized(tx: DocumentTx, { place, sent, rule }: SentReadings, normalized: Normalized): Promise<Effect<WrittenReadings>> {
    await this.requireItems(tx, place, sent);
    if (normalized.kind === 'failed') return this.keep(tx, place, sent, normalized.fault);
    const { drafts, by } = normalized;
    const unfit = by && (await this.requireItems(tx, place, drafts).then(() => undefined, refusalOf));
    if (by && unfit !== undefined) return this.keep(tx, place, sent, { ...by, message: `The script returned what cannot be stored: ${unfit}` });
    return this.store(tx, place, drafts.map(({ reading }) => reading), rule);
  }

  private async store(tx: DocumentTx, place: Place, sent: readonly Reading[], rule: ConflictRule = 'replace'): Promise<Effect<WrittenReadings>> {
    if (rule === 'replace') return this.replace(tx, place, sent);
    const { readings, written } = resolve(sent, await this.readings.at(tx, spotOf(place), sent), rule);
    return readings.length === 0 ? { answer: written } : { ...(await this.replace(tx, place, readings)), answer: written };
  }

  private async replace(tx: DocumentTx, place: Place, readings: readonly Reading[]): Promise<Effect<WrittenReadings>> {
    const { inserted, replaced, bytesDelta } = await this.readings.put(tx, spotOf(place), readings);
    const verb = inserted > 0 ? 'created' : 'updated';
    return { answer: { ...NONE_WRITTEN, _new: inserted, _replaced: replaced }, readings: { verb, changed: readings.length, growth: { count: inserted, bytes: bytesDelta } } };
  }

  private async keep(tx: DocumentTx, place: Place, sent: readonly ReadingDraft[], fault: ProcessingFault): Promise<Effect<WrittenReadings>> {
    await this.errors.put(tx, toProcessingErrors(place, rawReadings(sent), fault, Date.now()));
    return { answer: NONE_WRITTEN };
  }

  /** Contract 2.7: the item must be in the collection, and the sensor the item's; each that is not is named. */
  private async requireItems(tx: DocumentTx, place: Place, drafts: readonly ReadingDraft[]): Promise<void> {
    const ids = [...new Set(drafts.map(({ reading }) => reading._tsMetadata._telItemId))];
    const sources = await this.related.sources(tx, spotOf(place), ids);
    await requireNoneSeen(this.related, tx, place, ids.filter((id) => !sources.has(id)));
    const issues = new Issues();
    addFaultsOf(drafts, sources, issues);
    issues.refuse();
  }

  /** What else is wrong with a request that is refused already: all its faults are told at once. */
  private async addItemFaults(place: Place, drafts: readonly ReadingDraft[], issues: Issues): Promise<void> {
    const named = drafts.filter(({ reading }) => reading._tsMetadata._telItemId !== '');
    const sources = await this.related.sources(undefined, spotOf(place), [...new Set(named.map(({ reading }) => reading._tsMetadata._telItemId))]);
    addFaultsOf(named, sources, issues);
  }

  async place(ctx: RequestContext, key: string, versionId: string | undefined, use: Use): Promise<Place> {
    const place = await this.access.placeFor(ctx, key, versionId || undefined, use);
    if (place.item._itemClass !== 'NamedTelemetryCollection') throw invalid(`A ${place.item._itemClass} holds no readings`);
    return place;
  }
}

function addFaultsOf(drafts: readonly ReadingDraft[], sources: ReadonlyMap<string, string | undefined>, issues: Issues): void {
  for (const { at, reading: { _tsMetadata: { _telItemId, _sourceId } } } of drafts) {
    if (!sources.has(_telItemId)) issues.add(`${at}._tsMetadata._telItemId`, `there is no telemetry item ${_telItemId}`);
    else if (_sourceId !== '' && sources.get(_telItemId) !== _sourceId) issues.add(`${at}._tsMetadata._sourceId`, `is not the source of the item ${_telItemId}`);
  }
}

/** The words of a refusal; outages are no refusals. */
function refusalOf(error: unknown): string {
  if (isRefusal(error)) return error.message;
  throw error;
}
