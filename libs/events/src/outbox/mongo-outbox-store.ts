import { Inject, Injectable } from '@nestjs/common';
import { isDuplicateKey, LostRace, MongoConnection, type MongoTx } from '@twinyard/service-kit';
import type { AnyBulkWriteOperation, UpdateFilter } from 'mongodb';
import type { AggregateSequence } from '../aggregates/aggregate-states';
import { topicOf } from '../contract/catalogue';
import { toCloudEvent } from '../contract/cloud-event';
import type { NewEvent } from '../contract/event';
import type { Topic } from '../contract/topics';
import { EVENT_CLAIMS, EVENT_OUTBOX, EVENT_SEQUENCES } from '../events-collections';
import { type OutboxClaim, type OutboxEntry, OutboxStore } from './outbox-store';

interface SequenceDocument {
  /** Topic and key: see `streamOf`. */
  _id: string;
  last: number;
  /** The latest time that an event of the key was given, in ms. */
  at: number;
}

interface OutboxDocument {
  /** The position. */
  _id: string;
  stream: string;
  topic: Topic;
  /** JSON, since names in it may hold what MongoDB has rules of its own for. */
  event: string;
  leasedBy?: string;
  leasedUntil?: Date;
}

interface ClaimsDocument {
  _id: 'claims';
  made: number;
}

/**
 * The outbox in a MongoDB database. A document per key is the lock: MongoDB refuses the second transaction that writes to it before
 * the first has ended, and the unit of work tries that again as a whole; so the order of numbers is the order of commits. Positions come
 * from the clock, not from a counter that all writers of the database would have to pass through; within a key they never go back.
 */
@Injectable()
export class MongoOutboxStore extends OutboxStore<MongoTx> {
  constructor(@Inject(MongoConnection) private readonly connection: MongoConnection) {
    super();
  }

  override async append(tx: MongoTx, events: readonly NewEvent[]): Promise<void> {
    const given = events.map((event) => ({ event, topic: topicOf(event.resource.type), stream: streamOf(topicOf(event.resource.type), event.key) }));
    const streams = [...new Set(given.map(({ stream }) => stream))].sort();
    const sequences = await sequencesIn(tx).find({ _id: { $in: streams } }, tx.options).toArray();
    const last = new Map(sequences.map((sequence) => [sequence._id, sequence.last]));
    // Later than everything of these keys, whatever the clocks of the processes that wrote it said.
    const at = Math.max(Math.round(this.connection.now().getTime()), ...sequences.map((sequence) => sequence.at + 1));
    const rows = given.map(({ event, topic, stream }, place): OutboxDocument => {
      const sequence = (last.get(stream) ?? 0) + 1;
      last.set(stream, sequence);
      return { _id: positionOf(at, place, stream), stream, topic, event: JSON.stringify(toCloudEvent(event, sequence)) };
    });
    await putSequences(tx, streams.map((stream) => ({ _id: stream, last: last.get(stream) as number, at })));
    await tx.touch(EVENT_OUTBOX, rows.map(({ _id }) => _id));
    await tx.collection<OutboxDocument>(EVENT_OUTBOX).insertMany(rows, tx.options);
  }

  override async claim(tx: MongoTx, { owner, leaseMs, limit }: OutboxClaim): Promise<OutboxEntry[]> {
    await this.excludeOthers(tx);
    const outbox = tx.collection<OutboxDocument>(EVENT_OUTBOX);
    const now = this.connection.now();
    const others = await outbox.find({ leasedUntil: { $gte: now }, leasedBy: { $ne: owner } }, { ...tx.options, projection: { stream: 1 } }).toArray();
    const busy = [...new Set(others.map(({ stream }) => stream))];
    const rows = await outbox.find({ stream: { $nin: busy } }, { ...tx.options, sort: { _id: 1 }, limit }).toArray();
    const ids = rows.map(({ _id }) => _id);
    await tx.touch(EVENT_OUTBOX, ids);
    await outbox.updateMany({ _id: { $in: ids } }, { $set: { leasedBy: owner, leasedUntil: new Date(now.getTime() + leaseMs) } }, tx.options);
    return rows.map(({ _id, topic, event }) => ({ position: _id, topic, event: JSON.parse(event) as OutboxEntry['event'] }));
  }

  override async remove(tx: MongoTx, entries: readonly OutboxEntry[]): Promise<void> {
    const ids = entries.map(({ position }) => position);
    await tx.touch(EVENT_OUTBOX, ids);
    await tx.collection<OutboxDocument>(EVENT_OUTBOX).deleteMany({ _id: { $in: ids } }, tx.options);
  }

  override renew(tx: MongoTx, owner: string, leaseMs: number): Promise<void> {
    return this.changeClaimed(tx, owner, { $set: { leasedUntil: new Date(this.connection.now().getTime() + leaseMs) } });
  }

  override release(tx: MongoTx, owner: string): Promise<void> {
    return this.changeClaimed(tx, owner, { $unset: { leasedBy: 1, leasedUntil: 1 } });
  }

  override async isEmpty(tx: MongoTx): Promise<boolean> {
    return (await tx.collection<OutboxDocument>(EVENT_OUTBOX).findOne({}, { ...tx.options, projection: { _id: 1 } })) === null;
  }

  override backlog(tx: MongoTx): Promise<number> {
    return tx.collection<OutboxDocument>(EVENT_OUTBOX).countDocuments({}, tx.options);
  }

  override async sequencesOf(tx: MongoTx, topic: Topic, keys: readonly string[]): Promise<AggregateSequence[]> {
    return toSequences(topic, await sequencesIn(tx).find({ _id: { $in: keys.map((key) => streamOf(topic, key)) } }, tx.options).toArray());
  }

  override async sequencesAfter(tx: MongoTx, topic: Topic, after: string, limit: number): Promise<AggregateSequence[]> {
    // All that begins with the topic and a blank, which `!` follows in the order of characters.
    const behind = { $gt: streamOf(topic, after), $lt: `${topic}!` };
    return toSequences(topic, await sequencesIn(tx).find({ _id: behind }, { ...tx.options, sort: { _id: 1 }, limit }).toArray());
  }

  private async changeClaimed(tx: MongoTx, owner: string, change: UpdateFilter<OutboxDocument>): Promise<void> {
    const outbox = tx.collection<OutboxDocument>(EVENT_OUTBOX);
    const ids = (await outbox.find({ leasedBy: owner }, { ...tx.options, projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
    await tx.touch(EVENT_OUTBOX, ids);
    await outbox.updateMany({ _id: { $in: ids } }, change, tx.options);
  }

  /** Two relays that claim at the same time write to one document: the second is refused, and looks again when the first has ended. */
  private async excludeOthers(tx: MongoTx): Promise<void> {
    await tx.touch(EVENT_CLAIMS, ['claims']);
    await raced(tx.collection<ClaimsDocument>(EVENT_CLAIMS).updateOne({ _id: 'claims' }, { $inc: { made: 1 } }, { ...tx.options, upsert: true }));
  }
}

const sequencesIn = (tx: MongoTx) => tx.collection<SequenceDocument>(EVENT_SEQUENCES);

const toSequences = (topic: Topic, sequences: readonly SequenceDocument[]): AggregateSequence[] =>
  sequences.map(({ _id, last }) => ({ key: _id.slice(topic.length + 1), sequence: last }));

async function putSequences(tx: MongoTx, sequences: readonly SequenceDocument[]): Promise<void> {
  await tx.touch(EVENT_SEQUENCES, sequences.map(({ _id }) => _id));
  const puts = sequences.map(({ _id, last, at }): AnyBulkWriteOperation<SequenceDocument> => (
    { updateOne: { filter: { _id }, update: { $set: { last, at } }, upsert: true } }
  ));
  await raced(sequencesIn(tx).bulkWrite(puts, { ...tx.options, ordered: true }));
}

/** Both were the first to make a document, and the other has committed: as if it had been changed meanwhile. */
async function raced(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    throw isDuplicateKey(error) ? new LostRace('Another transaction made the document first', error) : error;
  });
}

/** No topic holds a blank. */
const streamOf = (topic: Topic, key: string) => `${topic} ${key}`;

/** Sorts by time, then by place in the append; two appends of one millisecond have no key in common. */
const positionOf = (at: number, place: number, stream: string) => `${digits(at, 15)} ${digits(place, 7)} ${stream}`;

const digits = (number: number, length: number) => String(number).padStart(length, '0');
