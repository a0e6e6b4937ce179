import type { Type } from '@nestjs/common';
import type { ServiceName } from '@twinyard/conventions';
import type { RetryPolicy } from './bus/event-bus';
import type { EventBusOptions } from './bus/open-event-bus';
import type { InboxStore } from './inbox/inbox-store';
import type { OutboxStore } from './outbox/outbox-store';
import type { RelayOptions } from './outbox/relay';

export interface EventsOptions {
  /** Also the name of the consumer group, so that replicas of a service share its events. */
  readonly service: ServiceName;
  /** Where the events go: `eventBusOptions(settings)`. */
  readonly bus: EventBusOptions;
  /** Another consumer group than the service's name. */
  readonly group?: string;
  readonly retry?: Partial<RetryPolicy>;
  /** Topics of which the release before took events, and this one does not. */
  readonly left?: readonly string[];
  readonly relay?: RelayOptions;
  /** `SqlOutboxStore` and `SqlInboxStore` unless said otherwise; `MongoOutboxStore` and `MongoInboxStore` on MongoDB. */
  readonly stores?: { readonly outbox: Type<OutboxStore>; readonly inbox: Type<InboxStore> };
  /** `false`: nothing runs by itself; a test steps `Relay` and `GroupConsumer`. */
  readonly autostart?: boolean;
}

export const EVENTS_OPTIONS = Symbol('events-options');

export const groupOf = (options: EventsOptions) => options.group ?? options.service;
