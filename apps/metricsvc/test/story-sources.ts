import { MAX_AGGREGATES, topicOf } from '@twinyard/events';
import type { MeasuredEvent } from '../src/measurements/subjects';
import { type Page, RebuildSources, type SourceTopic } from '../src/rebuild/rebuild-sources';

type State = Page['aggregates'][number];
type Resource = State['resources'][number];

/** A service whose records are what events have told of them: the other side of a rebuild, without the other services. */
export class StorySources extends RebuildSources {
  private readonly sequences = new Map<SourceTopic, Map<string, number>>();
  private readonly resources = new Map<string, Map<string, Resource>>();
  /** Called when an answer is on its way: what happens now, the answer does not know. */
  afterReading: (keys: readonly string[]) => Promise<void> = () => Promise.resolve();

  constructor(private readonly pageSize = MAX_AGGREGATES) {
    super();
  }

  happen(...events: readonly MeasuredEvent[]): this {
    for (const { resource, event, key, sequence, timestamp } of events) {
      const topic = topicOf(resource.type) as SourceTopic;
      this.sequences.set(topic, (this.sequences.get(topic) ?? new Map<string, number>()).set(key, sequence));
      const held = this.resources.get(key) ?? new Map<string, Resource>();
      this.resources.set(key, held);
      const name = resource.type === 'itemsvc.RelatedItems' ? `itemsvc.Version ${resource._versionId}` : `${resource.type} ${resource._id}`;
      if (event !== 'resource.ResourceDeleted') held.set(name, { resource, madeAt: held.get(name)?.madeAt ?? timestamp, changedAt: timestamp });
      else if (resource.type === 'filesvc.File') held.clear();
      else drop(held, name, resource._id);
    }
    return this;
  }

  override async next(topic: SourceTopic, after: string | undefined): Promise<Page> {
    const keys = [...(this.sequences.get(topic)?.keys() ?? [])].sort().filter((key) => after === undefined || key > after).slice(0, this.pageSize);
    const last = keys.length === this.pageSize ? keys.at(-1) : undefined;
    return { aggregates: await this.read(topic, keys), ...(last !== undefined && { next: last }) };
  }

  override async read(topic: SourceTopic, keys: readonly string[]): Promise<State[]> {
    const states = keys.map((key) => ({
      key, sequence: this.sequences.get(topic)?.get(key) ?? 0, resources: [...(this.resources.get(key)?.values() ?? [])],
    }));
    await this.afterReading(keys);
    return states;
  }
}

/** A picture goes with its version, without an event of its own. */
function drop(held: Map<string, Resource>, name: string, id: string): void {
  held.delete(name);
  for (const [kept, { resource }] of held) if (resource.type === 'filesvc.Preview' && resource._fileVersionId === id) held.delete(kept);
}
