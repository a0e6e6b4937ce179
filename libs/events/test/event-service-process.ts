/** A replica in a process of its own, to be killed: `node event-service-process.js <database url> <brokers> <topic prefix>`. */
import { startEventService } from './event-service';
import { joinServiceDatabase } from './service-database';

async function main([url = '', brokers = '', topicPrefix = '']: string[]): Promise<void> {
  await startEventService(await joinServiceDatabase(url), { brokers: brokers.split(','), sessionMs: 3_000, topicPrefix });
  process.send?.('started');
}

void main(process.argv.slice(2));
process.once('disconnect', () => process.exit(0));
