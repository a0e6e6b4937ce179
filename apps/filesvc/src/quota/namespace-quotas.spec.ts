import { faultsOfQuotas, parseQuotas } from './namespace-quotas';

describe('quotas of single namespaces', () => {
  it.each<[string, [string, number][]]>([
    ['', []],
    ['house_a1B2c3D4=0', [['house_a1B2c3D4', 0]]],
    ['house_a1B2c3D4=10GiB, other_x9Y8z7W6 = 500MiB,', [['house_a1B2c3D4', 10 * 1024 ** 3], ['other_x9Y8z7W6', 500 * 1024 ** 2]]],
    ['house_a1B2c3D4=7KiB,other_x9Y8z7W6=2TiB', [['house_a1B2c3D4', 7_168], ['other_x9Y8z7W6', 2 * 1024 ** 4]]],
  ])('%j', (text, quotas) => {
    expect(faultsOfQuotas(text)).toEqual([]);
    expect([...parseQuotas(text)]).toEqual(quotas);
  });

  it('have every fault named, with its place and without its text', () => {
    expect(faultsOfQuotas('house_a1B2c3D4=10GB,nowhere=5,house_a1B2c3D4=-1,other_x9Y8z7W6,two_x9Y8z7W6=1=2,much_x9Y8z7W6=999999999999999TiB')).toEqual([
      'entry 1 does not end with =<bytes>, or a number of KiB, MiB, GiB or TiB',
      'entry 2 does not begin with a namespace',
      'entry 3 does not end with =<bytes>, or a number of KiB, MiB, GiB or TiB',
      'entry 3 names a namespace twice',
      'entry 4 does not end with =<bytes>, or a number of KiB, MiB, GiB or TiB',
      'entry 5 does not end with =<bytes>, or a number of KiB, MiB, GiB or TiB',
      'entry 6 does not end with =<bytes>, or a number of KiB, MiB, GiB or TiB',
    ]);
  });
});
