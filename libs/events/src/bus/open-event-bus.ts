import { type BaseSettings, type Logger, SettingsError } from '@twinyard/service-kit';
import type { EventBus } from './event-bus';
import { PostgresEventBus, type PostgresEventBusOptions } from './postgres/postgres-event-bus';

/** Where events go. */
export type EventBusOptions = Omit<PostgresEventBusOptions, 'logger'>;

export type EventBusSettings = Pick<BaseSettings, Extract<keyof BaseSettings, 'EVENTS_DATABASE_URL' | `KAFKA_${string}`>>;

/** What the settings of a service say of the bus. */
export function eventBusOptions({ EVENTS_DATABASE_URL: url }: EventBusSettings): EventBusOptions {
  if (url === undefined) throw new SettingsError(['EVENTS_DATABASE_URL: is missing']);
  return { url };
}

export async function openEventBus(options: EventBusOptions, logger?: Logger): Promise<EventBus> {
  return new PostgresEventBus({ ...options, ...(logger && { logger }) });
}
