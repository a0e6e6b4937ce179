import { eventually } from '@twinyard/testing';
import { BatchedTable } from './batched-table';

describe('rows that a script has open', () => {
  let left: number;
  let isEnded: boolean;
  beforeEach(() => {
    [left, isEnded] = [0, false];
  });

  async function* batches(): AsyncGenerator<string, void> {
    try {
      yield '[1]';
      yield '[2]';
    } finally {
      isEnded = true;
    }
  }
  const open = () => new BatchedTable(batches(), () => void (left += 1));

  it('leave their place at their end', async () => {
    const table = open();
    expect([await table.next(), await table.next(), await table.next(), await table.next()]).toEqual(['[1]', '[2]', undefined, undefined]);
    expect([isEnded, left > 0]).toEqual([true, true]);
  });

  it('are ended where they are, and give nothing from then on', async () => {
    const table = open();
    await table.next();
    await table.close();
    expect([isEnded, left, await table.next()]).toEqual([true, 1, undefined]);
  });

  it('leave their place when they had it for long, and say so', async () => {
    const table = open();
    await table.next();
    table.closeWithin(0);
    await eventually(() => expect([isEnded, left]).toEqual([true, 1]));
    await expect(table.next()).rejects.toMatchObject({ code: 'limit_exceeded', message: expect.stringContaining('open for too long') as string });
  });
});
