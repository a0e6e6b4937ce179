import { Injectable } from '@nestjs/common';
import { invalidField, unavailable } from '@twinyard/conventions';
import { type Tx, UnitOfWork } from '@twinyard/service-kit';
import { type Topic, TOPICS } from '../contract/topics';
import { OutboxStore } from '../outbox/outbox-store';
import { type AggregateSequence, type AggregatesRequest, type AggregatesResponse, type AggregateState, MAX_AGGREGATES, type ResourceState } from './aggregate-states';

/** The resources of these aggregates as they are, by key; a key that is missing has none. */
export type ResourcesOf = (keys: readonly string[]) => Promise<ReadonlyMap<string, readonly ResourceState[]>>;

/** What is read while somebody writes it is read again so many times. */
const MAX_READS = 20;

/**
 * Reads aggregates together with the number of their last event, on any store: the number is read before and after the resources,
 * and where it has changed in between they are read again. Number and resources change in one transaction, so they belong together.
 */
@Injectable()
export class AggregateReader {
  constructor(
    private readonly unitOfWork: UnitOfWork<Tx>,
    private readonly outbox: OutboxStore,
  ) {}

  /** `topics` are those that the service tells of. */
  async read(request: AggregatesRequest, topics: Readonly<Partial<Record<Topic, ResourcesOf>>>): Promise<AggregatesResponse> {
    const { topic, keys, after, limit } = checked(request ?? {});
    const load = topics[topic];
    if (load === undefined) throw invalidField('topic', `must be one of ${Object.keys(topics).join(', ')}`);
    const wanted = keys?.map((key) => ({ key, sequence: 0 })) ?? (await this.unitOfWork.run((tx) => this.outbox.sequencesAfter(tx, topic, after, limit)));
    const aggregates = await this.statesOf(topic, wanted.map(({ key }) => key), load);
    const last = keys === undefined && wanted.length === limit ? wanted.at(-1)?.key : undefined;
    return { aggregates, ...(last !== undefined && { next: last }) };
  }

  private async statesOf(topic: Topic, keys: readonly string[], load: ResourcesOf): Promise<AggregateState[]> {
    const states = new Map<string, AggregateState>();
    let open = keys;
    for (let reads = 0; open.length > 0; reads += 1) {
      if (reads === MAX_READS) throw unavailable('Too much is being written to be read; try again');
      const before = await this.sequences(topic, open);
      const resources = await load(open);
      const after = await this.sequences(topic, open);
      for (const key of open) {
        const sequence = after.get(key) ?? 0;
        if (sequence === (before.get(key) ?? 0)) states.set(key, { key, sequence, resources: resources.get(key) ?? [] });
      }
      open = open.filter((key) => !states.has(key));
    }
    return keys.map((key) => states.get(key) as AggregateState);
  }

  private async sequences(topic: Topic, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows: readonly AggregateSequence[] = await this.unitOfWork.run((tx) => this.outbox.sequencesOf(tx, topic, keys));
    return new Map(rows.map(({ key, sequence }) => [key, sequence]));
  }
}

interface CheckedRequest {
  readonly topic: Topic;
  readonly keys?: readonly string[];
  readonly after: string;
  readonly limit: number;
}

/** Text in a body is anything: what is asked for is looked at before it reaches a store. */
function checked({ topic, keys, after = '', limit = MAX_AGGREGATES }: Partial<AggregatesRequest>): CheckedRequest {
  if (topic === undefined || !TOPICS.includes(topic)) throw invalidField('topic', 'is none');
  if (keys !== undefined && !isKeys(keys)) throw invalidField('keys', `must be at most ${MAX_AGGREGATES} texts`);
  if (!isLimit(limit)) throw invalidField('limit', `must be 1 to ${MAX_AGGREGATES}`);
  if (!isText(after)) throw invalidField('after', 'must be a text');
  return { topic, limit, after, ...(keys && { keys: [...new Set(keys)] }) };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isKeys = (value: unknown): value is string[] => Array.isArray(value) && value.length <= MAX_AGGREGATES && value.every(isText);
const isLimit = (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_AGGREGATES;
