import { parseArgs } from 'node:util';
import type { BlobScan } from './blob-scan';
import type { QuarantinedVersionsRepository, ScannedVersion } from './quarantined-versions.repository';
import type { Verdicts } from './verdicts';

export const USAGE = `Versions in which a scan found something, while filesvc runs. Each line is JSON; changes are worth keeping.

  quarantine list                                             names them
  quarantine rescan                                           shows them to the scanner again, and releases those in which it finds nothing now
  quarantine rescan --all | <version>…                        the same of all versions, or of these: also quarantines
  quarantine release <version> --by <who> --reason <why>      gives one out in spite of the finding
`;

const MISUSED = 2;
const BATCH = 500;

export interface QuarantineRooms {
  readonly scanned: QuarantinedVersionsRepository;
  readonly scan: Pick<BlobScan, 'findIn' | 'isOn'>;
  readonly verdicts: Verdicts;
  readonly print: (line: object | string) => void;
}

type Command = (rooms: QuarantineRooms, values: Values, ids: readonly string[]) => Promise<number>;
interface Values {
  readonly all: boolean;
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
}

/** Runs the command; resolves with its exit code. */
export async function runQuarantineCommand(args: readonly string[], rooms: QuarantineRooms): Promise<number> {
  const options = { all: { type: 'boolean', default: false }, by: { type: 'string' }, reason: { type: 'string' } } as const;
  const { values, positionals: [verb = '', ...ids] } = parseArgs({ args: [...args], options, allowPositionals: true });
  const command = COMMANDS[verb];
  if (command !== undefined) return command(rooms, values, ids);
  rooms.print(USAGE);
  return MISUSED;
}

const list: Command = async ({ scanned, print }) => {
  for await (const version of every(scanned, 'quarantined')) print(lineOf(version));
  return 0;
};

const rescan: Command = async (rooms, { all }, ids) => {
  if (!rooms.scan.isOn) throw new Error('SCAN_CLAMD_ADDRESS: is missing, nobody scans');
  const known = ids.length > 0 ? named(rooms.scanned, ids) : every(rooms.scanned, all ? 'all' : 'quarantined');
  let count = 0;
  for await (const version of known) {
    count += 1;
    const found = await rooms.scan.findIn({ key: version.blobKey, size: version.size });
    if (found !== version.found && (await rooms.verdicts.set(version, found))) rooms.print({ at: new Date(), rescanned: version.versionId, ...lineOf(version), now: found });
  }
  rooms.print({ rescanned: count });
  return 0;
};

const release: Command = async ({ scanned, verdicts, print }, { by, reason }, [id = '', ...others]) => {
  const version = await scanned.find(id);
  if (others.length > 0 || !by || !reason) throw new Error('release takes one version, --by and --reason');
  if (version?.found == null) throw new Error(`no version ${id} is quarantined`);
  if (await verdicts.set(version, null)) print({ at: new Date(), released: version.versionId, ...lineOf(version), by, reason });
  return 0;
};

const COMMANDS: Readonly<Record<string, Command>> = { list, rescan, release };

const lineOf = ({ versionId, fileId, name, namespaces, size, found }: ScannedVersion) => ({ versionId, fileId, name, namespaces, size, found });

async function* every(scanned: QuarantinedVersionsRepository, which: 'quarantined' | 'all'): AsyncGenerator<ScannedVersion> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (let batch = await scanned.next(after, which, BATCH); batch.length > 0; batch = await scanned.next(after, which, BATCH)) {
    yield* batch;
    after = batch.at(-1)?.versionId ?? after;
  }
}

async function* named(scanned: QuarantinedVersionsRepository, ids: readonly string[]): AsyncGenerator<ScannedVersion> {
  for (const id of ids) {
    const version = await scanned.find(id);
    if (version === undefined) throw new Error(`there is no version ${id}`);
    yield version;
  }
}
