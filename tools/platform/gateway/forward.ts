import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { networkOf, whenOver } from '@twinyard/service-kit/process';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressOf } from './client-address';
import type { GatewaySettings } from './config';
import type { EventStreams } from './event-streams';
import { requestHeaders, responseHeaders } from './headers';
import { refuse, refusePath, refuseUnanswered, refuseUnserved } from './refusals';
import { isAmbiguous, ownerOf, pathOf } from './routing';
import { FairSlots, type SlotTerms } from './shares/fair-slots';
import type { Caller, UpstreamClient } from './upstream-client';

/** How long a request waits for its turn at a service. */
const TURN_WITHIN_MS = 30_000;

interface Errand {
  readonly owner: ServiceName;
  readonly upstream: string;
  readonly path: string;
  readonly address: string;
  readonly baseUrl: URL;
}

/** There and back. */
export interface Ways {
  readonly client: UpstreamClient;
  readonly streams: EventStreams;
}

/** At one service. */
interface Places {
  readonly all: FairSlots;
  /** Half of them, which requests hold besides while their bodies are still coming: bodies that come slowly leave the other half to others. */
  readonly uploads: FairSlots;
}

interface Turn {
  readonly places: Places;
  readonly errand: Errand;
  readonly go: () => void;
}

/** Sends requests on to the services that own their paths, each caller within its share of places there. */
export function forwarderTo({ upstreams, baseUrl, trustedProxies, slots }: GatewaySettings, ways: Ways) {
  const publicOrigin = new URL(baseUrl);
  const places = Object.fromEntries(SERVICES.map((service) => [service, placesOf(slots)])) as Record<ServiceName, Places>;
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = pathOf(request.raw.url ?? '/');
    if (isAmbiguous(path)) return refusePath(reply);
    const owner = ownerOf(path);
    if (!owner) return refuseUnserved(reply, path);
    const errand = { owner, upstream: upstreams[owner], path, address: addressOf(request, trustedProxies), baseUrl: publicOrigin };
    inTurn(request, reply, { places: places[owner], errand, go: () => send(request, reply, errand, ways) });
    return reply;
  };
}

const placesOf = (slots: SlotTerms): Places => ({ all: new FairSlots(slots), uploads: new FairSlots({ total: halfOf(slots.total), share: halfOf(slots.share) }) });
const halfOf = (places: number) => Math.max(1, Math.floor(places / 2));

/** At once, nearly always. A place is given back when the answer is out, or its caller gone. */
function inTurn(request: FastifyRequest, reply: FastifyReply, { places, errand: { owner, address }, go }: Turn): void {
  const wait: { isOver: boolean; timer?: NodeJS.Timeout } = { isOver: false };
  const leave = enter(request, networkOf(address), places, () => {
    wait.isOver = true;
    clearTimeout(wait.timer);
    go();
  });
  if (!wait.isOver) {
    wait.timer = setTimeout(() => {
      leave();
      refuse(reply, 'unavailable', `${owner} has no place for more requests of this address at the moment`);
    }, TURN_WITHIN_MS);
  }
  whenOver(request, reply, () => {
    clearTimeout(wait.timer);
    leave();
  });
}

/** What it answers gives all places back, or gives up the wait for them. */
function enter({ raw, body }: FastifyRequest, caller: string, { all, uploads }: Places, go: () => void): () => void {
  const isComing = body !== undefined && body !== null && !Buffer.isBuffer(body) && !raw.readableEnded;
  if (!isComing) return all.take(caller, go);
  let leaveAll: (() => void) | undefined;
  const goOn = () => void (leaveAll ??= all.take(caller, go));
  const leaveUploads = uploads.take(caller, goOn);
  const hasCome = () => {
    leaveUploads();
    goOn();
  };
  raw.once('end', hasCome);
  return () => {
    raw.off('end', hasCome);
    leaveUploads();
    leaveAll?.();
  };
}

function send(request: FastifyRequest, reply: FastifyReply, { owner, upstream, path, address, baseUrl }: Errand, { client, streams }: Ways): void {
  const { pathname } = new URL(path, upstream);
  const fail = (failed: FastifyReply, cause: unknown) => {
    if (!reply.raw.destroyed) request.log.warn({ requestId: request.id, err: cause, service: owner }, 'no answer from the service');
    refuseUnanswered(failed, owner, cause);
  };
  client.onBehalfOf({ caller: goneSignal(request, reply), path: pathname }, () => {
    reply.from('/', {
      getUpstream: () => upstream,
      ...pieceOf(request),
      rewriteRequestHeaders: (_request, headers) => requestHeaders(headers, {
        address, baseUrl, requestId: request.id, hasBody: request.body !== undefined && request.body !== null,
      }),
      rewriteHeaders: (headers) => responseHeaders(headers),
      onResponse: (_request, answered, response) => {
        const answer = answered as FastifyReply;
        // An early answer to a body still on its way would close the connection: its sender would meet a reset in place of the
        // 401 or 413. The rest of the body is dropped within bounds (detached-body.ts).
        void answer.removeHeader('connection');
        const { stream } = response as unknown as Incoming;
        if (streams.isOne(answer)) return streams.send(answer, stream);
        if (!isSmall(request, answer)) return void answer.send(stream);
        stream.bytes().then((bytes) => answer.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)), (error: unknown) => fail(withoutHeaders(answer), error));
      },
      retryDelay: () => null, // whether to try again is for the caller to say
      onError: (failed, { error }) => fail(failed as FastifyReply, error.cause ?? error),
    });
  });
}

/** What was gathered goes on in one piece. */
const pieceOf = ({ body, headers }: FastifyRequest) => (Buffer.isBuffer(body) ? { body, contentType: headers['content-type'] as string } : {});

/** A body of undici's. */
type Incoming = { readonly stream: Readable & { bytes(): Promise<Uint8Array<ArrayBuffer>> } };

/** Answers up to this size are sent in one piece. */
const SMALL_ANSWER_BYTES = 64 * 1024;

function isSmall({ method }: FastifyRequest, answer: FastifyReply): boolean {
  const length = Number(answer.getHeader('content-length') ?? Number.NaN);
  return method !== 'HEAD' && length > 0 && length <= SMALL_ANSWER_BYTES;
}

/** Of an answer whose body has not come. */
function withoutHeaders(answer: FastifyReply): FastifyReply {
  for (const name of Object.keys(answer.getHeaders())) answer.removeHeader(name);
  return answer;
}

/** `abort` is emitted where the caller goes away before it was answered. An `AbortController` would make an error, trace and all, for each request. */
function goneSignal(request: FastifyRequest, reply: FastifyReply): Caller {
  const gone = Object.assign(new EventEmitter(), { aborted: false });
  whenOver(request, reply, () => {
    if (reply.raw.writableFinished) return;
    gone.aborted = true;
    gone.emit('abort');
  });
  return gone;
}
