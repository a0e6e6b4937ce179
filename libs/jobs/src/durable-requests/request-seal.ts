import { jsonOf, JsonText } from '@twinyard/service-kit';
import type { DurableResponse, KeptResponse } from './durable-request';

/** How a service seals requests that hold what must not lie plain in its database. */
export abstract class RequestSeal {
  abstract seal(text: string, context: string): string;
  /** @throws Error when it was sealed in another context, or under a key that is not known. */
  abstract open(sealed: string, context: string): string;
}

interface SealedJson {
  readonly $sealed: string;
}

/** How the JSON of one begins. */
const SEALED = '{"$sealed":';

/** Whether a payload was sealed; then its answer is to be too. */
export const isSealed = (value: unknown): value is SealedJson => typeof value === 'object' && value !== null && typeof (value as Partial<SealedJson>).$sealed === 'string';

/** The two texts of one request, as they are kept and as they are used. */
export class SealedRequest {
  constructor(
    private readonly seal: RequestSeal | undefined,
    private readonly id: string,
  ) {}

  sealedPayload(payload: unknown): SealedJson {
    return this.sealed(payload, 'payload');
  }

  payload(kept: unknown): unknown {
    return isSealed(kept) ? (JSON.parse(this.openedText(kept, 'payload')) as unknown) : kept;
  }

  sealedResponse<T extends DurableResponse>(response: T): T {
    return response.body === undefined ? response : { ...response, body: this.sealed(response.body, 'response') };
  }

  response(kept: KeptResponse): KeptResponse {
    // Most of an answer is long, and not sealed: it is not parsed for that.
    const body: unknown = kept.body?.startsWith(SEALED) === true ? kept.body.toJSON() : undefined;
    return isSealed(body) ? { ...kept, body: new JsonText(this.openedText(body, 'response')) } : kept;
  }

  private sealed(value: unknown, what: string): SealedJson {
    return { $sealed: this.required().seal(jsonOf(value ?? null), this.context(what)) };
  }

  private openedText({ $sealed }: SealedJson, what: string): string {
    return this.required().open($sealed, this.context(what));
  }

  private required(): RequestSeal {
    if (this.seal === undefined) throw new Error('The service has no RequestSeal for confidential requests');
    return this.seal;
  }

  private context(what: string): string {
    return `${what} of request ${this.id}`;
  }
}
