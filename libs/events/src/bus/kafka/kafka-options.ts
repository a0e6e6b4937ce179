import type { Logger } from '@twinyard/service-kit';

export interface KafkaSasl {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

export interface KafkaEventBusOptions {
  /** `host:port` of some of the brokers; the others are learnt from them. */
  readonly brokers: readonly string[];
  readonly ssl?: boolean;
  readonly sasl?: KafkaSasl;
  /** Of topics that are made now; those that are there stay as they are. */
  readonly partitions?: number;
  readonly replicationFactor?: number;
  /** Stands before the names of topics and groups. */
  readonly topicPrefix?: string;
  /** Longest time that one event may take; then the member leaves its group, so that another one takes over. */
  readonly leaseMs?: number;
  /** After this time without a heartbeat (a process that was killed) the others take over. */
  readonly sessionMs?: number;
  /** Events are kept at least this long. */
  readonly retentionMs?: number;
  readonly logger?: Logger;
}
