import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { type FieldIssue, isRefusal, mapInTurns, outcomeOf, type ServiceError, tooLarge } from '@twinyard/conventions';
import { ItemAccess, type Place } from '../nameditems/item-access';
import { RelatedItemsRepository, spotOf } from '../relateditems/related-items.repository';
import { Issues, requireArray } from '../storage/issues';
import { type GatewayEntry, MAX_ENTRIES, readEntry, toReading } from './gateway-entry';
import { parseReading, type ReadingDraft } from './reading.parse';
import { ReadingsService } from './readings.service';
import { SensorHomes } from './sensors/sensor-homes';

export interface GatewayAnswer {
  /** Readings that are stored, or kept as what a script could not normalize. */
  readonly _accepted: number;
  readonly _refused: readonly { readonly index: number; readonly _reason: string }[];
}

/** Collections that are written to at a time: each is a transaction of its own, and no request has more connections. */
const AT_A_TIME = 2;
const WITH_ANOTHER = 'was not stored, since another reading of the same collection was refused';

/** The readings of a request that belong to one collection. */
interface Batch {
  readonly place: Place;
  readonly entries: GatewayEntry[];
}

/** Takes the readings of many sensors, whose collections it finds; of each collection all or none (contract 2.7). */
@Injectable()
export class GatewayReadingsService {
  constructor(
    private readonly access: ItemAccess,
    private readonly readings: ReadingsService,
    private readonly related: RelatedItemsRepository,
    private readonly homes: SensorHomes,
  ) {}

  async put(ctx: RequestContext, body: unknown): Promise<GatewayAnswer> {
    this.access.requireAnywhere(ctx, 'measure');
    const list = requireArray(body);
    if (list.length > MAX_ENTRIES) throw tooLarge(`A request holds at most ${MAX_ENTRIES} readings`);
    const refused = new Refusals();
    const entries = (await mapInTurns(list, readEntry)).flatMap((entry, index) => refused.unless(index, entry));
    const batches = [...(await this.batches(ctx, entries, refused))];
    for (let first = 0; first < batches.length; first += AT_A_TIME) {
      await Promise.all(batches.slice(first, first + AT_A_TIME).map((batch) => this.store(ctx, batch, refused)));
    }
    return { _accepted: list.length - refused.count, _refused: refused.list() };
  }

  private async batches(ctx: RequestContext, entries: readonly GatewayEntry[], refused: Refusals): Promise<Iterable<Batch>> {
    const byVersion = new Map<string, Batch>();
    const add = (place: Place, entry: GatewayEntry) => {
      const batch = byVersion.get(place.versionId) ?? { place, entries: [] };
      byVersion.set(place.versionId, batch);
      batch.entries.push(entry);
    };
    const places = await this.places(ctx, entries);
    for (const entry of entries) {
      const place = entry.collection === undefined ? undefined : places.get(entry.collection);
      if (isRefusal(place)) refused.add(entry.index, place.message);
      else if (place !== undefined) add(place, entry);
    }
    const unnamed = entries.filter(({ collection }) => collection === undefined);
    const homes = await this.homes.find(ctx, [...new Set(unnamed.map(({ telItemId }) => telItemId as string))]);
    for (const entry of unnamed) {
      const home = homes.get(entry.telItemId as string);
      if (home === undefined) refused.add(entry.index, noItem(entry.telItemId));
      else if (home === 'several') refused.add(entry.index, `there are telemetry items ${entry.telItemId} in several collections: name one with _userItemId`);
      else add(home.place, entry);
    }
    return byVersion.values();
  }

  /** Those of the collections that are named, or why the caller may not write there. */
  private async places(ctx: RequestContext, entries: readonly GatewayEntry[]): Promise<Map<string, Place | ServiceError>> {
    const places = new Map<string, Place | ServiceError>();
    for (const { collection } of entries) {
      if (collection === undefined || places.has(collection)) continue;
      places.set(collection, await outcomeOf(this.readings.place(ctx, collection, undefined, 'measure')));
    }
    return places;
  }

  private async store(ctx: RequestContext, { place, entries }: Batch, refused: Refusals): Promise<void> {
    const faults = new Refusals();
    const drafts = await this.drafts(place, entries, faults);
    if (faults.count === 0) {
      const outcome = await outcomeOf(this.readings.store(ctx, place, drafts));
      if (isRefusal(outcome)) faults.addAll(entries, outcome);
    }
    if (faults.count > 0) for (const { index } of entries) refused.add(index, faults.of(index) ?? WITH_ANOTHER);
  }

  private async drafts(place: Place, entries: readonly GatewayEntry[], faults: Refusals): Promise<ReadingDraft[]> {
    const [byId, bySource] = await this.sensors(place, entries);
    const drafts = await mapInTurns(entries, (entry) => {
      const telItemId = entry.telItemId ?? bySource.get(entry.sourceId as string);
      if (telItemId === undefined) return faults.add(entry.index, `there is no telemetry item for the source ${entry.sourceId}`);
      if (!byId.has(telItemId)) return faults.add(entry.index, noItem(telItemId));
      const issues = new Issues();
      const draft = parseReading(toReading(entry, { telItemId, sourceId: entry.sourceId ?? byId.get(telItemId) }), `[${entry.index}]`, issues);
      if (!issues.any) return draft;
      return faults.addFaults(issues.list);
    });
    return drafts.filter((draft) => draft !== undefined);
  }

  /** Of the sensors that are named in a collection: the source by the item's id, and the id by the source. */
  private async sensors(place: Place, entries: readonly GatewayEntry[]): Promise<[ReadonlyMap<string, string | undefined>, ReadonlyMap<string, string>]> {
    const named = new Set(entries.filter(({ telItemId }) => telItemId === undefined).map(({ sourceId }) => sourceId as string));
    const ofSources = named.size === 0 ? [] : await this.related.withSources(undefined, spotOf(place), [...named]);
    const ids = new Set(entries.flatMap(({ telItemId }) => (telItemId === undefined ? [] : [telItemId])));
    const byId = ids.size === 0 ? new Map<string, string | undefined>() : await this.related.sources(undefined, spotOf(place), [...ids]);
    for (const { _id, _sourceId } of ofSources) byId.set(_id, _sourceId);
    return [byId, new Map(ofSources.map(({ _id, _sourceId }) => [_sourceId as string, _id]))];
  }
}

/** Why readings are not stored, by their places in the request. */
class Refusals {
  private readonly reasons = new Map<number, string>();

  get count(): number {
    return this.reasons.size;
  }

  add(index: number, reason: string): undefined {
    this.reasons.set(index, reason);
  }

  unless(index: number, entry: GatewayEntry | string): GatewayEntry[] {
    if (typeof entry !== 'string') return [entry];
    this.add(index, entry);
    return [];
  }

  /** Of a reading with several faults the last is told. */
  addFaults(faults: readonly FieldIssue[]): undefined {
    for (const { field, issue } of faults) {
      const [, index, path] = /^\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
      if (index !== undefined) this.add(Number(index), path === '' ? issue : `${path}: ${issue}`);
    }
  }

  /** Faults of single readings where they are named; else the refusal is one of all. */
  addAll(entries: readonly GatewayEntry[], { details = [], message }: ServiceError): void {
    this.addFaults(details);
    if (this.count === 0) for (const { index } of entries) this.add(index, message);
  }

  of(index: number): string | undefined {
    return this.reasons.get(index);
  }

  list(): { readonly index: number; readonly _reason: string }[] {
    return [...this.reasons].map(([index, _reason]) => ({ index, _reason })).sort((one, other) => one.index - other.index);
  }
}

const noItem = (id: string | undefined) => `there is no telemetry item ${id}`;
