/** A consumer that begins an event and never ends it, to be killed: `node killed-consumer-process.js <database url> <group> <topic>`. */
import { PostgresEventBus } from '../src/bus/postgres/postgres-event-bus';

async function main([url = '', group = '', topic = '']: string[]): Promise<void> {
  const bus = new PostgresEventBus({ url });
  await bus.start();
  const handler = () => {
    process.send?.('begun');
    return new Promise<never>(() => undefined);
  };
  (await bus.subscribe({ group, topics: [topic], handler })).start();
}

void main(process.argv.slice(2));
process.once('disconnect', () => process.exit(0));
