const CAUSE_LENGTH = 4_000;

/** For operators: what failed, and what that came from. */
export function causeOf(error: unknown): string {
  const chain: string[] = [];
  for (let at = error; at !== undefined && chain.length < 5; at = at instanceof Error ? at.cause : undefined) {
    chain.push(at instanceof Error ? (at.stack ?? at.message) : String(at));
  }
  // PostgreSQL's text holds everything but NUL.
  return chain.join('\ncaused by: ').replaceAll('\u0000', '').slice(0, CAUSE_LENGTH);
}
