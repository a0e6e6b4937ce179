import { newUuid } from '@twinyard/conventions';
import type { AnswerTerms, ScriptAnswer, ScriptRequest } from '@twinyard/scripts';
import { PlatformError } from './platform-error';
import type { PlatformHttp, PlatformRequest } from './http/platform-http';
import { allOf, chunksOf } from './http/received';

/** Of one answer: as much as crosses into a sandbox at once. */
const MOST_BYTES = 10 * 1024 * 1024;
/** Signed addresses of files. */
const CONTENT = '/filesvc/api/v1/content/';

/** Any operation of the platform, for scripts: bounded, tried again without being done twice, and waited for to its end. */
export class ScriptCalls {
  /** Of the script that asked last. */
  private bound: PlatformHttp | undefined;
  private ending: AbortSignal | undefined;

  constructor(private readonly http: PlatformHttp) {}

  /** `terms`: with a signal of the script, the same for all that it asks. */
  async request({ service, method, path, headers, body, isRepeatable }: ScriptRequest, terms: AnswerTerms): Promise<ScriptAnswer> {
    const http = this.endedBy(terms.signal);
    const isKeyed = isRepeatable || headers['idempotency-key'] !== undefined;
    const request: PlatformRequest = { method, path, headers, redirected: path.startsWith(CONTENT), ...(body !== undefined && { body }), ...(!isKeyed && { idempotencyKey: newUuid() }) };
    const read = (what: PlatformRequest) => http.retrying(async () => {
      const response = await http.send(service, what);
      await terms.takeRoom(sizeOf(response));
      return { response, bytes: await bytesOf(http, response) };
    });
    const { response, bytes } = await read(request);
    if (response.status !== 202) return { status: response.status, headers: Object.fromEntries(response.headers), body: bytes };
    return toAnswer(await http.follow(service, response, async (what) => JSON.parse((await read(what)).bytes.toString()) as unknown));
  }

  private endedBy(signal: AbortSignal): PlatformHttp {
    if (this.bound === undefined || this.ending !== signal) [this.bound, this.ending] = [this.http.within(signal), signal];
    return this.bound;
  }
}

/** As far as it says. */
const sizeOf = ({ headers }: Response): number => Number(headers.get('content-length') ?? MOST_BYTES) || 0;

async function bytesOf(http: PlatformHttp, response: Response): Promise<Buffer> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel();
    throw new PlatformError('A stream of events does not end: it is not for scripts', 400, 'invalid');
  }
  return allOf(chunksOf(response, (bytes) => http.took(bytes)), MOST_BYTES, () => new PlatformError(`The answer has more than ${MOST_BYTES} bytes: ask for less at once`, 413, 'too_large'));
}

const toAnswer = ({ _status, _body }: Awaited<ReturnType<PlatformHttp['follow']>>): ScriptAnswer => ({
  status: _status, headers: _body === undefined ? {} : { 'content-type': 'application/json' }, body: Buffer.from(_body === undefined ? '' : JSON.stringify(_body)),
});
