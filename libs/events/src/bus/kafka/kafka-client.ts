import type { Logger } from '@twinyard/service-kit';
import type * as kafkajs from 'kafkajs';
import type { Kafka, KafkaConfig, LogEntry, PartitionAssigner, RetryOptions, SASLOptions } from 'kafkajs';
import { brokerSocket } from './broker-socket';
import type { KafkaEventBusOptions, KafkaSasl } from './kafka-options';
import { subscribedAssigner } from './subscribed-assigner';

/** The library, loaded when Kafka is chosen: seven processes on one machine would carry it for nothing. */
export type KafkaLibrary = typeof kafkajs;

/** Short: who calls knows better how long to go on. A restart of a broker is bridged by what stands above (relay, consumer, readiness). */
export const RETRY: RetryOptions = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 5 };

/** Makes clients of one Kafka. */
export class KafkaClients {
  readonly assigner: PartitionAssigner;

  constructor(private readonly library: KafkaLibrary, private readonly options: KafkaEventBusOptions) {
    this.assigner = subscribedAssigner(library.AssignerProtocol);
  }

  /**
   * One for each consumer: consumers of one client share what they know of committed offsets, and those of the same group forget
   * each other's.
   */
  make(): Kafka {
    const { brokers, ssl = false, sasl, logger } = this.options;
    return new this.library.Kafka({
      clientId: 'twinyard', brokers: [...brokers], ssl, ...(sasl && { sasl: saslOptions(sasl) }),
      connectionTimeout: 3_000, requestTimeout: 10_000, retry: RETRY, socketFactory: brokerSocket, ...logging(this.library, logger),
    });
  }
}

function saslOptions({ mechanism, username, password }: KafkaSasl): SASLOptions {
  return { mechanism, username, password } as SASLOptions;
}

/**
 * All is debug: the client reports every attempt as an error of its own, many a second while a broker restarts. What it could not
 * mend rejects, and is logged once by whoever called.
 */
function logging({ logLevel }: KafkaLibrary, logger: Logger | undefined): Pick<KafkaConfig, 'logLevel' | 'logCreator'> {
  if (!logger?.isLevelEnabled('debug')) return { logLevel: logLevel.NOTHING };
  const write = ({ namespace, log }: LogEntry) => {
    const { message, timestamp: _timestamp, logger: _logger, ...fields } = log;
    logger.debug({ kafka: { namespace, ...fields } }, message);
  };
  return { logLevel: logLevel.INFO, logCreator: () => write };
}
