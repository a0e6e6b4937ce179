export const PAGE_HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** No scripts at all. A browser holds the redirects after a form to `form-action` too, so where they lead is in it. */
export function pageSecurityPolicy(formTargets: readonly string[] = []): string {
  const sources = ["'self'", ...new Set(formTargets.filter((uri) => URL.canParse(uri)).map(sourceOf))].join(' ');
  return `default-src 'none'; style-src 'self'; img-src 'self' data:; form-action ${sources}; frame-ancestors 'none'; base-uri 'none'`;
}

/** A policy has no words for an IPv6 address (CSP 3, `host-source`): a native app that listens on `[::1]` is reached by its scheme. */
function sourceOf(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri);
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin;
}
