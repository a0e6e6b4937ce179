// `node dist/libs/events/src/replay-dead-letters.js --group filesvc [--topic filesvc.file]`; see USAGE.
import { endWith, printLine } from '@twinyard/service-kit';
import { eventBusOptions, openEventBus } from './bus/open-event-bus';
import { readSettings } from './config';
import { runReplayCommand, USAGE } from './dead-letters/replay-command';

async function main(): Promise<number> {
  const bus = await openEventBus(eventBusOptions(readSettings()));
  try {
    return await runReplayCommand(process.argv.slice(2), bus, printLine);
  } finally {
    await bus.close();
  }
}

endWith(main, { usage: USAGE });
