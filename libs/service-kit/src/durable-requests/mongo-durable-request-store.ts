import type { Collection } from 'mongodb';
import { jsonOf, JsonText } from '../http/json-text';
import type { MongoCollections, MongoConnection } from '../mongo/mongo-connection';
import { MongoTx } from '../mongo/mongo-tx';
import type { MongoUnitOfWork } from '../mongo/mongo-unit-of-work';
import { translated } from '../store-errors';
import type { Tx } from '../tx';
import type { DurableCaller, DurableProgress, DurableRequest, DurableState, DurableStatus, NewDurableRequest } from './durable-request';
import { type DurableEnd, type DurableLease, DurableRequestStore } from './durable-request-store';
import { isLarge, type KeptText, LARGE_TEXTS, MongoLargeTexts } from './mongo-large-texts';

const REQUESTS = 'durable_requests';
const RENEWALS = 'durable_request_renewals';

interface RequestDocument {
  _id: string;
  kind: string;
  caller: DurableCaller;
  /** JSON, as it came: names in it may hold what MongoDB has rules of its own for. */
  context: string;
  payload?: KeptText;
  status: DurableStatus;
  /** Until it has ended: what the index of those to be worked on holds. */
  waiting?: true;
  attempts: number;
  leasedBy?: string;
  leasedUntil: Date;
  responseStatus?: number;
  responseBody?: KeptText;
  /** Before the work has begun, and when it has ended. */
  progress?: DurableProgress;
  createdAt: Date;
  /** Tells those of one process and millisecond apart. */
  place: number;
  finishedAt?: Date;
}

/**
 * That a lease holds on, and how far the work is. Apart from the request: a renewal would be a change of the document that a transaction is about to end,
 * and MongoDB refuses a transaction whose document somebody has changed meanwhile.
 */
interface Renewal {
  _id: string;
  until: Date;
  progress?: DurableProgress;
}

/** For `MongoModule.forRoot({ collections })`, of each service that answers 202. */
export const DURABLE_REQUESTS_COLLECTIONS: MongoCollections = {
  [REQUESTS]: [
    { key: { createdAt: 1, place: 1 }, name: 'waiting', partialFilterExpression: { waiting: true } },
    { key: { finishedAt: 1 }, name: 'finished', sparse: true },
  ],
  [RENEWALS]: [{ key: { until: 1 }, name: 'until' }],
  [LARGE_TEXTS]: [],
};

const PRUNE_BATCH = 500;
const LONG_AGO = new Date(0);
const RELEASED_FOR_MS = 1_000;

/** In the service's own MongoDB database, so that a request ends in the transaction of its work; all else is a single atomic operation. */
export class MongoDurableRequestStore extends DurableRequestStore {
  private readonly connection: MongoConnection;
  private readonly texts: MongoLargeTexts;
  private readonly requests: Collection<RequestDocument>;
  private readonly renewals: Collection<Renewal>;
  private added = 0;

  constructor(private readonly unitOfWork: MongoUnitOfWork) {
    super();
    this.connection = unitOfWork.connection;
    this.texts = new MongoLargeTexts(this.connection);
    this.requests = this.connection.db.collection<RequestDocument>(REQUESTS);
    this.renewals = this.connection.db.collection<Renewal>(RENEWALS);
  }

  override async add(id: string, { kind, caller, context, payload, progress }: NewDurableRequest): Promise<void> {
    const text = jsonOf(payload ?? null);
    const request: RequestDocument = {
      _id: id, kind, caller: { type: caller.type, id: caller.id }, context: JSON.stringify(context ?? null), payload: text,
      status: 'QUEUED', waiting: true, attempts: 0, leasedUntil: LONG_AGO, createdAt: this.connection.now(), place: (this.added += 1),
      ...(progress && { progress: { ...progress } }),
    };
    if (!isLarge(text)) return void (await translated(this.requests.insertOne(request)));
    await this.unitOfWork.run(async (tx) => {
      const kept = await this.texts.keep(tx, `${id} payload`, text);
      await tx.touch(REQUESTS, [id]);
      await tx.collection<RequestDocument>(REQUESTS).insertOne({ ...request, payload: kept }, tx.options);
    });
  }

  override async find(id: string): Promise<DurableState | undefined> {
    const request = await translated(this.requests.findOne({ _id: id }));
    if (!request) return undefined;
    const renewal = request.waiting ? await translated(this.renewals.findOne({ _id: id }, { projection: { progress: 1 } })) : null;
    return this.toState({ ...request, ...(renewal?.progress && { progress: renewal.progress }) });
  }

  override async claim({ owner, leaseMs }: DurableLease, kinds: readonly string[], atHand: readonly string[] = []): Promise<DurableRequest | undefined> {
    const now = this.connection.now();
    const renewed = await translated(this.renewals.find({ until: { $gte: now } }).toArray());
    const request = await translated(this.requests.findOneAndUpdate(
      { waiting: true, kind: { $in: [...kinds] }, leasedUntil: { $lt: now }, _id: { $nin: renewed.map(({ _id }) => _id) } },
      { $set: { status: 'RUNNING', leasedBy: owner, leasedUntil: new Date(now.getTime() + leaseMs) }, $inc: { attempts: 1 } },
      { sort: { createdAt: 1, place: 1 }, returnDocument: 'after' },
    ));
    return request ? this.toRequest(request, atHand.includes(request._id)) : undefined;
  }

  override async renew(lease: DurableLease, id: string): Promise<void> {
    await this.note(lease, id, {});
  }

  override async report(lease: DurableLease, id: string, progress: DurableProgress): Promise<void> {
    await this.note(lease, id, { progress: { ...progress } });
  }

  private async note({ owner, leaseMs }: DurableLease, id: string, more: Pick<Renewal, 'progress'>): Promise<void> {
    const held = await translated(this.requests.findOne({ _id: id, leasedBy: owner, waiting: true }, { projection: { _id: 1 } }));
    if (!held) return;
    const until = new Date(this.connection.now().getTime() + leaseMs);
    await translated(this.renewals.updateOne({ _id: id }, { $set: { until, ...more } }, { upsert: true }));
  }

  override async finish(tx: Tx, owner: string, id: string, { status, body, progress }: DurableEnd): Promise<boolean> {
    if (!(tx instanceof MongoTx)) throw new Error('A durable request of a MongoDB store ends in a transaction of the same database');
    await tx.touch(REQUESTS, [id]);
    const requests = tx.collection<RequestDocument>(REQUESTS);
    const mine = await requests.findOne({ _id: id, leasedBy: owner, status: 'RUNNING' }, { ...tx.options, projection: { payload: 1 } });
    if (!mine) return false;
    await this.texts.forget(`${id} payload`, mine.payload, tx);
    const responseBody = body === undefined ? undefined : await this.texts.keep(tx, `${id} response`, jsonOf(body));
    const { matchedCount } = await requests.updateOne({ _id: id, leasedBy: owner, status: 'RUNNING' }, {
      $set: {
        status: status < 400 ? 'COMPLETED' : 'FAILED', responseStatus: status, finishedAt: this.connection.now(),
        ...(responseBody !== undefined && { responseBody }), ...(progress && { progress: { ...progress } }),
      },
      $unset: { waiting: 1, leasedBy: 1, payload: 1 },
    }, tx.options);
    return matchedCount === 1;
  }

  override async fail(owner: string, id: string, end: DurableEnd): Promise<void> {
    await this.unitOfWork.run((tx) => this.finish(tx, owner, id, end));
  }

  override async release(owner: string, id: string, countsAsAttempt: boolean): Promise<void> {
    const again = new Date(this.connection.now().getTime() + RELEASED_FOR_MS);
    const { matchedCount } = await translated(this.requests.updateOne({ _id: id, leasedBy: owner, status: 'RUNNING' }, {
      $set: { status: 'QUEUED', leasedUntil: again }, $unset: { leasedBy: 1 }, $inc: { attempts: countsAsAttempt ? 0 : -1 },
    }));
    if (matchedCount === 1) await translated(this.renewals.deleteOne({ _id: id }));
  }

  override async prune(before: Date): Promise<void> {
    await translated(this.renewals.deleteMany({ until: { $lt: before } }));
    for (;;) {
      const ended = await translated(this.requests.find({ finishedAt: { $lt: before } }, { limit: PRUNE_BATCH, projection: { responseBody: 1 } }).toArray());
      for (const { _id, responseBody } of ended) await translated(this.texts.forget(`${_id} response`, responseBody));
      await translated(this.requests.deleteMany({ _id: { $in: ended.map(({ _id }) => _id) } }));
      if (ended.length < PRUNE_BATCH) return;
    }
  }

  private async toRequest({ _id: id, kind, caller, context, payload, attempts }: RequestDocument, isAtHand: boolean): Promise<DurableRequest> {
    const text = isAtHand ? 'null' : await translated(this.texts.read(`${id} payload`, payload ?? 'null'));
    return { id, kind, caller, context: JSON.parse(context), payload: JSON.parse(text), attempt: attempts };
  }

  private async toState({ _id: id, caller, status, progress, responseStatus, responseBody }: RequestDocument): Promise<DurableState> {
    const state = { id, caller, status, ...(progress && { progress }) };
    if (responseStatus === undefined) return state;
    if (responseBody === undefined) return { ...state, response: { status: responseStatus } };
    const text = await translated(this.texts.read(`${id} response`, responseBody));
    return { ...state, response: { status: responseStatus, body: new JsonText(text) } };
  }
}
