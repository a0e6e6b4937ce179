import type { SentStream } from '../http/platform-http';
import { PassingFailure } from '../platform-error';
import { sendGrowing } from './growing-file';
import { HeldBytes, type Pace } from './held-bytes';

const PACE: Pace = { heldBytes: 10, quietMs: 1, littleBytes: 2 };

async function* bytesOf(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe('a file that is sent while it is made', () => {
  let sent: string[];
  beforeEach(() => {
    sent = [];
  });

  const stream = async ({ contentType, bytes }: SentStream) => {
    for await (const chunk of bytes) sent.push(Buffer.from(chunk).toString());
    return contentType;
  };
  const whole = async (content: Uint8Array) => `whole ${Buffer.from(content).toString()}`;
  const send = (bytes: AsyncIterable<Uint8Array>, sender: Partial<Parameters<typeof sendGrowing<string>>[2]> = {}) => sendGrowing(bytes, 'text/csv', { whole, stream, ...sender }, PACE);

  it('goes as a whole where it is small', async () => {
    expect(await send(bytesOf('12345', '67890'))).toBe('whole 1234567890');
    expect(await send(bytesOf())).toBe('whole ');
    expect(sent).toEqual([]);
  });

  it('goes piece by piece where it is larger, with little held back', async () => {
    const type = await send(bytesOf('12345', '67890', 'abc', 'defgh'));
    const [, boundary] = /^multipart\/form-data; boundary=(.*)$/.exec(type) ?? [];
    expect(sent[0]).toBe(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="file"\r\nContent-Type: text/csv\r\n\r\n`);
    expect(sent.slice(1)).toEqual(['123', '45678', '90abcdefgh', `\r\n--${boundary}--\r\n`]);
  });

  it('goes on a little at a time while nothing comes', async () => {
    let goOn: (() => void) | undefined;
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('1234567890ab');
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      yield Buffer.from('cd');
    }
    const drained = async ({ bytes }: SentStream) => {
      for await (const chunk of bytes) {
        sent.push(Buffer.from(chunk).toString());
        if (sent.slice(1).join('') === '1234567890ab') goOn?.();
      }
      return 'sent';
    };
    expect(await send(slow(), { stream: drained })).toBe('sent');
    expect(sent.slice(1, -1)).toEqual(['12', '34', '56', '78', '90', 'ab', 'cd']);
  });

  it('is not sent to its end when its bytes fail, whose maker is told when nobody wants them', async () => {
    async function* failing(length: number): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(length, 'x');
      throw new Error('no more');
    }
    for (const length of [5, 50]) await expect(send(failing(length))).rejects.toThrow('no more');
    expect(sent.join('')).not.toMatch(/--\r\n$/);
    let isOver = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from('123');
      } finally {
        isOver = true;
      }
    }
    await expect(send(endless(), { stream: async () => Promise.reject(new Error('refused')) })).rejects.toThrow('refused');
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(true);
  });

  it('says so where the line broke', async () => {
    await expect(send(bytesOf('12345678901'), { stream: async () => Promise.reject(new PassingFailure('filesvc cannot be reached')) })).rejects.toMatchObject({ status: 503, code: 'unavailable', message: 'filesvc cannot be reached' });
  });
});

describe('bytes that are held', () => {
  it('are taken in their order, whole pieces or parts of them', () => {
    const held = new HeldBytes();
    for (const text of ['abc', 'd', 'efgh']) held.put(Buffer.from(text));
    expect([held.take(2).toString(), held.size, held.take(4).toString(), held.take(9).toString(), held.size, held.take(1).length]).toEqual(['ab', 6, 'cdef', 'gh', 0, 0]);
  });
});
