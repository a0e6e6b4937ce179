import { startFailure } from './start-failure';

const DATA = '/srv/twinyard';
const NO_ROOM = 'There is no room left where DATA_DIR (/srv/twinyard) lies: free some, or set DATA_DIR to a folder elsewhere.';
const INITDB = `initdb failed (1): The files belonging to this database system will be owned by user "nobody".
creating configuration files ... ok
running bootstrap script ... 2026-01-01 00:00:00.000 UTC [7] FATAL:  could not write to file "pg_wal/xlogtemp.7": No space left on device
child process exited with exit code 1
initdb: removing data directory "/srv/twinyard/postgres/initializing-1a2b3c4d"`;

const ofSystem = (code: string, path?: string) => Object.assign(new Error(`${code}: no room, write`), { code, ...(path !== undefined && { path }) });

describe('a start that fails', () => {
  it.each([
    ['a full disk, of which the system does not say where', ofSystem('ENOSPC')],
    ['a full disk, at a file of DATA_DIR', ofSystem('ENOSPC', `${DATA}/secrets/service-token`)],
    ['a folder that cannot be made', ofSystem('ENOSPC', DATA)],
    ['a quota', ofSystem('EDQUOT')],
    ['a full disk below another failure', new Error('the lock cannot be taken', { cause: ofSystem('ENOSPC') })],
    ['initdb', new Error(INITDB)],
    ['PostgreSQL', new Error('PostgreSQL did not start: FATAL:  could not create lock file "postmaster.pid": No space left on device')],
    ['PostgreSQL that could write a part', new Error('could not extend file "base/16384/4156": wrote only 4096 of 8192 bytes at block 0')],
    ['a quota of the account of PostgreSQL', new Error('could not extend file "base/5/1": Disk quota exceeded')],
  ])('for want of room says what to do: %s', (_name, error) => {
    expect(startFailure(error, DATA)).toBe(NO_ROOM);
  });

  it('on a disk without room is told beside it: what a service has met stands in its own lines', () => {
    const ended = new Error('filesvc does not start: it ended 5 times; the reason stands in its lines above.');
    expect(startFailure(ended, DATA, () => 4_096)).toBe(`${ended.message}\n${NO_ROOM}`);
    expect(startFailure(ended, DATA, () => 1024 ** 3)).toBe(ended.message);
  });

  it('for want of room elsewhere, or for another reason, keeps its own words', () => {
    expect(startFailure(ofSystem('ENOSPC', '/tmp/sorts'), DATA)).toBe('ENOSPC: no room, write');
    expect(startFailure(ofSystem('ENOSPC', `${DATA}-too/file`), DATA)).toBe('ENOSPC: no room, write');
    expect(startFailure(ofSystem('EACCES', `${DATA}/secrets`), DATA)).toBe('EACCES: no room, write');
    expect(startFailure('thrown', DATA)).toBe('thrown');
  });
});
