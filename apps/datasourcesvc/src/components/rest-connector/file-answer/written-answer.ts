import { invalid } from '@twinyard/conventions';
import { namespacesIn } from '../../made-files/file-place';
import { type FileContent, type MadeFile, MadeOnce, type NoContent } from '../../made-files/made-once';
import type { StepContext } from '../../step-context';
import { StepProgress } from '../../step-progress';
import { decodedBody, encodingOf, wholeBody } from '../exchange/answer-bytes';
import { EndpointError } from '../exchange/endpoint-error';
import { type OpenAnswer, type RestExchange, singleHeader } from '../exchange/rest-exchange';
import type { RestResponse } from '../exchange/rest-line';
import type { OutgoingRequest } from '../outgoing-request';
import type { Redaction } from '../redaction';
import type { RestMethod } from '../rest-params';
import type { AnswerFileBounds } from './answer-file-bounds';
import { pacedBody } from './paced-body';
import type { FileTarget } from './to-file';

/** Without secrets: it is kept with the step while the body is on its way. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: RestResponse['headers'];
}

export type WrittenAnswer = AnswerHead | (AnswerHead & MadeFile);

export interface AnswerToWrite {
  readonly exchange: RestExchange;
  readonly request: OutgoingRequest;
  readonly bounds: AnswerFileBounds;
  readonly redaction: Redaction;
}

/** They have no content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
const BODILESS: readonly number[] = [204, 205, 304];
/** Idempotent methods (RFC 9110, section 9.2.2): asked again, they do nothing more. */
const REPEATABLE: readonly RestMethod[] = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'];
/** What may stand in a line of the message to filesvc, which looks at it closer. */
const TYPE = /^[\x21-\x7e][\x20-\x7e]{0,254}$/;

/**
 * Writes the body of an answer to a file while it comes: it is held nowhere, and is there whole or not at all. An answer without content makes no file.
 * `step`: with the signal that ends both sides. Where filesvc fails on the way, the other side is asked again if that does nothing twice.
 */
export async function writeAnswer(step: StepContext, toWrite: AnswerToWrite, target: FileTarget): Promise<WrittenAnswer> {
  const { exchange, request } = toWrite;
  const progress = new StepProgress(step);
  const namespaces = await progress.once('namespaces', () => namespacesIn(step, target.parentId));
  const file = new MadeOnce<AnswerHead>(step, progress, { ...target, namespaces });
  let times = 0;
  return progress.once('made', () => file.make<AnswerHead>(async (over) => {
    times += 1;
    if (times > 1 && !REPEATABLE.includes(request.method)) throw new EndpointError(`filesvc did not take the answer of ${request.url.host}, and a ${request.method} is not sent twice`);
    return contentOf(await exchange.open(request), toWrite, over);
  }));
}

function contentOf({ response, url: { host } }: OpenAnswer, { bounds, redaction }: AnswerToWrite, over: AbortSignal): FileContent<AnswerHead> | NoContent<AnswerHead> {
  const { statusCode: status, headers, body: line } = response;
  over.addEventListener('abort', () => void line.destroy(), { once: true });
  const figures = redaction.value({ status, headers }) as AnswerHead;
  if (BODILESS.includes(status)) return { instead: figures };
  const tooLarge = invalid(`The answer of ${host} has more than the ${bounds.mostBytes / 1024 ** 2} MB that a file of it may have (REST_CONNECTOR_FILE_MB)`);
  const total = announced(headers);
  if (total !== undefined && total > bounds.mostBytes) throw tooLarge;
  const tooSlow = new EndpointError(`The answer of ${host} came too slowly`);
  const body = pacedBody(decodedBody(response, host), bounds.pace, tooSlow);
  return {
    bytes: wholeBody(body, { host, most: bounds.mostBytes, tooLarge }),
    contentType: typeOf(redaction.text(singleHeader(headers['content-type']))),
    figures,
    report: (sent) => ({ _done: sent, ...(total !== undefined && { _total: total }) }),
  };
}

/** How much there is to come; unpacked it is not known before. */
function announced(headers: RestResponse['headers']): number | undefined {
  const length = singleHeader(headers['content-length']);
  return encodingOf(headers) === undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

const typeOf = (header: string): string | undefined => (TYPE.test(header) ? header : undefined);
