import { Injectable } from '@nestjs/common';
import { keepingAnswer, keptWith, NO_CONTENT, type Outcome, type OwnAnswer, type RequestContext, tenantOf } from '@twinyard/auth';
import { invalidAbout, invalidField, isRefusal, jsonInTurns, type Page, type QueryValues, type ServiceError, textParameter, toPage } from '@twinyard/conventions';
import type { DocumentTx, ParsedFilter, Reading, UpsertResult } from '@twinyard/documents';
import { JsonText, type Outcome as WriteOutcome } from '@twinyard/service-kit';
import { ItemAccess, type Place } from '../nameditems/item-access';
import type { Use } from '../nameditems/item-reach';
import { type ProcessingFault, toProcessingErrors } from '../processingerrors/processing-error';
import { ProcessingErrorsRepository } from '../processingerrors/processing-errors.repository';
import { CollectionWrites, type Effect, type JointWrite, jointly, type PreparedWrite, weightOf, type WriteOptions } from '../relateditems/collection-writes';
import { requireNoneSeen } from '../relateditems/part-rule';
import { RelatedItemsRepository, spotOf } from '../relateditems/related-items.repository';
import { Issues } from '../storage/issues';
import { parseListQuery } from '../storage/list-query';
import { type Normalized, NormalizeReadings, rawReadings } from './normalize-readings';
import { type ReadingDraft, readReadings } from './reading.parse';
import { readingsOf, ReadingsRepository } from './readings.repository';
import { type ConflictRule, NONE_WRITTEN, parseConflictRule, resolve, type WrittenReadings } from './same-instants';

@Injectable()
export class ReadingsService implements JointWrite<ReadingBatch, undefined> {
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
    const { drafts, issues } = await readReadings(body);
    if (issues.any) await this.addItemFaults(place, drafts, issues);
    issues.refuse();
    if (rule === undefined) {
      await this.store(ctx, place, drafts, { lastOf: ctx, finish: keptWith(ctx, () => NO_CONTENT) });
      return NO_CONTENT;
    }
    const answer = (body: WrittenReadings): OwnAnswer => ({ status: 200, body });
    if (drafts.length === 0) return answer(NONE_WRITTEN);
    const { write } = await this.prepare(ctx, place, drafts, rule);
    return keepingAnswer(ctx, answer, (finish) => this.writes.run(ctx.origin, place, write, { finish }));
  }

  /** All or none. */
  async store(ctx: RequestContext, place: Place, drafts: readonly ReadingDraft[], options: Pick<WriteOptions<undefined>, 'lastOf' | 'finish'> = {}): Promise<void> {
    if (drafts.length === 0) return;
    const batch = { place, drafts, normalized: await this.normalization.run(ctx, place, drafts) };
    const write = async (tx: DocumentTx) => ({ ...(await this.writeNormalized(tx, batch)), answer: undefined });
    await this.writes.run(ctx.origin, place, write, { ...options, weight: weightOf(drafts), ...(canJoin(batch) && { joint: jointly(this, batch) }) });
  }

  /** The same, to be written in a transaction that does more; scripts have run when this resolves. */
  async prepare(ctx: RequestContext, place: Place, drafts: readonly ReadingDraft[], rule?: ConflictRule): Promise<PreparedWrite<WrittenReadings>> {
    const normalized = await this.normalization.run(ctx, place, drafts);
    return { alsoLock: [], write: (tx) => this.writeNormalized(tx, { place, drafts, normalized }, rule) };
  }

  /** Those of many callers: one look-up of their items, and one statement. */
  async writeTogether(tx: DocumentTx, place: Place, batches: readonly ReadingBatch[]): Promise<readonly WriteOutcome<Effect<undefined>>[]> {
    const sources = await this.related.sources(tx, spotOf(place), itemsIn(batches.flatMap(({ drafts }) => drafts)));
    const faults = batches.map(({ drafts }) => refusalIn(drafts, sources));
    const groups = batches.map(({ drafts }, index) => (faults[index] === undefined ? drafts.map(({ reading }) => reading) : []));
    const results = await this.readings.putGroups(tx, spotOf(place), groups);
    return batches.map(({ drafts }, index) => {
      if (faults[index] !== undefined) return { status: 'rejected', reason: faults[index] };
      return { status: 'fulfilled', value: effectOf(drafts, results[index] as UpsertResult) };
    });
  }

  async list(ctx: RequestContext, key: string, query: QueryValues): Promise<Page<Reading>> {
    const wanted = parseListQuery(ctx, query);
    const place = await this.place(ctx, key, wanted.versionId, 'read');
    return toPage(await this.readings.list(spotOf(place), wanted, await this.reach(place)), wanted.paging, (row) => row);
  }

  /** No longer than until the caller has gone. */
  async aggregate(ctx: RequestContext, key: string, query: QueryValues, body: unknown, gone: AbortSignal): Promise<JsonText> {
    const place = await this.place(ctx, key, textParameter(query, 'userItemVersionId'), 'read');
    if (!Array.isArray(body)) throw invalidField('body', 'must be an array of stages');
    return new JsonText(await jsonInTurns({ _list: await this.readings.aggregate(spotOf(place), body, await this.reach(place), { tenant: tenantOf(ctx), gone }) }));
  }

  /** Readings belong to items: who may READ some of these may read their series alone. */
  async reach(place: Place): Promise<ParsedFilter | undefined> {
    return place.only && readingsOf(await this.related.idsInReach(spotOf(place)));
  }

  /** What was sent must be right in itself: else it is the sender's fault. Then all is stored, or all is kept as what could not be. */
  private async writeNormalized(tx: DocumentTx, { place, drafts: sent, normalized }: ReadingBatch, rule?: ConflictRule): Promise<Effect<WrittenReadings>> {
    await this.requireItems(tx, place, sent);
    if (normalized.kind === 'failed') return this.keep(tx, place, sent, normalized.fault);
    const { drafts, by } = normalized;
    const unfit = by && (await this.requireItems(tx, place, drafts).then(() => undefined, refusalOf));
    if (by && unfit !== undefined) return this.keep(tx, place, sent, { ...by, message: `The script returned what cannot be stored: ${unfit}` });
    return this.storeBy(tx, place, drafts.map(({ reading }) => reading), rule);
  }

  private async storeBy(tx: DocumentTx, place: Place, sent: readonly Reading[], rule: ConflictRule = 'replace'): Promise<Effect<WrittenReadings>> {
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
    const ids = itemsIn(drafts);
    const sources = await this.related.sources(tx, spotOf(place), ids);
    await requireNoneSeen(this.related, tx, place, ids.filter((id) => !sources.has(id)));
    requireSources(drafts, sources);
  }

  /** What else is wrong with a request that is refused already: all its faults are told at once. */
  private async addItemFaults(place: Place, drafts: readonly ReadingDraft[], issues: Issues): Promise<void> {
    const named = drafts.filter(({ reading }) => reading._tsMetadata._telItemId !== '');
    const sources = await this.related.sources(undefined, spotOf(place), itemsIn(named));
    addFaultsOf(named, sources, issues);
  }

  async place(ctx: RequestContext, key: string, versionId: string | undefined, use: Use): Promise<Place> {
    const place = await this.access.placeFor(ctx, key, versionId || undefined, use);
    if (place.item._itemClass !== 'NamedTelemetryCollection') throw invalidAbout('id', `A ${place.item._itemClass} holds no readings`);
    return place;
  }
}

/** What one request sent, and what came of it when it went through a script. */
interface ReadingBatch {
  readonly place: Place;
  readonly drafts: readonly ReadingDraft[];
  readonly normalized: Normalized;
}

/** What a script made may be at fault in ways of its own, and whose reach ends within a collection is told what it may not see. */
const canJoin = ({ place, normalized }: ReadingBatch) => place.only === undefined && normalized.kind === 'fit' && normalized.by === undefined;

const itemsIn = (drafts: readonly ReadingDraft[]) => [...new Set(drafts.map(({ reading }) => reading._tsMetadata._telItemId))];

const effectOf = (drafts: readonly ReadingDraft[], { inserted, bytesDelta }: UpsertResult): Effect<undefined> => (
  { answer: undefined, readings: { verb: inserted > 0 ? 'created' : 'updated', changed: drafts.length, growth: { count: inserted, bytes: bytesDelta } } }
);

type Sources = ReadonlyMap<string, string | undefined>;

function requireSources(drafts: readonly ReadingDraft[], sources: Sources): void {
  const issues = new Issues();
  addFaultsOf(drafts, sources, issues);
  issues.refuse();
}

function refusalIn(drafts: readonly ReadingDraft[], sources: Sources): ServiceError | undefined {
  try {
    requireSources(drafts, sources);
    return undefined;
  } catch (error) {
    if (isRefusal(error)) return error;
    throw error;
  }
}

function addFaultsOf(drafts: readonly ReadingDraft[], sources: Sources, issues: Issues): void {
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
