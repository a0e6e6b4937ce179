import type { ResourceType } from '../contract/catalogue';
import type { ResourceOf } from '../contract/event';
import type { Topic } from '../contract/topics';

/**
 * What a service answers to who rebuilds a read model from it: `AggregatesRequest` → `AggregatesResponse`, for services only
 * (`Authorization: Bearer <SERVICE_TOKEN>`; the gateway does not route `/internal`).
 */
export const AGGREGATES_PATH = '/internal/v1/aggregates';
export const MAX_AGGREGATES = 200;

/** Either the aggregates with these keys, or the next ones behind `after` in the order of their keys. */
export interface AggregatesRequest {
  readonly topic: Topic;
  readonly keys?: readonly string[];
  readonly after?: string;
  readonly limit?: number;
}

/** A resource as its events tell of it, and when it was made and last changed (ISO 8601). */
export interface ResourceState<T extends ResourceType = ResourceType> {
  readonly resource: ResourceOf<T>;
  readonly madeAt: string;
  readonly changedAt: string;
}

/**
 * All that there is of an aggregate after its event number `sequence`, and before the next. One that was deleted has no
 * resources; one that never published anything has the number 0.
 */
export interface AggregateState<T extends ResourceType = ResourceType> {
  readonly key: string;
  readonly sequence: number;
  readonly resources: readonly ResourceState<T>[];
}

export interface AggregatesResponse<T extends ResourceType = ResourceType> {
  readonly aggregates: readonly AggregateState<T>[];
  /** To be asked for as `after`; missing when these were the last. */
  readonly next?: string;
}

/** The number of the last event of an aggregate. */
export interface AggregateSequence {
  readonly key: string;
  readonly sequence: number;
}
