import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { bytesInTurns, JsonText, sendJsonTexts } from './json-text';

const fastify = createRequire(require.resolve('@nestjs/platform-fastify'))('fastify') as () => FastifyInstance;

/** Three characters of UTF-16 each, so that halves of pairs come to stand wherever a text is cut. */
const LONG = JSON.stringify(['木😀'.repeat(1_000_000)]);

describe('answers that are JSON already', () => {
  it('are written in UTF-8, also where they are cut', async () => {
    for (const text of ['', 'a', LONG, LONG.slice(1), LONG.slice(2)]) expect((await bytesInTurns(text)).equals(Buffer.from(text))).toBe(true);
  });

  it('let others have their turn when they are long', async () => {
    let turns = 0;
    const count = () => { turns += 1; if (turns < 1_000) setImmediate(count); };
    setImmediate(count);
    const now = jest.spyOn(performance, 'now');
    let clock = 0;
    now.mockImplementation(() => (clock += 6));
    await bytesInTurns(LONG).finally(() => now.mockRestore());
    const seen = turns;
    turns = 1_000;
    expect(seen).toBeGreaterThanOrEqual(3);
  });

  it('come as they are, whatever they are', async () => {
    const app = fastify();
    sendJsonTexts(app);
    const answers = { long: new JsonText(LONG), short: new JsonText('[1]'), bytes: new JsonText(Buffer.from('{"a":"ü"}')), value: { b: 1 } };
    for (const [name, answer] of Object.entries(answers)) app.get(`/${name}`, () => answer);
    const of = async (name: string) => (await app.inject(`/${name}`)).payload;
    expect([await of('long') === LONG, await of('short'), await of('bytes'), await of('value')]).toEqual([true, '[1]', '{"a":"ü"}', '{"b":1}']);
    await app.close();
  });
});
