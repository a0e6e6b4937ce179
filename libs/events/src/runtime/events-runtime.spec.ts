import type { Logger } from '@twinyard/service-kit';
import type { EventBus } from '../bus/event-bus';
import type { Outbox } from '../outbox/outbox';
import type { Relay } from '../outbox/relay';
import { EventsRuntime, RunningParts } from './events-runtime';
import type { GroupConsumer } from './group-consumer';

describe('EventsRuntime', () => {
  let done: string[];
  let warnings: unknown[];

  beforeEach(() => {
    jest.useFakeTimers();
    [done, warnings] = [[], []];
  });
  afterEach(() => void jest.useRealTimers());

  /** On an event log whose connecting does what the test says. */
  const runtimeOn = (connect: () => Promise<void>) => {
    const note = (what: string) => () => void done.push(what);
    const noted = (what: string) => async () => void done.push(what);
    const parts = new RunningParts(
      { onAppend: () => undefined } as unknown as Outbox,
      { start: note('publishes'), stop: noted('publishes no more') } as unknown as Relay,
      { connect: () => connect().then(note('connected')), stop: noted('has left') } as unknown as GroupConsumer,
    );
    const logger = { warn: ({ retryMs }: { readonly retryMs: number }) => warnings.push(retryMs) } as unknown as Logger;
    return new EventsRuntime({ service: 'filesvc' } as never, { close: noted('closed') } as unknown as EventBus, parts, logger);
  };
  const starting = (runtime: EventsRuntime) => void runtime.onApplicationBootstrap().then(() => done.push('started'));
  const after = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

  it('is connected when the service has started, and connects once', async () => {
    starting(runtimeOn(() => after(20_000)));
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect([done, warnings]).toEqual([['connected', 'publishes', 'started'], []]);
  });

  it('lets a service start beside an event log that takes its time, and waits for it when it stops', async () => {
    const runtime = runtimeOn(() => after(90_000));
    starting(runtime);
    await jest.advanceTimersByTimeAsync(31_000);
    expect(done).toEqual(['publishes', 'started']);
    const stopped = runtime.beforeApplicationShutdown().then(() => runtime.onApplicationShutdown());
    await jest.advanceTimersByTimeAsync(60_000);
    await stopped;
    expect(done.slice(2)).toEqual(['connected', 'has left', 'publishes no more', 'closed']);
  });

  it('starts at once beside one that is lost, and tries until it is there', async () => {
    let failures = 3;
    starting(runtimeOn(() => (failures-- > 0 ? Promise.reject(new Error('nobody answers')) : Promise.resolve())));
    await jest.advanceTimersByTimeAsync(0);
    expect(done).toEqual(['publishes', 'started']);
    await jest.advanceTimersByTimeAsync(60_000);
    expect([done.slice(2), warnings]).toEqual([['connected'], [100, 200, 400]]);
  });
});
