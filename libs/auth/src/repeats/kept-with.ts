import { type BegunRequest, jsonOf, type Tx } from '@twinyard/service-kit';
import type { RequestContext } from '../request-context';

/** What a route is going to answer. */
export interface OwnAnswer {
  readonly status: 200 | 201 | 202 | 204;
  /** Beside that of its body's type. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export const NO_CONTENT: OwnAnswer = { status: 204 };

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/** Keeps the answer to a write that comes to `result`: last in its transaction. */
export type KeepAnswer<T> = (tx: Tx, result: T) => Promise<void>;

/** Requests with an `Idempotency-Key`, from the guard to the answer. */
const begunBy = new WeakMap<RequestContext, BegunRequest>();

export const noteBegun = (ctx: RequestContext, begun: BegunRequest): void => void begunBy.set(ctx, begun);

/** Once: whoever takes it tells how it ended. */
export function takeBegun(ctx: RequestContext): BegunRequest | undefined {
  const begun = begunBy.get(ctx);
  begunBy.delete(ctx);
  return begun;
}

/**
 * Keeps the answer to a request with an `Idempotency-Key` in the transaction of the write that it tells of: kept behind it, a process that died in
 * between would leave a write that a repetition does a second time. To be done last in it; nothing for a request without a key.
 * `answerOf`: what the request will be answered with, from what the write comes to.
 */
export function keptWith<T>(ctx: RequestContext, answerOf: (result: T) => OwnAnswer | Promise<OwnAnswer>): KeepAnswer<T> | undefined {
  const begun = begunBy.get(ctx);
  if (begun === undefined) return undefined;
  return async (tx, result) => {
    const { status, headers, body } = await answerOf(result);
    await begun.keepIn(tx, { status, headers: { ...(body !== undefined && JSON_HEADERS), ...headers }, body: body === undefined ? '' : jsonOf(body) });
  };
}

/** The same where the result is at hand: last in the transaction. */
export async function keepAnswer(ctx: RequestContext, tx: Tx, answerOf: () => OwnAnswer | Promise<OwnAnswer>): Promise<void> {
  await keptWith(ctx, answerOf)?.(tx, undefined);
}

/** `make`, that of the same thing twice in a row makes one: what is kept with a write is what its caller is answered, and a page of megabytes is made once. */
export function once<T, R>(make: (of: T) => R): (of: T) => R {
  let last: { readonly of: T; readonly made: R } | undefined;
  return (of) => {
    if (last === undefined || last.of !== of) last = { of, made: make(of) };
    return last.made;
  };
}

/** Does it, and hands `keep` to what commits it. */
export type KeepingWrite<T> = (keep: KeepAnswer<T> | undefined) => Promise<T>;

/** A write and its answer, which `write` keeps in its transaction (`keptWith`). */
export async function keepingAnswer<T, A extends OwnAnswer>(ctx: RequestContext, answerOf: (result: T) => A | Promise<A>, write: KeepingWrite<T>): Promise<A> {
  const answer = once(answerOf);
  return answer(await write(keptWith(ctx, answer)));
}

/** The same where a body is all that there is to say. */
export async function keepingBody<T, R>(ctx: RequestContext, status: 200 | 201, toBody: (result: T) => R | Promise<R>, write: KeepingWrite<T>): Promise<R> {
  return (await keepingAnswer(ctx, async (result: T) => ({ status, body: await toBody(result) }), write)).body;
}

/** The same of a write that is answered 204. */
export const keepingNoContent = (ctx: RequestContext, write: KeepingWrite<void>): Promise<void> => write(keptWith(ctx, () => NO_CONTENT));
