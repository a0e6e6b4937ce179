import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap, Optional } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonInTurns, newUuid, type ServiceError } from '@twinyard/conventions';
import { toServiceError } from '../http/error-filter';
import { jsonOf, JsonText } from '../http/json-text';
import type { Logger } from '../logging/logger';
import { LOGGER } from '../logging/logger-token';
import { AcceptedRequests } from './accepted-requests';
import type { DurableCaller, DurableHandler, DurableProgress, DurableRequest, DurableResponse, DurableState, FinishRequest, NewDurableRequest } from './durable-request';
import { DurableRequestStore } from './durable-request-store';
import { isSealed, RequestSeal, SealedRequest } from './request-seal';

/** How long work may be silent before another process takes it over; it is renewed at a third of this. */
const LEASE_MS = 6_000;
const POLL_MS = 1_000;
/** Progress is written as often as somebody who waits would ask. */
const REPORT_MS = 500;
/** So long who asks is not told that the work is still going on, as long as it is this process that does it. */
const HELD_MS = 500;
/** Contract 0.2: kept for 24 hours. */
const KEPT_MS = 24 * 3_600_000;
const MAX_ATTEMPTS = 5;
const MAX_PARALLEL = 3;

/** Outages and lost races: the request goes back to the queue, and the attempt does not count. */
const isPassing = (error: ServiceError) => error.code === 'unavailable';

class LeaseLost extends Error {}

/** What a piece of work has said last of how far it is. */
interface Reported {
  progress?: DurableProgress;
  isWritten: boolean;
}

/**
 * Requests that are answered with 202 and done later (contract 0.2). They survive a restart: whoever holds no live lease
 * has its request taken over. A handler ends its request with `finish` in the transaction of its work, so the work is done once.
 */
@Injectable()
export class DurableRequests implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly owner = newUuid();
  private readonly handlers = new Map<string, DurableHandler>();
  private readonly accepted = new AcceptedRequests();
  private readonly running = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private stopped = true;

  constructor(
    private readonly store: DurableRequestStore,
    @Inject(LOGGER) private readonly logger: Logger,
    @Optional() private readonly seal?: RequestSeal,
  ) {}

  /** Before the application listens, for example in `onModuleInit`. */
  handle(kind: string, handler: DurableHandler): void {
    if (this.handlers.has(kind)) throw new Error(`Two handlers for durable requests of the kind ${kind}`);
    this.handlers.set(kind, handler);
  }

  /** The id of the stored request, which the caller may give; work starts at once when this process has a hand free. */
  async enqueue(request: NewDurableRequest, id = newUuid()): Promise<string> {
    const { payload, caller } = request;
    const isSealedHere = request.confidential === true;
    const text = isSealedHere ? jsonOf(this.textsOf(id).sealedPayload(payload)) : await jsonInTurns(payload ?? null);
    this.accepted.add(id, caller, request.handedOver === true && !isSealedHere ? { payload, weight: text.length } : undefined);
    try {
      await this.store.add(id, { ...request, payload: new JsonText(text) });
    } catch (error) {
      this.accepted.end(id);
      throw error;
    }
    this.accepted.stored(id);
    this.wake();
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

  onApplicationBootstrap(): void {
    if (this.handlers.size === 0) return;
    this.stopped = false;
    this.timer = setInterval(() => this.wake(), POLL_MS).unref();
    this.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await Promise.all(this.running);
  }

  private wake(): void {
    if (this.stopped || this.running.size >= MAX_PARALLEL) return;
    const work: Promise<void> = this.workThrough().finally(() => this.running.delete(work));
    this.running.add(work);
  }

  private async workThrough(): Promise<void> {
    try {
      while (!this.stopped) {
        const request = await this.claim();
        if (request === undefined) return;
        // After a standstill its lease may have run out although another hand of this process is still at it; now it is renewed.
        if (this.accepted.isRunning(request.id)) continue;
        this.accepted.begin(request.id, request.caller);
        await this.perform(request).finally(() => this.accepted.end(request.id));
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'durable requests cannot be worked on right now');
    }
  }

  private async claim(): Promise<DurableRequest | undefined> {
    const waiting = this.accepted.waiting();
    const payloads = this.accepted.payloads();
    const request = await this.store.claim({ owner: this.owner, leaseMs: LEASE_MS }, [...this.handlers.keys()], [...payloads.keys()]);
    if (request === undefined) this.accepted.forget(waiting);
    return request && payloads.has(request.id) ? { ...request, payload: payloads.get(request.id) } : request;
  }

  private async perform(request: DurableRequest): Promise<void> {
    const lease = { owner: this.owner, leaseMs: LEASE_MS };
    const reported: Reported = { isWritten: true };
    const heartbeat = setInterval(() => void this.store.renew(lease, request.id).catch(() => undefined), LEASE_MS / 3);
    const reports = setInterval(() => {
      if (reported.isWritten || reported.progress === undefined) return;
      reported.isWritten = true;
      this.store.report(lease, request.id, reported.progress).catch(() => undefined);
    }, REPORT_MS);
    try {
      const report = (progress: DurableProgress) => void Object.assign(reported, { progress, isWritten: false });
      const payload = this.textsOf(request.id).payload(request.payload);
      await (this.handlers.get(request.kind) as DurableHandler)({ ...request, payload }, this.finisher(request, reported), report);
    } catch (error) {
      await this.giveUp(request, error, reported);
    } finally {
      clearInterval(heartbeat);
      clearInterval(reports);
    }
  }

  private finisher(request: DurableRequest, reported: Reported): FinishRequest {
    return async (tx, response) => {
      // Written with the end; a report on its way meanwhile would wait for this transaction.
      reported.isWritten = true;
      const end = this.asKept(request, { ...response, progress: reported.progress });
      if (!(await this.store.finish(tx, this.owner, request.id, end))) throw new LeaseLost(request.id);
    };
  }

  /** As the payload is kept, so is the answer. */
  private asKept<T extends DurableResponse>({ id, payload }: DurableRequest, response: T): T {
    return isSealed(payload) ? this.textsOf(id).sealedResponse(response) : response;
  }

  private textsOf(id: string): SealedRequest {
    return new SealedRequest(this.seal, id);
  }

  private async giveUp(request: DurableRequest, thrown: unknown, { progress }: Reported): Promise<void> {
    if (thrown instanceof LeaseLost) return;
    const error = toServiceError(thrown);
    if (isPassing(error)) return this.store.release(this.owner, request.id, false);
    if (error.status >= 500) this.logger.error({ err: error.cause, kind: request.kind, attempt: request.attempt }, 'a durable request failed');
    if (error.status >= 500 && request.attempt < MAX_ATTEMPTS) return this.store.release(this.owner, request.id, true);
    const body = { message: error.message, code: error.code, ...(error.details && { details: error.details }) };
    return this.store.fail(this.owner, request.id, this.asKept(request, { status: error.status, body, progress }));
  }
}
