import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type ByteRange, ObjectNotFound, ObjectStore } from '@twinyard/blobs';
import { notFound, ServiceError } from '@twinyard/conventions';
import { type VersionOfFile, VersionsRepository } from '../versions/versions.repository';
import { parseRange } from './byte-range';
import { contentHeaders, representationOf, validators } from './content-headers';
import { DirectDownloads } from './direct-downloads';
import { evaluatePreconditions, type Headers, rangeHolds } from './preconditions';
import type { VerifiedAddress } from './signed-addresses';

export interface ContentRequest {
  readonly method: string;
  readonly headers: Headers;
}

export interface ContentAnswer {
  readonly status: 200 | 206 | 302 | 304 | 416;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Readable;
}

/** What is behind a signed address, as HTTP asks for it (RFC 9110). */
@Injectable()
export class ContentService {
  constructor(
    private readonly versions: VersionsRepository,
    private readonly store: ObjectStore,
    private readonly directDownloads: DirectDownloads,
  ) {}

  /** The address stops with the version or its file. */
  async open(address: VerifiedAddress, request: ContentRequest): Promise<ContentAnswer> {
    const found = await this.versions.findByAddress(address);
    if (found === undefined) throw notFound('version', address.versionId);
    const outcome = evaluatePreconditions(request.headers, representationOf(found));
    if (outcome === 'failed') throw new ServiceError('precondition_failed', 'The content is not what If-Match names');
    if (outcome === 'not modified') return { status: 304, headers: validators(found) };
    return this.send(found, request);
  }

  private async send(found: VersionOfFile, request: ContentRequest): Promise<ContentAnswer> {
    const { size } = found.version;
    const isRanged = request.method === 'GET' && rangeHolds(request.headers, representationOf(found));
    const range = isRanged ? parseRange(String(request.headers['range'] ?? ''), size) : undefined;
    if (range === 'unsatisfiable') return { status: 416, headers: { 'content-range': `bytes */${size}` } };
    if (request.method === 'HEAD') return this.describe(found);
    const elsewhere = await this.directDownloads.addressOf(found, request.headers);
    // A client that follows sends its range there too.
    if (elsewhere !== undefined) return { status: 302, headers: { location: elsewhere.href, 'cache-control': 'private, no-store' } };
    return this.stream(found, range);
  }

  /** A HEAD has the headers of its GET; an empty stream keeps Fastify from counting a body of its own. */
  private describe(found: VersionOfFile): ContentAnswer {
    return { status: 200, headers: { ...contentHeaders(found), 'content-length': String(found.version.size) }, body: Readable.from([]) };
  }

  private async stream(found: VersionOfFile, range: ByteRange | undefined): Promise<ContentAnswer> {
    const { id, size, blobKey } = found.version;
    const length = range === undefined ? size : range.last - range.first + 1;
    const headers = {
      ...contentHeaders(found), 'content-length': String(length),
      ...(range && { 'content-range': `bytes ${range.first}-${range.last}/${size}` }),
    };
    const body = await this.read(id, () => this.store.get(blobKey, range));
    return { status: range === undefined ? 200 : 206, headers, body };
  }

  /** Deleted between the look-up and the read. */
  private read(versionId: string, open: () => Promise<Readable>): Promise<Readable> {
    return open().catch((error: unknown) => {
      throw error instanceof ObjectNotFound ? notFound('version', versionId) : error;
    });
  }
}
