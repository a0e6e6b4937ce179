import { zoneTable } from './zone-table';

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);

describe('the table of a zone', () => {
  it('has each change of its clocks, to the second', async () => {
    const { name, from, to, changes } = await zoneTable('Europe/Berlin');
    expect([name, from, to, changes[0]]).toEqual(['Europe/Berlin', at('1970-01-01T00:00Z'), at('2100-01-01T00:00Z'), [from, HOUR]]);
    const of2024 = changes.filter(([change]) => change >= at('2024-01-01T00:00Z') && change < at('2025-01-01T00:00Z'));
    expect(of2024).toEqual([[at('2024-03-31T01:00Z'), 2 * HOUR], [at('2024-10-27T01:00Z'), HOUR]]);
  });

  it('has changes of less than an hour, that came but once, and that last but some weeks', async () => {
    const halfHour = (await zoneTable('Australia/Lord_Howe')).changes.filter(([change]) => change >= at('2024-01-01T00:00Z') && change < at('2025-01-01T00:00Z'));
    expect(halfHour.map(([, offset]) => offset)).toEqual([10.5 * HOUR, 11 * HOUR]);
    // Samoa left out the 30th of December 2011.
    expect((await zoneTable('Pacific/Apia')).changes).toContainEqual([at('2011-12-30T10:00Z'), 14 * HOUR]);
    const ramadan = (await zoneTable('Africa/Casablanca')).changes.filter(([change]) => change >= at('2024-01-01T00:00Z') && change < at('2025-01-01T00:00Z'));
    expect(ramadan.map(([, offset]) => offset)).toEqual([0, HOUR]);
    expect((await zoneTable('Asia/Tokyo')).changes.map(([, offset]) => offset)).toEqual([9 * HOUR]);
  });

  it('is one, however its zone is written', async () => {
    expect(await zoneTable('europe/BERLIN')).toBe(await zoneTable('Europe/Berlin'));
  });

  it.each(['', 'Mars/Olympus', '+01:00', 'Europe/Berlin\n', '../x', 'x'.repeat(100), undefined, null, 5, {}])('is none of %j', async (name) => {
    await expect(zoneTable(name)).rejects.toMatchObject({ code: 'invalid' });
  });
});
