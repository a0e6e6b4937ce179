import { FairSlots } from './fair-slots';

describe('places that callers share', () => {
  it('lets nobody take more than its share, and those that wait in one caller after the other', () => {
    const slots = new FairSlots({ total: 3, share: 2 });
    const entered: string[] = [];
    const take = (caller: string, name: string) => slots.take(caller, () => entered.push(name));
    const [leave1] = [take('a', 'a1'), take('a', 'a2'), take('a', 'a3'), take('a', 'a4')];
    expect(entered).toEqual(['a1', 'a2']);
    const [leaveB1] = [take('b', 'b1'), take('b', 'b2'), take('c', 'c1')];
    expect(entered).toEqual(['a1', 'a2', 'b1']);
    leave1?.();
    expect(entered).toEqual(['a1', 'a2', 'b1', 'b2']);
    leaveB1?.();
    leaveB1?.();
    expect(entered).toEqual(['a1', 'a2', 'b1', 'b2', 'c1']);
  });

  it('forgets who gives up waiting', () => {
    const slots = new FairSlots({ total: 1, share: 1 });
    const entered: string[] = [];
    const leave = slots.take('a', () => entered.push('a'));
    const giveUp = slots.take('b', () => entered.push('b'));
    slots.take('c', () => entered.push('c'));
    giveUp();
    leave();
    expect(entered).toEqual(['a', 'c']);
  });
});
