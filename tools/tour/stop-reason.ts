type Cause = Error & { readonly code?: string };

/** Why a tour could not go on, for who sits before it: `fetch` itself only says that it failed. */
export function stopReason(error: unknown, baseUrl: string): string {
  const { host, hostname } = new URL(baseUrl);
  const codes = new Set(causesOf(error).map(({ code }) => code));
  if (codes.has('ENOTFOUND') || codes.has('EAI_AGAIN')) {
    return `${hostname} has no address on this machine. Browsers know names that end in .localhost, other programs may not: write "127.0.0.1 ${hostname}" into the hosts file`;
  }
  if (codes.has('ECONNREFUSED')) return `nothing listens at ${host}: is the platform up, and is this its address?`;
  return error instanceof Error ? error.message : String(error);
}

/** An error, what it came from, and what that came from; each attempt of a connection to a name with several addresses. */
function causesOf(error: unknown): Cause[] {
  if (!(error instanceof Error)) return [];
  return [error, ...causesOf(error.cause), ...(error instanceof AggregateError ? error.errors.flatMap(causesOf) : [])];
}
