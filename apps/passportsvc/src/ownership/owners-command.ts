import type { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { AuditLog } from '../audit/audit-log';
import { OPERATOR } from '../encryption/operator';
import type { GrantFeed } from '../grant-feed/grant-feed.service';
import { grantFact } from '../permissions/permission-facts';
import { ALL_RESOURCES, type PermissionsRepository } from '../permissions/permissions.repository';
import type { AddressHolders } from '../users/address-holders';
import type { OwnershipRepository } from './ownership.repository';

export const USAGE = `Owners of namespaces (holders of \`*\` on \`*:*:*\` there), while passportsvc runs.

  owners missing                           namespaces that nobody owns who can sign in, with what each belongs to
  owners give <namespace> <user>           makes a user its owner: by id, or by an e-mail address that its account has confirmed
`;

export const FAILED = 1;
export const MISUSED = 2;
const BATCH = 1_000;

export interface OwnersTools {
  readonly unitOfWork: TypeOrmUnitOfWork;
  readonly feed: GrantFeed;
  readonly ownership: OwnershipRepository;
  readonly permissions: PermissionsRepository;
  readonly holders: AddressHolders;
  readonly audit: AuditLog;
}

type Print = (line: string) => void;

/** Runs the command; resolves with its exit code. */
export async function runOwnersCommand([verb, ...args]: readonly string[], tools: OwnersTools, print: Print): Promise<number> {
  const [namespace, named] = args;
  if (verb === 'missing' && args.length === 0) return printMissing(tools, print);
  if (verb === 'give' && args.length === 2 && namespace !== undefined && named !== undefined) return give(tools, namespace, named, print);
  print(USAGE);
  return MISUSED;
}

async function printMissing({ unitOfWork, ownership }: OwnersTools, print: Print): Promise<number> {
  for (let after = ''; ;) {
    const page = await unitOfWork.run((tx) => ownership.listOwnerless(tx, after, BATCH));
    for (const { name, kind } of page) print(`${name} (${kind})`);
    const last = page.at(-1);
    if (last === undefined || page.length < BATCH) return 0;
    after = last.name;
  }
}

/** In force in every service when it returns, and in the audit log of the namespace. */
async function give({ feed, ownership, permissions, audit, holders }: OwnersTools, namespace: string, named: string, print: Print): Promise<number> {
  const user = await holders.findNamed(named);
  if (user === undefined || user.disabled) {
    print(user === undefined ? 'there is no user with this id, or none who has confirmed this address' : 'the user is disabled');
    return FAILED;
  }
  const owner = { type: 'user', id: user.id } as const;
  const isGiven = await feed.commit(async (tx) => {
    if (!(await ownership.isThere(tx, namespace))) return { result: false, keys: [] };
    const permission = await permissions.grant(tx, { namespace, actions: ['*'], irn: ALL_RESOURCES, user: owner, createdById: OPERATOR.id });
    await audit.record(tx, OPERATOR, grantFact('GRANT', permission));
    return { result: true, keys: [`user:${user.id}`] };
  });
  print(isGiven ? `${namespace} is owned by ${user.id}` : `there is no namespace ${namespace}, or it was deleted`);
  return isGiven ? 0 : FAILED;
}
