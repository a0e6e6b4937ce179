/** MongoDB says `null` where mingo says 0: of no numbers, and the sample's of less than two. `spared`: 0 of a population, 1 of a sample. */
export function deviation(numbers: readonly number[], spared: 0 | 1): number | null {
  if (numbers.length <= spared) return null;
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  return Math.sqrt(numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (numbers.length - spared));
}
