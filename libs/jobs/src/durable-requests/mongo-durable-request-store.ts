import { jsonOf, JsonText, type MongoCollections, type MongoConnection, type MongoUnitOfWork, translated, type Tx } from '@twinyard/service-kit';
import type { Collection } from 'mongodb';
import type { DurableCaller, DurableProgress, DurableState, DurableStatus, KeptRequest, NewDurableRequest } from './durable-request';
import { type DurableEnd, DurableRequestStore, WITH_JOB } from './durable-request-store';
import { mongoOf } from '../store/own-transaction';
import { type KeptText, LARGE_TEXTS, MongoLargeTexts } from './mongo-large-texts';

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
  /** Of the release before: until then some replica of it works on it. */
  leasedUntil?: Date;
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
 * How far the work is, at which time. Apart from the request: a report would be a change of the document that a transaction is about to end,
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

/** In the service's own MongoDB database, so that a request ends in the transaction of its work. */
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

  override async add(id: string, { kind, caller, context, payload, progress }: NewDurableRequest, beside: (tx: Tx) => Promise<unknown>): Promise<void> {
    const request: RequestDocument = {
      _id: id, kind: `${kind}${WITH_JOB}`, caller: { type: caller.type, id: caller.id }, context: JSON.stringify(context ?? null),
      status: 'QUEUED', waiting: true, createdAt: this.connection.now(), place: (this.added += 1), ...(progress && { progress: { ...progress } }),
    };
    await this.unitOfWork.run(async (tx) => {
      const kept = await this.texts.keep(tx, `${id} payload`, jsonOf(payload ?? null));
      await tx.touch(REQUESTS, [id]);
      await tx.collection<RequestDocument>(REQUESTS).insertOne({ ...request, payload: kept }, tx.options);
      await beside(tx);
    });
  }

  override async find(id: string): Promise<DurableState | undefined> {
    const request = await translated(this.requests.findOne({ _id: id }));
    if (!request) return undefined;
    const renewal = request.waiting ? await translated(this.renewals.findOne({ _id: id }, { projection: { progress: 1 } })) : null;
    return this.toState({ ...request, ...(renewal?.progress && { progress: renewal.progress }) });
  }

  override async begin(id: string, isAtHand: boolean): Promise<KeptRequest | undefined> {
    const request = await translated(this.requests.findOneAndUpdate({ _id: id, waiting: true }, { $set: { status: 'RUNNING' } }, { returnDocument: 'after' }));
    return request ? this.toRequest(request, isAtHand) : undefined;
  }

  override async report(id: string, progress: DurableProgress): Promise<void> {
    await translated(this.renewals.updateOne({ _id: id }, { $set: { until: this.connection.now(), progress: { ...progress } } }, { upsert: true }));
  }

  override async finish(given: Tx, id: string, { status, body, progress }: DurableEnd): Promise<boolean> {
    const tx = mongoOf(given);
    await tx.touch(REQUESTS, [id]);
    const requests = tx.collection<RequestDocument>(REQUESTS);
    const open = await requests.findOne({ _id: id, waiting: true }, { ...tx.options, projection: { payload: 1 } });
    if (!open) return false;
    await this.texts.forget(`${id} payload`, open.payload, tx);
    const responseBody = body === undefined ? undefined : await this.texts.keep(tx, `${id} response`, jsonOf(body));
    await requests.updateOne({ _id: id, waiting: true }, {
      $set: {
        status: status < 400 ? 'COMPLETED' : 'FAILED', responseStatus: status, finishedAt: this.connection.now(),
        ...(responseBody !== undefined && { responseBody }), ...(progress && { progress: { ...progress } }),
      },
      $unset: { waiting: 1, payload: 1 },
    }, tx.options);
    return true;
  }

  override async putBack(given: Tx, id: string): Promise<void> {
    const tx = mongoOf(given);
    await tx.touch(REQUESTS, [id]);
    await tx.collection<RequestDocument>(REQUESTS).updateOne({ _id: id, waiting: true }, { $set: { status: 'QUEUED' } }, tx.options);
  }

  override async adopt(given: Tx, limit: number): Promise<string[]> {
    const tx = mongoOf(given);
    const now = this.connection.now();
    const held = await this.renewals.find({ until: { $gte: now } }, tx.options).toArray();
    const isLeft = { waiting: true, leasedUntil: { $lt: now }, _id: { $nin: held.map(({ _id }) => _id) } } as const;
    const left = await this.requests.find(isLeft, { ...tx.options, limit, sort: { createdAt: 1, place: 1 }, projection: { kind: 1 } }).toArray();
    await tx.touch(REQUESTS, left.map(({ _id }) => _id));
    for (const { _id, kind } of left) {
      await tx.collection<RequestDocument>(REQUESTS).updateOne({ _id }, { $set: { kind: `${kind}${WITH_JOB}`, status: 'QUEUED' }, $unset: { leasedUntil: 1, leasedBy: 1 } }, tx.options);
    }
    return left.map(({ _id }) => _id);
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

  private async toRequest({ _id: id, kind, caller, context, payload }: RequestDocument, isAtHand: boolean): Promise<KeptRequest> {
    const text = isAtHand ? 'null' : await translated(this.texts.read(`${id} payload`, payload ?? 'null'));
    return { id, kind: kind.replace(WITH_JOB, ''), caller, context: JSON.parse(context), payload: JSON.parse(text) };
  }

  private async toState({ _id: id, caller, status, progress, responseStatus, responseBody }: RequestDocument): Promise<DurableState> {
    const state = { id, caller, status, ...(progress && { progress }) };
    if (responseStatus === undefined) return state;
    if (responseBody === undefined) return { ...state, response: { status: responseStatus } };
    const text = await translated(this.texts.read(`${id} response`, responseBody));
    return { ...state, response: { status: responseStatus, body: new JsonText(text) } };
  }
}
