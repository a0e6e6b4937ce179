import { Injectable } from '@nestjs/common';
import type { MetadataRecord } from '@twinyard/conventions';
import type { EventOrigin, ResourcesOf, ResourceState } from '@twinyard/events';
import type { NamedItem } from '../nameditems/named-item';
import { itemCreated, versionCreated } from '../nameditems/named-items.events';
import { NamedItemsRepository } from '../nameditems/named-items.repository';
import { readingsWritten } from '../relateditems/related-items.events';
import { emptyCounters, type VersionCounters, type VersionRecord } from '../versions/version';
import { VersionsRepository } from '../versions/versions.repository';

/** Nobody hears of these events: only what they say of their resource is wanted. */
const TOLD: EventOrigin = { userId: 'itemsvc', requestId: '' };

/** Named items with their versions and what these hold, as the events tell of them. */
@Injectable()
export class ItemAggregates {
  readonly topics = { 'itemsvc.item': (keys: readonly string[]) => this.items(keys) } satisfies Record<string, ResourcesOf>;

  constructor(
    private readonly itemsRepository: NamedItemsRepository,
    private readonly versions: VersionsRepository,
  ) {}

  private async items(keys: readonly string[]): ReturnType<ResourcesOf> {
    const found = new Map<string, ResourceState[]>();
    for (const item of await this.itemsRepository.readMany(keys)) found.set(item._id, await this.resourcesOf(item));
    return found;
  }

  private async resourcesOf(item: NamedItem): Promise<ResourceState[]> {
    const versions = await this.versions.ofItem(item._id);
    const counters = await this.versions.countersOf(versions.map(({ _id }) => _id));
    return [
      { resource: itemCreated(item, TOLD).resource, ...timesOf(item._metadata) },
      ...versions.flatMap((version) => versionStates(item, version, counters.get(version._id) ?? emptyCounters(version))),
    ];
  }
}

function versionStates(item: NamedItem, version: VersionRecord, counters: VersionCounters): ResourceState[] {
  const times = timesOf(version._metadata);
  const place = { item, versionId: version._id, version: version._version };
  const states: ResourceState[] = [{ resource: versionCreated(item, version, counters, TOLD).resource, ...times }];
  if (item._itemClass === 'NamedTelemetryCollection') states.push({ resource: readingsWritten(place, { verb: 'created', changed: 0 }, counters, TOLD).resource, ...times });
  return states;
}

const timesOf = ({ _createdAt, _updatedAt }: MetadataRecord) => ({ madeAt: new Date(_createdAt).toISOString(), changedAt: new Date(_updatedAt).toISOString() });
