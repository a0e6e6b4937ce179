/** For each share the least of the numbers below or at which so much of them lies (nearest rank); `null` of no numbers. */
export function ranksOf(numbers: readonly number[], shares: readonly number[]): (number | null)[] {
  const ascending = Float64Array.from(numbers).sort();
  return shares.map((share) => ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? null);
}
