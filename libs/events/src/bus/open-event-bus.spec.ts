import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { eventSettings, loadSettings } from '@twinyard/service-kit';
import { z } from 'zod';
import { eventBusOptions } from './open-event-bus';

const BUILT = resolve(__dirname, '..', '..', '..', '..', 'dist', 'libs', 'events', 'src', 'index.js');

describe('the choice of the event log', () => {
  const optionsFor = (environment: NodeJS.ProcessEnv) => eventBusOptions(loadSettings(z.object(eventSettings), environment));

  it('follows the settings', () => {
    expect(optionsFor({ EVENTS_DATABASE_URL: 'postgresql://events' })).toEqual({ url: 'postgresql://events' });
    expect(optionsFor({ KAFKA_BROKERS: 'one:9092,two:9092', KAFKA_TOPIC_PREFIX: 'staging.' })).toEqual({
      brokers: ['one:9092', 'two:9092'], ssl: false, partitions: 6, replicationFactor: 1, topicPrefix: 'staging.',
    });
    const secured = { KAFKA_SSL: 'true', KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'twinyard', KAFKA_SASL_PASSWORD: 'secret' };
    expect(optionsFor({ KAFKA_BROKERS: 'one:9093', ...secured })).toMatchObject({
      ssl: true, sasl: { mechanism: 'scram-sha-512', username: 'twinyard', password: 'secret' },
    });
  });

  it('loads the client of Kafka for those alone that have chosen it', () => {
    const script = `const { PostgresEventBus } = require(${JSON.stringify(BUILT)});
      new PostgresEventBus({ url: 'postgresql://unused' });
      console.log(Object.keys(require.cache).filter((file) => file.includes(${JSON.stringify(join('node_modules', 'kafkajs'))})).length);`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect([stdout.trim(), stderr]).toEqual(['0', '']);
  });
});
