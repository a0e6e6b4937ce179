import { KafkaJSConnectionError, KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError } from 'kafkajs';
import { OnDemandConnection } from './on-demand-connection';

/** Code 6 of the protocol's table; the types do not tell that it is marked. */
const notLeader = () => new KafkaJSProtocolError(Object.assign(new Error('This server is not the leader for that topic-partition'), { type: 'NOT_LEADER_FOR_PARTITION', code: 6, retriable: true }));

class NumberedConnection {
  isOpen = false;

  constructor(readonly number: number) {}

  async connect(): Promise<void> {
    this.isOpen = true;
  }

  async disconnect(): Promise<void> {
    this.isOpen = false;
  }
}

describe('OnDemandConnection', () => {
  let made: NumberedConnection[];
  let connection: OnDemandConnection<NumberedConnection>;

  beforeEach(() => {
    made = [];
    connection = new OnDemandConnection(() => {
      const next = new NumberedConnection(made.length + 1);
      made.push(next);
      return next;
    });
  });

  const failing = (errors: readonly Error[]) => {
    const left = [...errors];
    return async ({ number }: NumberedConnection) => {
      const error = left.shift();
      if (error) throw error;
      return number;
    };
  };

  it('asks again on a new connection while a partition has no leader yet', async () => {
    await expect(connection.ask(failing([notLeader(), new KafkaJSConnectionError('closed')]))).resolves.toBe(3);
    expect(made.map(({ isOpen }) => isOpen)).toEqual([false, false, true]);
  });

  it('asks once for what does not pass by itself', async () => {
    const exceeded = new KafkaJSNumberOfRetriesExceeded(new KafkaJSConnectionError('refused'), { retryCount: 5, retryTime: 1_000 });
    for (const lasting of [exceeded, new Error('not a topic')]) await expect(connection.ask(failing([lasting]))).rejects.toBe(lasting);
    expect(made).toHaveLength(2);
  });

  it('tries work that must not be done twice once', async () => {
    await expect(connection.use(failing([notLeader()]))).rejects.toThrow('not the leader');
    await expect(connection.use(failing([]))).resolves.toBe(2);
  });
});
