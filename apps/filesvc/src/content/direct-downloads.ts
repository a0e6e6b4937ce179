import { Inject, Injectable } from '@nestjs/common';
import { ObjectStore } from '@twinyard/blobs';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import type { VersionOfFile } from '../versions/versions.repository';
import { dispositionOf, isActive } from './content-headers';
import type { Headers } from './preconditions';

/** An address is used at once; the store looks at the time when a download begins. */
const TTL_SECONDS = 300;

/** Compared with our tags and times, which the store does not have: it would refuse what holds here. */
const CONDITIONS_OF_OURS = ['if-match', 'if-unmodified-since', 'if-range'];

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
  async addressOf({ file, version }: VersionOfFile, headers: Headers): Promise<URL | undefined> {
    const { S3_REDIRECT_MIN_BYTES: from } = this.settings;
    if (from === undefined || version.size < from) return undefined;
    // What a browser would run stays behind our `nosniff` and `sandbox`.
    if (isActive(file.name, version.contentType) || SNIFFED.test(version.contentType.trim())) return undefined;
    if (CONDITIONS_OF_OURS.some((name) => headers[name] !== undefined)) return undefined;
    const encoding = version.contentEncoding === null ? {} : { contentEncoding: version.contentEncoding };
    const answer = { contentType: version.contentType, contentDisposition: dispositionOf({ file, version }), ...encoding };
    return this.store.presignedGet(version.blobKey, answer, TTL_SECONDS);
  }
}
