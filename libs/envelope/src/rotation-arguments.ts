/** `--namespace <ns>` as often as wanted, of a command that rotates; `undefined`: not as its usage says. */
export function parseNamespaces(args: readonly string[]): string[] | undefined {
  const named: string[] = [];
  for (let at = 0; at < args.length; at += 2) {
    const namespace = args[at + 1];
    if (args[at] !== '--namespace' || namespace === undefined || namespace.startsWith('-')) return undefined;
    named.push(namespace);
  }
  return named;
}
