import { createServer } from 'node:http';
import type { Answer, Attacker } from '../attacker';

/** One item of a bulk of nearly 10 MB: its keys are what costs. */
const keysOf = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`;

export const bulksOfKeys = (attacker: Attacker): Promise<void> => {
  const text = `[${keysOf(720_000)}]`;
  return attacker.repeat(2, 500, () => attacker.send(attacker.items(attacker.scene.collection, '/bulk'), { method: 'POST', text }));
};

const LOOK_MS = 1_000;

export const manyImports = async (attacker: Attacker): Promise<void> => {
  const rows = Array.from({ length: 20_000 }, (_, n) => JSON.stringify({ n, text: 'imported '.repeat(10) })).join('\n');
  const accepted: string[] = [];
  const send = async () => {
    const { location } = await attacker.send(attacker.items(attacker.scene.history, '/import'), {
      method: 'POST', text: rows, query: { format: 'ndjson' }, headers: { 'content-type': 'application/x-ndjson' },
    });
    if (location !== undefined) accepted.push(location);
  };
  await Promise.all([attacker.repeat(5, 60, send), follow(attacker, accepted)]);
};

/** That a file was taken in says little: its rows are what costs. */
async function follow(attacker: Attacker, accepted: readonly string[]): Promise<void> {
  let written = 0;
  await attacker.repeat(1, Number.POSITIVE_INFINITY, async () => {
    await attacker.pause(LOOK_MS);
    const next = accepted[written];
    if (next === undefined || attacker.over) return;
    const { text } = await attacker.send(next);
    if (!/"_done":[1-9]/.test(text)) return;
    written += 1;
    attacker.count(/"_created":0|"FAILED"/.test(text) ? `import refused: ${text.slice(0, REASON)}` : 'rows written');
  });
}

/** Of what an import was refused for. */
const REASON = 300;
const BOUNDARY = 'hostile-boundary';

function upload(attacker: Attacker, name: string, content: string): Promise<Answer> {
  const { folder, namespace } = attacker.scene;
  const text = [
    `--${BOUNDARY}`, `Content-Disposition: form-data; name="file"; filename="${name}"`, 'Content-Type: text/plain', '', content, `--${BOUNDARY}--`, '',
  ].join('\r\n');
  return attacker.send('/filesvc/api/v1/files', {
    method: 'POST', text, query: { _namespaces: namespace, _parents: folder }, headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  });
}

/** Five hundred names in one folder, many at once, and again and again as new versions; each is an event, and a webhook. */
export const manyUploads = (attacker: Attacker): Promise<void> => attacker.repeat(64, 4_000, (turn) => upload(attacker, `${turn % 500}.txt`, `content ${turn}`));

const DRIP_MS = 1_000;

/** Receives webhooks, those for files of its own among them, and answers them one byte a second, for ever. */
export async function drippingReceiver(attacker: Attacker): Promise<void> {
  const server = createServer((_request, response) => {
    attacker.count('webhook received');
    response.writeHead(200, { 'content-type': 'text/plain' });
    const drip = setInterval(() => response.write('.'), DRIP_MS);
    response.once('close', () => {
      clearInterval(drip);
      attacker.count('webhook let go');
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(attacker.scene.receiverPort, '127.0.0.1', resolve));
  await attacker.repeat(1, Number.POSITIVE_INFINITY, async (turn) => {
    await upload(attacker, `drip-${turn}.txt`, `drip ${turn}`);
    await attacker.pause(DRIP_MS);
  });
  server.closeAllConnections();
  server.close();
}
