import { engineSettings, onEngine } from '@twinyard/testing';
import { KafkaEventBus } from '../src/bus/kafka/kafka-event-bus';
import { describeEventBus } from './describe-event-bus';

onEngine('kafka', () => {
  describeEventBus('KafkaEventBus', async () => ({
    open: async (options = {}) => {
      const bus = await KafkaEventBus.open({ brokers: (engineSettings('kafka').KAFKA_BROKERS ?? '').split(','), ...options });
      await bus.start();
      return bus;
    },
    close: () => Promise.resolve(),
  }));
});
