/**
 * A process of its own on a store, for what cannot be seen from within a test: how much memory it takes, what remains when it is killed,
 * which certificates it trusts. `s3-program <options as JSON> <transfer | hang | round-trip>`; prints one line of JSON. Names below `s3.test` are this machine.
 */
import dns from 'node:dns';
import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { S3ObjectStore, type S3Options } from '../src';

const lookUp = dns.lookup;
dns.lookup = ((name: string, ...rest: Parameters<typeof lookUp> extends [string, ...infer R] ? R : never) =>
  lookUp(/(^|\.)s3\.test$/.test(name) ? '127.0.0.1' : name, ...rest)) as typeof lookUp;

const MEBIBYTE = 1024 ** 2;
const store = new S3ObjectStore(JSON.parse(process.argv[2] ?? '') as S3Options);
const print = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);

function* megabytes(count: number): Generator<Buffer> {
  for (let index = 0; index < count * 16; index += 1) yield Buffer.alloc(MEBIBYTE / 16, index);
}

async function moveThere(count: number): Promise<void> {
  await store.put('moved', Readable.from(megabytes(count)));
}

async function moveBack(): Promise<void> {
  await pipeline(await store.get('moved'), new Writable({ write: (_chunk, _encoding, done) => done() }));
}

/** MiB by which the process grows while `move` runs. */
async function growthDuring(move: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()); }, 20);
  await move();
  clearInterval(timer);
  return Math.round((peak - before) / MEBIBYTE);
}

const TASKS: Readonly<Record<string, () => Promise<unknown>>> = {
  transfer: async () => {
    // Code is compiled and pools are filled by the first transfer.
    await moveThere(40);
    await moveBack();
    return { put: await growthDuring(() => moveThere(300)), get: await growthDuring(moveBack) };
  },
  hang: () => store.put('hung', Readable.from((async function* () {
    yield* megabytes(16);
    print({ sent: 16 });
    await new Promise(() => setInterval(() => undefined, 1_000));
  })())),
  'round-trip': async () => {
    await store.check();
    await store.put('tried', Readable.from([Buffer.from('there and back')]));
    const address = await store.presignedGet('tried', { contentType: 'text/plain', contentDisposition: 'inline' }, 60);
    return { read: (await buffer(await store.get('tried'))).toString(), host: address.host, presigned: await (await fetch(address)).text() };
  },
};

(TASKS[process.argv[3] ?? ''] ?? (() => Promise.reject(new Error('no such task'))))().then(print, (error: Error) => {
  print({ error: error.message, cause: (error.cause as { code?: string } | undefined)?.code });
});
