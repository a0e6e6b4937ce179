import type { SharedMailboxesRepository } from './shared-mailboxes.repository';

export const USAGE = `Accounts from before one mailbox was one account, a line of JSON each. The platform may run.

  mailboxes    accounts whose address another account has in another form, or which is no address any more; and those whose user names differ by case alone
`;

const MISUSED = 2;

/** Resolves with the exit code of the command. */
export async function runMailboxesCommand(args: readonly string[], shared: SharedMailboxesRepository, print: (line: string) => void): Promise<number> {
  if (args.length > 0) {
    print(USAGE);
    return MISUSED;
  }
  for await (const account of shared.all()) print(JSON.stringify(account));
  for await (const account of shared.sharedNames()) print(JSON.stringify(account));
  return 0;
}
