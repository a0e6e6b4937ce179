import { patientFetch } from '../../tour/api';
import type { Operation } from './operations';
import { requestFor } from './requests';
import type { Caller, Tenant } from './tenants';

const AT_ONCE = 6;

export interface Answer {
  readonly operation: Operation;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** Path with its query, and the body where it is text. */
  readonly asked: string;
}

/** Who asks, and how: without `authorization` with the caller's token. */
export interface Asking {
  readonly caller: Caller;
  readonly authorization?: string;
  /** In the place of the one that belongs to the operation. */
  readonly body?: string;
  /** Of that body; JSON, where this is missing. */
  readonly type?: string;
}

export const told = ({ operation, status, text }: Answer) => `${operation.key} answered ${status} ${text.slice(0, 300)}`;

/** Asks operations of a tenant's records. A service that has just lost its lease answers 503 with `Retry-After`, and is asked again then. */
export class Walk {
  constructor(private readonly baseUrl: string, private readonly tenant: Tenant) {}

  /** The same with other records of the tenant in place of those of the same name. */
  over(ids: Readonly<Record<string, string>>): Walk {
    return new Walk(this.baseUrl, { ...this.tenant, ids: { ...this.tenant.ids, ...ids } });
  }

  async ask(operation: Operation, { caller, authorization = `Bearer ${caller.token}`, body: other, type: ofOther = 'application/json' }: Asking): Promise<Answer> {
    const { path, method, body: own, type = 'application/json' } = requestFor(operation, this.tenant, caller);
    const body = other ?? own;
    const response = await patientFetch(new URL(this.baseUrl + path), {
      method, redirect: 'manual',
      headers: { ...(authorization !== '' && { authorization }), ...(typeof body === 'string' && { 'content-type': other === undefined ? type : ofOther }) },
      ...(body !== undefined && { body }),
    });
    return { operation, status: response.status, text: await response.text(), headers: response.headers, asked: `${decodeURIComponent(path)} ${typeof body === 'string' ? body : ''}` };
  }

  /** All of them, a few at a time; answers in the order of the operations. */
  async askAll(operations: readonly Operation[], asking: Asking): Promise<Answer[]> {
    const left = [...operations.entries()];
    const answers: Answer[] = [];
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) answers[next[0]] = await this.ask(next[1], asking);
    }));
    return answers;
  }
}
