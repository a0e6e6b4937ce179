import { Inject, Injectable } from '@nestjs/common';
import { ObjectStore } from '@twinyard/blobs';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { cacheControl, dispositionOf, isActive } from './content-headers';
import type { Headers } from './preconditions';
import type { Representation } from './representation';

/** An address is used at once; the store looks at the time when a download begins. */
const TTL_SECONDS = 300;

/** Compared with our tags and times, which the store does not have: it would refuse what holds here, or take for unchanged what is not. */
const CONDITIONS_OF_OURS = ['if-match', 'if-unmodified-since', 'if-modified-since', 'if-range'];

/** "execute the rules for identifying an unknown MIME type" (MIME Sniffing, 7): a browser may take such bytes for HTML, and the store says no `nosniff`. */
const SNIFFED = /^(unknown|application)\/unknown\b/i;

/** Downloads that the store is to answer itself. */
@Injectable()
export class DirectDownloads {
  constructor(
    private readonly store: ObjectStore,
    @Inject(FILESVC_SETTINGS) private readonly settings: Pick<FilesvcSettings, 'S3_REDIRECT_MIN_BYTES'>,
  ) {}

  /** Nothing, when the bytes are to be streamed from here. */
  async addressOf({ content, decoded }: Representation, headers: Headers, maxAge: number): Promise<URL | undefined> {
    const { S3_REDIRECT_MIN_BYTES: from } = this.settings;
    if (from === undefined || content.size < from || decoded.length > 0) return undefined;
    // What a browser would run stays behind our `nosniff` and `sandbox`.
    if (isActive(content) || SNIFFED.test(content.contentType.trim())) return undefined;
    if (CONDITIONS_OF_OURS.some((name) => headers[name] !== undefined)) return undefined;
    const { blobKey, contentType, contentEncoding } = content;
    const encoding = contentEncoding === null ? {} : { contentEncoding };
    return this.store.presignedGet(blobKey, { contentType, contentDisposition: dispositionOf(content), cacheControl: cacheControl(maxAge), ...encoding }, TTL_SECONDS);
  }
}
