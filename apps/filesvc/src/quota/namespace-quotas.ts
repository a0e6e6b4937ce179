const UNITS: Readonly<Record<string, number>> = { '': 1, 'KiB': 1024, 'MiB': 1024 ** 2, 'GiB': 1024 ** 3, 'TiB': 1024 ** 4 };
const SIZE = /^(\d{1,15})(KiB|MiB|GiB|TiB)?$/;
const NAMESPACE = /^[A-Za-z0-9]+_[A-Za-z0-9]{8}$/;

/** What is wrong with `ns1=10GiB,ns2=5000000`, each fault with its place in the list; nothing when it is good. */
export function faultsOfQuotas(text: string): string[] {
  const names = entriesOf(text).map(([namespace]) => namespace);
  return entriesOf(text).flatMap(([namespace, size], index) => {
    const place = `entry ${index + 1}`;
    return [
      ...(NAMESPACE.test(namespace) ? [] : [`${place} does not begin with a namespace`]),
      ...(bytesOf(size) === undefined ? [`${place} does not end with =<bytes>, or a number of KiB, MiB, GiB or TiB`] : []),
      ...(names.indexOf(namespace) < index ? [`${place} names a namespace twice`] : []),
    ];
  });
}

/** Bytes that each namespace of the list may hold. */
export const parseQuotas = (text: string): ReadonlyMap<string, number> => new Map(entriesOf(text).map(([namespace, size]) => [namespace, bytesOf(size) ?? 0]));

const entriesOf = (text: string) => text.split(',').filter((entry) => entry.trim() !== '').map((entry) => {
  const [namespace = '', ...size] = entry.split('=').map((part) => part.trim());
  return [namespace, size.join('=')] as const;
});

function bytesOf(size: string): number | undefined {
  const [, digits, unit = ''] = SIZE.exec(size) ?? [];
  const bytes = Number(digits) * (UNITS[unit] ?? 1);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
