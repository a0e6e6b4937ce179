import { setImmediate as turn } from 'node:timers/promises';
import { Room } from './room';

describe('a room', () => {
  it('is given to as many as there is room for, in their order, and to others when they give it back', async () => {
    const room = new Room(10);
    const inside: string[] = [];
    const enter = async (name: string, bytes: number) => {
      const giveBack = await room.take(bytes);
      inside.push(name);
      return giveBack;
    };
    const [first, second] = [await enter('a', 6), await enter('b', 4)];
    const [large, small] = [enter('c', 500), enter('d', 1)];
    await turn();
    expect(inside).toEqual(['a', 'b']);
    first();
    await turn();
    expect(inside).toEqual(['a', 'b']);
    second();
    const third = await large;
    await turn();
    expect(inside).toEqual(['a', 'b', 'c']);
    third();
    await small;
    expect(inside).toEqual(['a', 'b', 'c', 'd']);
  });
});
