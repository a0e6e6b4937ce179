import type { Told } from './messages';
import { WayIn } from './way-in';

const answer = (id: number): Told => ({ kind: 'answer', id });

describe('the way into a thread', () => {
  it('is open to as much as there is room for, in order, and to more when that has arrived', () => {
    const sent: Told[] = [];
    const way = new WayIn((message) => sent.push(message), 100);
    const ids = () => sent.splice(0).map((message) => ('id' in message ? message.id : undefined));
    [50, 50, 1, 1].forEach((bytes, id) => way.put(answer(id), bytes));
    expect(ids()).toEqual([0, 1]);
    way.arrived();
    expect(ids()).toEqual([2, 3]);
    // Alone, however large.
    way.put(answer(4), 500);
    expect(ids()).toEqual([]);
    way.arrived();
    expect(ids()).toEqual([4]);
    way.put(answer(5), 0);
    expect(ids()).toEqual([]);
    way.arrived();
    expect(ids()).toEqual([5]);
  });
});
