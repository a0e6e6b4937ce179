/** The mean of numbers, and how far they lie from it, by Welford's method: of all of them nothing else has to be kept. */
export class Spread {
  private count = 0;
  private mean = 0;
  private squares = 0;

  add(number: number): void {
    this.count += 1;
    const distance = number - this.mean;
    this.mean += distance / this.count;
    this.squares += distance * (number - this.mean);
  }

  /** MongoDB says `null` where mingo says 0: of no numbers, and the sample's of less than two. `spared`: 0 of a population, 1 of a sample. */
  deviation(spared: 0 | 1): number | null {
    return this.count <= spared ? null : Math.sqrt(this.squares / (this.count - spared));
  }
}

export function deviation(numbers: readonly number[], spared: 0 | 1): number | null {
  const spread = new Spread();
  for (const number of numbers) spread.add(number);
  return spread.deviation(spared);
}
