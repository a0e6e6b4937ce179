import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { isRefusal, jsonInTurns, newUuid, type ServiceError } from '@twinyard/conventions';
import { jsonOf, JsonText, LOGGER, type Logger, toServiceError, type Tx, UnitOfWork } from '@twinyard/service-kit';
import { z } from 'zod';
import { type DyingJob, type HeldJob, LeaseLost, TryLater } from '../held-job';
import { job } from '../job';
import { JobRunner } from '../job-runner';
import { Jobs } from '../jobs';
import { AcceptedRequests } from './accepted-requests';
import type { DurableCaller, DurableHandler, DurableProgress, DurableRequest, DurableResponse, DurableState, FinishRequest, KeptRequest, NewDurableRequest } from './durable-request';
import { DurableRequestStore } from './durable-request-store';
import { isSealed, RequestSeal, SealedRequest } from './request-seal';

const MAX_ATTEMPTS = 5;
/** Before another attempt. */
const AGAIN_MS = 1_000;
/** Before another look for somebody who knows its kind, at most. */
const UNKNOWN_MS = 60_000;
/** Progress is written as often as somebody who waits would ask. */
const REPORT_MS = 500;
/** So long who asks is not told that the work is still going on, as long as it is this process that does it. */
const HELD_MS = 500;
/** A request that nobody here has begun by then has another worker, or waits for long: it is read back. */
const AT_HAND_MS = 10_000;
/** Contract 0.2: kept for 24 hours. */
const KEPT_MS = 24 * 3_600_000;
const ADOPTED = 100;

const work = z.object({ id: z.uuid() });
type Work = z.infer<typeof work>;

/** A request that was answered with 202, which is its key. What becomes of it stands in its own record. */
export const REQUEST_WORK = job('requests.work', {
  schema: work, leaseMs: 6_000, longestMs: 86_400_000, retry: { attempts: MAX_ATTEMPTS, firstMs: AGAIN_MS, longestMs: AGAIN_MS }, concurrency: 3, finishWithinMs: 10_000, dead: 'forget',
});

/** Outages and lost races: the attempt does not count. */
const isPassing = (error: ServiceError) => error.code === 'unavailable';

/** What a piece of work has said last of how far it is. */
interface Reported {
  progress?: DurableProgress;
  isWritten: boolean;
}

/**
 * Requests that are answered with 202 and done later (contract 0.2). They survive a restart: each has a job. A handler ends its request
 * with `finish` in the transaction of its work, so the work is done once.
 */
@Injectable()
export class DurableRequests {
  private readonly handlers = new Map<string, DurableHandler>();
  private readonly accepted = new AcceptedRequests();

  constructor(
    private readonly store: DurableRequestStore,
    private readonly jobs: Jobs,
    private readonly runner: JobRunner,
    private readonly unitOfWork: UnitOfWork<Tx>,
    @Inject(LOGGER) private readonly logger: Logger,
    @Optional() private readonly seal?: RequestSeal,
  ) {}

  /** Before the application listens, for example in `onModuleInit`. */
  handle(kind: string, handler: DurableHandler): void {
    if (this.handlers.has(kind)) throw new Error(`Two handlers for durable requests of the kind ${kind}`);
    if (this.handlers.size === 0) this.runner.handle<Work>(REQUEST_WORK, { run: (held) => this.perform(held), died: (tx, dying, cause) => this.bury(tx, dying, cause) });
    this.handlers.set(kind, handler);
  }

  /** The id of the stored request, which the caller may give; work starts at once when some process has a hand free. `beside`: what is written in the same transaction. */
  async enqueue(request: NewDurableRequest, id = newUuid(), beside?: (tx: Tx, id: string) => Promise<unknown>): Promise<string> {
    const { payload, caller, tenant, requestId } = request;
    const isSealedHere = request.confidential === true;
    const text = isSealedHere ? jsonOf(this.textsOf(id).sealedPayload(payload)) : await jsonInTurns(payload ?? null);
    this.accepted.add(id, caller, request.handedOver === true && !isSealedHere ? { payload, weight: text.length } : undefined);
    try {
      await this.store.add(id, { ...request, payload: new JsonText(text) }, async (tx) => {
        await this.jobs.enqueue(tx, REQUEST_WORK, { id }, { namespace: turnOf(tenant), key: id, requestId });
        await beside?.(tx, id);
      });
    } catch (error) {
      this.accepted.end(id);
      throw error;
    }
    setTimeout(() => this.accepted.forget(id), AT_HAND_MS).unref();
    return id;
  }

  /** How a request of this caller fares. When this process works on it, and it ends soon, who asks hears of the end and need not ask again. */
  async findSoon(id: string, caller: DurableCaller): Promise<DurableState | undefined> {
    const late = new AbortController();
    await Promise.race([this.accepted.ended(id, caller), delay(HELD_MS, undefined, { signal: late.signal, ref: false }).catch(() => undefined)]);
    late.abort();
    return this.find(id);
  }

  async find(id: string): Promise<DurableState | undefined> {
    const state = await this.store.find(id);
    return state?.response === undefined ? state : { ...state, response: this.textsOf(id).response(state.response) };
  }

  /** Forgets what ended a day before `now`, in ms. */
  sweep(now: number): Promise<void> {
    return this.store.prune(new Date(now - KEPT_MS));
  }

  /** Gives jobs to what replicas of the release before have accepted, and do not work on. To go in the next release. */
  async adopt(signal?: AbortSignal): Promise<void> {
    for (let adopted = ADOPTED; adopted === ADOPTED && signal?.aborted !== true; ) {
      adopted = await this.unitOfWork.run(async (tx) => {
        const ids = await this.store.adopt(tx, ADOPTED);
        await this.jobs.enqueueAll(tx, REQUEST_WORK, ids.map((id) => ({ payload: { id }, namespace: turnOf(''), key: id })));
        return ids.length;
      });
    }
  }

  private async perform(held: HeldJob<Work>): Promise<void> {
    const { id } = held.payload;
    const payload = this.accepted.payloadOf(id);
    const kept = await this.store.begin(id, payload !== undefined);
    if (kept === undefined) return;
    const request = { ...kept, ...(payload !== undefined && { payload }), attempt: held.attempt };
    const handler = this.handlers.get(kept.kind);
    if (handler === undefined) return this.leaveToOthers(kept, held);
    this.accepted.begin(id, kept.caller);
    await this.performBy(handler, request, held).finally(() => this.accepted.end(id));
  }

  /** A replica of another version may know its kind. The pauses grow with its age, so that many of them leave the places to those that can be done here. */
  private async leaveToOthers({ id, kind }: KeptRequest, held: HeldJob<Work>): Promise<never> {
    const { id: jobId, ageMs, requestId } = held;
    const waitMs = Math.min(UNKNOWN_MS, Math.max(AGAIN_MS, ageMs / 4));
    this.logger.warn({ kind, jobId, waitMs, requestId }, 'a durable request waits for a process that knows its kind');
    await this.putBack(id, held);
    throw new TryLater(waitMs, false);
  }

  /** Nobody works on it any more, for now. Whoever has taken it over does: it says nothing then. @throws LeaseLost */
  private putBack(id: string, held: HeldJob<Work>): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      await held.hold(tx);
      await this.store.putBack(tx, id);
    });
  }

  private async performBy(handler: DurableHandler, request: DurableRequest, held: HeldJob<Work>): Promise<void> {
    const reported: Reported = { isWritten: true };
    const reports = setInterval(() => {
      if (reported.isWritten || reported.progress === undefined || held.signal.aborted) return;
      reported.isWritten = true;
      this.store.report(request.id, reported.progress).catch(() => undefined);
    }, REPORT_MS);
    try {
      const report = (progress: DurableProgress) => void Object.assign(reported, { progress, isWritten: false });
      const payload = this.textsOf(request.id).payload(request.payload);
      await handler({ ...request, payload }, this.finisher(request, held, reported), report, (tx) => held.hold(tx));
    } catch (error) {
      clearInterval(reports);
      await this.afterFailure(request, held, error, reported);
    } finally {
      clearInterval(reports);
    }
  }

  private finisher(request: DurableRequest, held: HeldJob<Work>, reported: Reported): FinishRequest {
    return async (tx, response) => {
      // Written with the end; a report on its way meanwhile would wait for this transaction.
      reported.isWritten = true;
      await held.finish(tx);
      const end = this.asKept(request, { ...response, progress: reported.progress });
      if (!(await this.store.finish(tx, request.id, end))) throw new LeaseLost(held.id);
    };
  }

  /** As the payload is kept, so is the answer. */
  private asKept<T extends DurableResponse>({ id, payload }: DurableRequest, response: T): T {
    return isSealed(payload) ? this.textsOf(id).sealedResponse(response) : response;
  }

  private textsOf(id: string): SealedRequest {
    return new SealedRequest(this.seal, id);
  }

  private async afterFailure(request: DurableRequest, held: HeldJob<Work>, thrown: unknown, { progress }: Reported): Promise<void> {
    if (thrown instanceof LeaseLost) throw thrown;
    const error = toServiceError(thrown);
    const isLast = held.attempt >= MAX_ATTEMPTS;
    if (held.signal.aborted || isPassing(error) || (error.status >= 500 && !isLast)) {
      await this.putBack(request.id, held);
      throw isPassing(error) ? new TryLater(AGAIN_MS, false, { cause: error }) : thrown;
    }
    if (error.status >= 500) this.logger.error({ err: error.cause, kind: request.kind, attempt: request.attempt, requestId: held.requestId }, 'a durable request failed');
    const end = this.asKept(request, { status: error.status, body: bodyOf(error), progress });
    await this.unitOfWork.run(async (tx) => {
      await held.finish(tx);
      await this.store.finish(tx, request.id, end);
    });
  }

  /** Its workers fell silent each time: nobody was left to say so. */
  private async bury(tx: Tx, { payload: { id } }: DyingJob<Work>, cause: string): Promise<void> {
    const error = toServiceError(new Error(cause));
    await this.store.finish(tx, id, { status: error.status, body: bodyOf(error) });
  }
}

/** What is answered to a request that is refused for good; `undefined` where it is tried again, or the fault is ours. */
export const refusalAnswer = (error: unknown): DurableResponse | undefined => (isRefusal(error) && !isPassing(error) ? { status: error.status, body: bodyOf(error) } : undefined);

const bodyOf = ({ message, code, details }: ServiceError) => ({ message, code, ...(details && { details }) });

/** Not the name of a namespace alone, by which a purge removes jobs: what is asked of one that is gone is answered too. It holds no blank. */
const turnOf = (tenant: string) => `of:${tenant.replaceAll(/\s/g, ':')}`.slice(0, 128);
