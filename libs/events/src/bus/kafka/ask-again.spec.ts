import { KafkaJSAggregateError, KafkaJSConnectionError, KafkaJSGroupCoordinatorNotFound, KafkaJSLockTimeout, KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError, KafkaJSRequestTimeoutError } from 'kafkajs';
import { passesByItself } from './ask-again';

/** From the protocol's table of error codes. Of some errors of the client the types do not tell what they are made of. */
const answer = (type: string, code: number, retriable: boolean) => new KafkaJSProtocolError(Object.assign(new Error(type), { type, code, retriable }));
const notLeader = answer('NOT_LEADER_FOR_PARTITION', 6, true);
const timedOut = answer('REQUEST_TIMED_OUT', 7, true);
const isThere = answer('TOPIC_ALREADY_EXISTS', 36, false);
const forbidden = answer('TOPIC_AUTHORIZATION_FAILED', 29, false);
const tried = (error: Error) => new KafkaJSNumberOfRetriesExceeded(error, { retryCount: 5, retryTime: 1_000 });

describe('passesByItself', () => {
  it.each([
    ['what the protocol marks so', notLeader],
    ['a coordinator that loads its groups', answer('GROUP_LOAD_IN_PROGRESS', 14, true)],
    ['a coordinator that nobody is yet', Reflect.construct(KafkaJSGroupCoordinatorNotFound, ['Failed to find group coordinator']) as Error],
    ['a request without an answer', new KafkaJSRequestTimeoutError('Request ListOffsets timed out', { broker: 'b', clientId: 'c', correlationId: 1, createdAt: 1, sentAt: 1, pendingDuration: 1 })],
    ['waiting behind one', Reflect.construct(KafkaJSLockTimeout, ['Timeout while acquiring lock']) as Error],
    ['what was answered more often than the client tries', tried(answer('LEADER_NOT_AVAILABLE', 5, true))],
    ['topics that were not all made in time', new KafkaJSAggregateError('Topic creation errors', [timedOut, isThere])],
  ])('%s', (_, error) => expect(passesByItself(error)).toBe(true));

  it.each([
    ['what the protocol does not mark', forbidden],
    ['that nobody answers', tried(new KafkaJSConnectionError('Connection error: connect ECONNREFUSED'))],
    ['a topic that stays away', tried(answer('UNKNOWN_TOPIC_OR_PARTITION', 3, true))],
    ['one topic that must not be made', new KafkaJSAggregateError('Topic creation errors', [timedOut, forbidden])],
    ['a fault of our own', new TypeError('x is undefined')],
    ['no error', 'not the leader'],
  ])('not %s', (_, error) => expect(passesByItself(error)).toBe(false));
});
