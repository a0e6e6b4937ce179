import { parseArgs } from 'node:util';
import type { DeadLetterFilter, EventBus } from '../bus/event-bus';

export const USAGE = `Events that a service could not handle.

  replay-dead-letters --list [--group <group>] [--topic <topic>] [--event <id>]
  replay-dead-letters --group <group> [--topic <topic>] [--event <id>]

The first prints them with their cause, the second has the group handle them again. The event log is EVENTS_DATABASE_URL
or KAFKA_BROKERS, with the settings of the services.
`;

/** Runs the command; resolves with its exit code. A replay without a group would touch every service, so it needs one. */
export async function runReplayCommand(args: readonly string[], bus: EventBus, print: (line: string) => void): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { list: { type: 'boolean' }, group: { type: 'string' }, topic: { type: 'string' }, event: { type: 'string' } },
  });
  const { list, group, topic, event } = values;
  const filter: DeadLetterFilter = { ...(group && { group }), ...(topic && { topic }), ...(event && { eventId: event }) };
  if (list) {
    for (const letter of await bus.deadLetters(filter)) {
      const { id, type, subject } = letter.event;
      print(JSON.stringify({ group: letter.group, topic: letter.topic, event: id, type, subject, failedAt: letter.failedAt, cause: letter.cause }));
    }
    return 0;
  }
  if (!group) {
    print(USAGE);
    return 2;
  }
  print(`${await replayDeadLetters(bus, filter)} events will be handled again by ${group}`);
  return 0;
}

/** Has the group of each dead letter handle it again; resolves with the number of letters. */
export const replayDeadLetters = (bus: EventBus, filter: DeadLetterFilter): Promise<number> => bus.replay(filter);
