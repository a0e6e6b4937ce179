import { statfsSync } from 'node:fs';
import { sep } from 'node:path';

/** Where a system has no room, or its user no right to more of it (errno(3)). */
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);
/** As initdb and PostgreSQL say it: they hand on what the system says, or tell that it took a part. */
const NO_ROOM_WORDS = /No space left on device|Disk quota exceeded|wrote only \d+ of \d+ bytes/;

/** Less is no room: each file of a database grows by more. */
const SOME_ROOM_BYTES = 1024 * 1024;

/** What whoever started the platform has to hear when it does not start. Of a full disk a service tells in its own lines, if it can; the runner sees that it ended. */
export function startFailure(error: unknown, dataDir: string, freeBytes = freeBytesOf): string {
  const noRoom = `There is no room left where DATA_DIR (${dataDir}) lies: free some, or set DATA_DIR to a folder elsewhere.`;
  if (hasNoRoom(error, dataDir)) return noRoom;
  return freeBytes(dataDir) < SOME_ROOM_BYTES ? `${messageOf(error)}\n${noRoom}` : messageOf(error);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The same may be said of a folder elsewhere: then its own words name it. */
function hasNoRoom(error: unknown, dataDir: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code, path } = error as NodeJS.ErrnoException;
  if (code !== undefined && NO_ROOM.has(code)) return path === undefined || path === dataDir || path.startsWith(dataDir + sep);
  return NO_ROOM_WORDS.test(error.message) || hasNoRoom(error.cause, dataDir);
}

function freeBytesOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Infinity; // it has not been made
  }
}
