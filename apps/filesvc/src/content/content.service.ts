import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { ByteRange } from '@twinyard/blobs';
import { notFound, ServiceError } from '@twinyard/conventions';
import { requireReleased } from '../scan/quarantine';
import { VersionsRepository } from '../versions/versions.repository';
import { parseRanges, type RangeRequest } from './byte-ranges';
import { ContentBodies } from './content-bodies';
import { cachingHeaders, contentHeaders } from './content-headers';
import { DirectDownloads } from './direct-downloads';
import { MultipartByteranges } from './multipart-byteranges';
import { evaluatePreconditions, type Headers, rangeHolds, textOf } from './preconditions';
import { type Representation, representationFor } from './representation';
import type { VerifiedAddress } from './signed-addresses';
import { contentOf, type StoredContent } from './stored-content';

export interface ContentRequest {
  readonly method: string;
  readonly headers: Headers;
}

export interface ContentAnswer {
  readonly status: 200 | 206 | 302 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Readable;
}

/** What one caller is sent: which form of a content, and for how long it may be kept. */
interface Sending {
  readonly representation: Representation;
  readonly maxAge: number;
}

/** What is behind a signed address, as HTTP asks for it (RFC 9110). */
@Injectable()
export class ContentService {
  constructor(
    private readonly versions: VersionsRepository,
    private readonly bodies: ContentBodies,
    private readonly directDownloads: DirectDownloads,
  ) {}

  /** The address stops with the version or its file, also while the bytes are looked for. */
  async open(address: VerifiedAddress, request: ContentRequest): Promise<ContentAnswer> {
    const found = await this.versions.findByAddress(address);
    if (found === undefined) throw notFound('version', address.versionId);
    requireReleased(found.version);
    return this.serve(contentOf(found), address, request).catch(async (error: unknown) => {
      throw (await this.versions.findByAddress(address)) === undefined ? notFound('version', address.versionId) : error;
    });
  }

  async serve(content: StoredContent, { secondsLeft }: Pick<VerifiedAddress, 'secondsLeft'>, request: ContentRequest): Promise<ContentAnswer> {
    const representation = representationFor(content, textOf(request.headers['accept-encoding']));
    const sending = { representation, maxAge: secondsLeft };
    const outcome = evaluatePreconditions(request.headers, representation);
    if (outcome === 'failed') throw new ServiceError('precondition_failed', 'The content is not what If-Match names');
    if (outcome === 'not modified') return { status: 304, headers: cachingHeaders(representation, secondsLeft), ...(request.method === 'HEAD' && { body: uncounted() }) };
    return this.send(sending, request);
  }

  private async send(sending: Sending, request: ContentRequest): Promise<ContentAnswer> {
    const { representation, maxAge } = sending;
    const ranges = rangesOf(representation, request);
    if (ranges === 'unsatisfiable') throw outside(representation.content);
    if (request.method === 'HEAD') return describe(sending);
    // No store answers several ranges; a client that follows sends a single one there too.
    const isForStore = ranges === undefined || ranges.length === 1;
    const elsewhere = isForStore ? await this.directDownloads.addressOf(representation, request.headers, maxAge) : undefined;
    if (elsewhere !== undefined) return redirection(elsewhere, representation);
    if (ranges === undefined) return this.whole(sending);
    const [range] = ranges as [ByteRange];
    return ranges.length === 1 ? this.part(sending, range) : this.parts(sending, ranges);
  }

  private async whole(sending: Sending): Promise<ContentAnswer> {
    const { content, decoded } = sending.representation;
    const body = decoded.length > 0 ? await this.bodies.decoded(content, decoded) : await this.bodies.stored(content);
    return { status: 200, headers: headersOfWhole(sending), body };
  }

  private async part({ representation, maxAge }: Sending, range: ByteRange): Promise<ContentAnswer> {
    const { content } = representation;
    const length = { 'content-length': String(range.last - range.first + 1), 'content-range': `bytes ${range.first}-${range.last}/${content.size}` };
    return { status: 206, headers: { ...contentHeaders(representation, maxAge), ...length }, body: await this.bodies.stored(content, range) };
  }

  private async parts({ representation, maxAge }: Sending, ranges: readonly ByteRange[]): Promise<ContentAnswer> {
    const parts = new MultipartByteranges(representation.content, ranges);
    const form = { 'content-type': parts.contentType, 'content-length': String(parts.length) };
    return { status: 206, headers: { ...contentHeaders(representation, maxAge), ...form }, body: await this.bodies.parts(representation.content, parts) };
  }
}

/** Of what is decoded there are no ranges. Several of an encoded content would come in a body that itself is not encoded, which no header can say. */
function rangesOf(representation: Representation, { method, headers }: ContentRequest): RangeRequest {
  const { content, decoded } = representation;
  if (method !== 'GET' || decoded.length > 0 || !rangeHolds(headers, representation)) return undefined;
  const ranges = parseRanges(textOf(headers['range']), content.size);
  return content.contentEncoding !== null && Array.isArray(ranges) && ranges.length > 1 ? undefined : ranges;
}

const outside = ({ size }: StoredContent) =>
  new ServiceError('range_not_satisfiable', `There are ${size} bytes, and the range is outside of them`, { headers: { 'content-range': `bytes */${size}`, 'cache-control': 'no-store' } });

/** Keeps Fastify from counting a body of its own for a HEAD. */
const uncounted = (): Readable => Readable.from([]);

/** A HEAD has the headers of its GET. */
const describe = (sending: Sending): ContentAnswer => ({ status: 200, headers: headersOfWhole(sending), body: uncounted() });

const headersOfWhole = ({ representation, maxAge }: Sending): Record<string, string> => ({
  ...contentHeaders(representation, maxAge),
  ...(representation.decoded.length === 0 && { 'content-length': String(representation.content.size) }),
});

const redirection = ({ href: location }: URL, { isNegotiated }: Representation): ContentAnswer => ({
  status: 302, headers: { location, 'cache-control': 'private, no-store', ...(isNegotiated && { vary: 'Accept-Encoding' }) },
});
