import { parseAcceptEncoding, weightOf } from '@twinyard/conventions';
import { codingsOf, isDecodable } from './content-codings';
import type { Validators } from './preconditions';
import type { StoredContent } from './stored-content';

/** A content in the form in which one caller gets it. */
export interface Representation extends Validators {
  readonly content: StoredContent;
  /** What is to be undone before it is sent; nothing, when it is sent as stored. */
  readonly decoded: readonly string[];
  /** Another caller may get another form (`Vary: Accept-Encoding`). */
  readonly isNegotiated: boolean;
}

/**
 * As stored, when `Accept-Encoding` allows its codings and does not prefer none; else decoded. What nobody here can decode is sent as
 * stored, and so is a content of which the caller takes neither form: "the server can … disregard the header field" (RFC 9110, 12.1).
 */
export function representationFor(content: StoredContent, acceptEncoding: string | undefined): Representation {
  const codings = codingsOf(content.contentEncoding);
  const isNegotiated = codings.length > 0 && isDecodable(codings);
  const decoded = isNegotiated && wantsDecoded(codings, acceptEncoding) ? codings : [];
  // A strong tag names bytes: those of the decoded form are others, and the date says not which.
  const etag = decoded.length > 0 ? `"${content.sha256}-decoded"` : `"${content.sha256}"`;
  return { content, decoded, isNegotiated, etag, lastModified: content.createdAt, isDateStrong: !isNegotiated };
}

function wantsDecoded(codings: readonly string[], acceptEncoding: string | undefined): boolean {
  const weights = parseAcceptEncoding(acceptEncoding);
  if (weights === undefined) return false;
  const asStored = Math.min(...codings.map((coding) => weightOf(weights, coding)));
  return weightOf(weights, 'identity') > asStored;
}
