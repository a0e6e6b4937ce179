import { cpSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { freePort } from '@twinyard/service-kit/process';
import { classPath, formattedStorage } from '../packages/catalogue';
import type { Engine, EngineHome } from './engine';

const JAVA_OPTIONS = [
  '-Xms64m',
  '-Xmx320m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  // The one thing below a warning to be seen in its log: the broker was too slow to say that it lives, and was left out for a while.
  '-Dorg.slf4j.simpleLogger.log.org.apache.kafka.controller.ReplicationControlManager=info',
];

/** After it without a heartbeat a broker is left out, and no partition has a leader: for longer than any machine of ours has stood still. */
const FIRST_SESSION_MS = 60_000;
/** After a kill the new process has to outwait the old one's session, which it takes to be as long as its own. */
const SESSION_MS = 8_000;

/** One node that is broker and controller. */
export const kafka: Engine = {
  package: 'kafka',
  command: async (home, installed) => {
    const properties = join(home.folder, 'server.properties');
    const isFirst = formatOnce(dataFolder(home.folder), installed);
    writeFileSync(properties, serverProperties(home, await freePort(), isFirst ? FIRST_SESSION_MS : SESSION_MS));
    return { program: 'java', args: [...JAVA_OPTIONS, '-cp', classPath(installed), 'kafka.Kafka', properties] };
  },
  isHealthy: async ({ port }) => {
    const admin = new Kafka({ clientId: 'health', brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING, connectionTimeout: 2_000, retry: { retries: 0 } }).admin();
    try {
      await admin.connect();
      return (await admin.describeCluster()).brokers.length > 0;
    } catch {
      return false;
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  },
  settings: ({ port }) => ({ KAFKA_BROKERS: `127.0.0.1:${port}` }),
};

/** Whether it was the first time. */
function formatOnce(data: string, installed: string): boolean {
  if (existsSync(data)) return false;
  cpSync(formattedStorage(installed), `${data}.part`, { recursive: true });
  renameSync(`${data}.part`, data);
  return true;
}

const dataFolder = (folder: string) => join(folder, 'data');

/** The controller listens on another port at every start: nobody but this process has to find it. */
function serverProperties({ folder, port }: EngineHome, controllerPort: number, sessionMs: number): string {
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'listeners': `BROKER://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `BROKER://127.0.0.1:${port}`,
    'listener.security.protocol.map': 'BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'BROKER',
    'log.dirs': dataFolder(folder),
    'auto.create.topics.enable': false,
    'num.partitions': 1,
    'default.replication.factor': 1,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 4,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 50,
    'num.network.threads': 2,
    'num.io.threads': 4,
    'num.recovery.threads.per.data.dir': 2,
    'log.cleaner.dedupe.buffer.size': 16_777_216,
    'log.retention.hours': -1,
    'controlled.shutdown.enable': false,
    'broker.session.timeout.ms': sessionMs,
    'broker.heartbeat.interval.ms': 500,
  };
  return Object.entries(properties).map(([name, value]) => `${name}=${value}\n`).join('');
}
