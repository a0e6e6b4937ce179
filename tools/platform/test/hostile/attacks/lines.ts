import { randomBytes } from 'node:crypto';
import type { Attacker, Line } from '../attacker';

const SOCKETS = 256;
const EXPORTS = 8;
const AGAIN_MS = 250;
const TOKEN = '/passportsvc/api/v2/oauth/token';
/** So long an answer is left unread: a good deal longer than the gateway waits for its reader in the drill. What is left of a line that was cut is read at once. */
const [UNREAD_MS, REST_MS] = [12_000, 14_000];

/** So many lines, each of them opened again when `work` is done with it. */
async function keepOpen(attacker: Attacker, lines: number, work: (line: Line) => Promise<unknown>): Promise<void> {
  await attacker.repeat(lines, Number.POSITIVE_INFINITY, async () => {
    const line = attacker.open();
    await Promise.race([work(line), attacker.ended]);
    line.socket.destroy();
    await attacker.pause(AGAIN_MS);
  });
}

/** A head and one byte of a body that never comes. */
export const stalledBodies = (attacker: Attacker): Promise<void> =>
  keepOpen(attacker, SOCKETS, ({ socket, closed }) => {
    socket.write(`POST ${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\ng`);
    return closed;
  });

/** A head that never ends. */
export const stalledHeads = (attacker: Attacker): Promise<void> =>
  keepOpen(attacker, SOCKETS, ({ socket, closed }) => {
    socket.write('GET /itemsvc/api/v1/nameduseritems HTTP/1.1\r\nHost: x\r\nX-');
    return closed;
  });

/** Exports of everything, whose answers nobody reads. That one was cut is seen only by reading on: then the line ends, long before the export does. */
export const unreadAnswers = (attacker: Attacker): Promise<void> => {
  const { namespace, large, token } = attacker.scene;
  const path = attacker.items(large, `/export?format=ndjson&nsfilter=${namespace}`);
  return keepOpen(attacker, EXPORTS, async ({ socket, said, closed }) => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    if ((await said) !== '200') return;
    socket.pause();
    await attacker.pause(UNREAD_MS);
    socket.resume();
    const isCut = await Promise.race([closed.then(() => true), attacker.pause(REST_MS).then(() => false)]);
    if (isCut) attacker.count('cut');
  });
};

/** Guesses at tokens, each with another one. */
export const randomCredentials = (attacker: Attacker): Promise<void> =>
  attacker.repeat(8, 20_000, () =>
    attacker.send('/passportsvc/api/v1/users/me', { headers: { authorization: `Bearer ${randomBytes(24).toString('base64url')}` } }));
