export const PAGE_HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** No scripts at all. A browser holds the redirects after a form to `form-action` too, so the application's origin is in it. */
export function pageSecurityPolicy(redirectUri?: string): string {
  const origin = redirectUri === undefined ? '' : ` ${sourceOf(redirectUri)}`;
  return `default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'${origin}; frame-ancestors 'none'; base-uri 'none'`;
}

function sourceOf(uri: string): string {
  const { protocol, origin } = new URL(uri);
  return origin === 'null' ? protocol : origin;
}
