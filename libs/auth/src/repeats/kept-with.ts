import { type BegunRequest, jsonOf, type Tx } from '@twinyard/service-kit';
import type { RequestContext } from '../request-context';

/** What a route is going to answer. */
export interface OwnAnswer {
  readonly status: 200 | 201 | 204;
  readonly body?: unknown;
}

export const NO_CONTENT: OwnAnswer = { status: 204 };

/** To be done last in the transaction of a write. */
export type KeepAnswer<T> = (tx: Tx, result: T) => Promise<void>;

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

const begunBy = new WeakMap<RequestContext, BegunRequest>();

/** The guard says that a request has an `Idempotency-Key`. */
export const noteBegun = (ctx: RequestContext, begun: BegunRequest): void => void begunBy.set(ctx, begun);

/**
 * Keeps the answer to a request with an `Idempotency-Key` in the transaction of the write that it tells of: kept behind it, a process that died in
 * between would leave a write that a repetition does a second time. Nothing for a request without a key. `answerOf`: what the request will be
 * answered with, from what the write comes to.
 */
export function keptWith<T>(ctx: RequestContext, answerOf: (result: T) => OwnAnswer | Promise<OwnAnswer>): KeepAnswer<T> | undefined {
  const begun = begunBy.get(ctx);
  if (begun === undefined) return undefined;
  return async (tx, result) => {
    const { status, body } = await answerOf(result);
    await begun.keepIn(tx, body === undefined ? { status, headers: {}, body: '' } : { status, headers: JSON_HEADERS, body: jsonOf(body) });
  };
}
