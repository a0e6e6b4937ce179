const MOST_CHARACTERS = 16_384;
/** A target, and its parameters up to the next. */
const LINK = /<([^<>]*)>([^<]*)/g;
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]+))/i;

/** The target whose relation is `next`, as it is written (RFC 8288); of several the first. */
export function nextLink(header: string | string[] | undefined): string | undefined {
  const text = (Array.isArray(header) ? header.join(', ') : (header ?? '')).slice(0, MOST_CHARACTERS);
  for (const [, target, parameters = ''] of text.matchAll(LINK)) {
    const [, quoted, plain] = REL.exec(parameters) ?? [];
    if ((quoted ?? plain ?? '').toLowerCase().split(/\s+/).includes('next')) return target;
  }
  return undefined;
}
