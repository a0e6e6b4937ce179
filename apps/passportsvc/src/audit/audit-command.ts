import { readFile } from 'node:fs/promises';
import { type Anchor, findFault } from './audit-verification';
import type { AuditVerificationRepository } from './audit-verification.repository';

export const USAGE = `The audit log of the platform, while it runs. Without a namespace: of all of them; \`platform\` is the platform's own.

  audit head [namespace…]                     the end of each chain, a line of JSON each: to be kept where nobody of here can write
  audit verify [--against <file>] [namespace…]  walks each chain and names its first fault; --against: what \`audit head\` has printed
`;

export const BROKEN = 1;
export const MISUSED = 2;

type Print = (line: string) => void;

/** Runs the command; resolves with its exit code. */
export async function runAuditCommand([verb, ...args]: readonly string[], chains: AuditVerificationRepository, print: Print): Promise<number> {
  const options = parseOptions(args);
  if (options === undefined || (verb === 'head' && options.against !== undefined)) return refuse(print);
  if (verb === 'head') return printHeads(chains, options.namespaces, print);
  if (verb === 'verify') return verify(chains, options, print);
  return refuse(print);
}

interface Options {
  readonly namespaces: readonly string[];
  readonly against?: string;
}

function parseOptions(args: readonly string[]): Options | undefined {
  const at = args.indexOf('--against');
  const namespaces = at < 0 ? args : args.toSpliced(at, 2);
  const against = at < 0 ? undefined : args[at + 1];
  if (namespaces.some((name) => name.startsWith('-')) || (at >= 0 && against === undefined)) return undefined;
  return { namespaces, ...(against !== undefined && { against }) };
}

async function printHeads(chains: AuditVerificationRepository, namespaces: readonly string[], print: Print): Promise<number> {
  for (const head of await chains.listHeads(namespaces)) print(JSON.stringify(head));
  return 0;
}

async function verify(chains: AuditVerificationRepository, { namespaces, against }: Options, print: Print): Promise<number> {
  const anchors = against === undefined ? [] : await readAnchors(against);
  // A chain that is gone with its head is known from its anchor alone.
  const wanted = namespaces.length > 0 ? namespaces : [...new Set([...await chains.listNamespaces(), ...anchors.map(({ namespace }) => namespace)])];
  let [entries, broken] = [0, 0];
  for (const namespace of wanted) {
    const fault = await chains.read(namespace, async ({ head, batches }) => {
      entries += head?.sequence ?? 0;
      return findFault({ namespace, head, batches, anchors: anchors.filter((anchor) => anchor.namespace === namespace) });
    });
    if (fault === undefined) continue;
    broken += 1;
    print(`${fault.namespace} is broken at ${fault.sequence}: ${fault.issue}`);
  }
  print(`${wanted.length} chains with ${entries} entries: ${broken === 0 ? 'whole' : `${broken} broken`}`);
  return broken === 0 ? 0 : BROKEN;
}

async function readAnchors(file: string): Promise<Anchor[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    const { namespace, sequence, hash } = JSON.parse(line) as Partial<Anchor>;
    if (typeof namespace !== 'string' || typeof sequence !== 'number' || typeof hash !== 'string') throw new Error(`${file}, line ${index + 1}: is no head of a chain`);
    return { namespace, sequence, hash };
  });
}

function refuse(print: Print): number {
  print(USAGE);
  return MISUSED;
}
