import { z } from 'zod';
import { exactlyOneOf, needing } from './setting-rules';

const HOSTS = /^[^\s,]+:\d+(,[^\s,]+:\d+)*$/;

/** Where events go: the log in PostgreSQL, or Kafka. */
export const eventSettings = {
  ...exactlyOneOf({
    EVENTS_DATABASE_URL: z.string().min(1).describe('PostgreSQL database of the event log, shared by all services; this or `KAFKA_BROKERS`'),
    KAFKA_BROKERS: z.string().regex(HOSTS, 'must be host:port, separated by commas').describe('Kafka that carries the events, comma-separated `host:port`; this or `EVENTS_DATABASE_URL`'),
  }),
  KAFKA_SSL: z.enum(['true', 'false']).default('false').describe('Whether Kafka is spoken to over TLS; an authority of your own goes to `NODE_EXTRA_CA_CERTS`'),
  KAFKA_SASL_MECHANISM: needing(
    z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional().describe('How the service signs in to Kafka: `plain`, `scram-sha-256` or `scram-sha-512`'),
    'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD',
  ),
  KAFKA_SASL_USERNAME: needing(z.string().optional().describe('User at Kafka'), 'KAFKA_SASL_MECHANISM'),
  KAFKA_SASL_PASSWORD: needing(z.string().optional().describe('Password at Kafka'), 'KAFKA_SASL_MECHANISM'),
  KAFKA_PARTITIONS: z.coerce.number().int().min(1).max(1_000).default(6).describe('Partitions of a Kafka topic that is made now; most replicas that can share its events'),
  KAFKA_REPLICATION_FACTOR: z.coerce.number().int().min(1).max(15).default(1).describe('Brokers that hold each Kafka topic that is made now; 3 where there are three'),
  KAFKA_TOPIC_PREFIX: z.string().regex(/^[\w.-]{0,64}$/, 'may hold letters, digits, `.`, `_` and `-`').default('').describe('Put before the names of topics and consumer groups, for a Kafka that others use too'),
};
