import type { DurableCaller } from './durable-request';

/** What waits in the memory of a process, in units of UTF-16 as JSON: one of the largest requests and half of another. Those that are worked on are bounded by their number. */
const MAX_AT_HAND = 16_000_000;

interface Accepted {
  readonly caller: DurableCaller;
  readonly ended: Promise<void>;
  readonly end: () => void;
  payload?: unknown;
  weight: number;
  isRunning: boolean;
}

/**
 * Requests that this process has accepted or works on: who asks about one can be told when it ends, and who works on one need not read back what has just been
 * written. All of it may be forgotten at any time: the store alone says what is so.
 */
export class AcceptedRequests {
  private readonly requests = new Map<string, Accepted>();
  private atHand = 0;

  /** Before it is stored. Without a payload it is read back. */
  add(id: string, caller: DurableCaller, given?: { readonly payload: unknown; readonly weight: number }): void {
    const request = this.newRequest(id, caller);
    if (given === undefined || this.atHand + given.weight > MAX_AT_HAND) return;
    this.atHand += given.weight;
    Object.assign(request, given);
  }

  /** Of one that waits to be worked on here. */
  payloadOf(id: string): unknown {
    return this.requests.get(id)?.payload;
  }

  begin(id: string, caller: DurableCaller): void {
    const request = this.requests.get(id) ?? this.newRequest(id, caller);
    this.letGo(request);
    request.isRunning = true;
  }

  /** No longer worked on here, whatever became of it. */
  end(id: string): void {
    const request = this.requests.get(id);
    if (request === undefined) return;
    this.letGo(request);
    this.requests.delete(id);
    request.end();
  }

  /** Another process works on it, or nobody for a while: who asks is told by the store. */
  forget(id: string): void {
    if (this.requests.get(id)?.isRunning === false) this.end(id);
  }

  /** Resolves when it has ended here, and at once when nothing of it is known, or it is another caller's. */
  async ended(id: string, { type, id: callerId }: DurableCaller): Promise<void> {
    const request = this.requests.get(id);
    if (request?.caller.type === type && request.caller.id === callerId) await request.ended;
  }

  private newRequest(id: string, caller: DurableCaller): Accepted {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => { end = resolve; });
    const request: Accepted = { caller, ended, end, weight: 0, isRunning: false };
    this.requests.set(id, request);
    return request;
  }

  private letGo(request: Accepted): void {
    this.atHand -= request.weight;
    request.weight = 0;
    delete request.payload;
  }
}
