import type { BaseSettings, Logger } from '@twinyard/service-kit';
import type { EventBus } from './event-bus';
import { KafkaEventBus } from './kafka/kafka-event-bus';
import type { KafkaEventBusOptions, KafkaSasl } from './kafka/kafka-options';
import { PostgresEventBus, type PostgresEventBusOptions } from './postgres/postgres-event-bus';

/** Where events go; `url` is the log in PostgreSQL, `brokers` are Kafka's. */
export type EventBusOptions = Omit<PostgresEventBusOptions, 'logger'> | Omit<KafkaEventBusOptions, 'logger'>;

export type EventBusSettings = Pick<BaseSettings, Extract<keyof BaseSettings, 'EVENTS_DATABASE_URL' | `KAFKA_${string}`>>;

/** What the settings of a service say of the bus. */
export function eventBusOptions(settings: EventBusSettings): EventBusOptions {
  const { EVENTS_DATABASE_URL: url, KAFKA_BROKERS: brokers } = settings;
  if (url !== undefined) return { url };
  const sasl = saslOf(settings);
  return {
    brokers: (brokers ?? '').split(','),
    ssl: settings.KAFKA_SSL === 'true',
    partitions: settings.KAFKA_PARTITIONS,
    replicationFactor: settings.KAFKA_REPLICATION_FACTOR,
    topicPrefix: settings.KAFKA_TOPIC_PREFIX,
    ...(sasl && { sasl }),
  };
}

export async function openEventBus(options: EventBusOptions, logger?: Logger): Promise<EventBus> {
  const withLogger = logger && { logger };
  if ('url' in options) return new PostgresEventBus({ ...options, ...withLogger });
  return KafkaEventBus.open({ ...options, ...withLogger });
}

function saslOf({ KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password }: EventBusSettings): KafkaSasl | undefined {
  return mechanism && username && password ? { mechanism, username, password } : undefined;
}
