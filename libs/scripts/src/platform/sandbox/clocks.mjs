// Instants, and what the clocks of a zone show at them, as the milliseconds that this would be in UTC.
const DAY = 86_400_000;

/** As the host tells a zone: offsets in ms, each from its instant on, between two years. */
export const UTC = Object.freeze({ name: 'UTC', from: -Infinity, to: Infinity, changes: [[-Infinity, 0]] });

export function offsetIn({ name, from, to, changes }, at) {
  if (at < from || at >= to) throw new RangeError(`The clocks of ${name} are known from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`);
  let [low, high] = [0, changes.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (changes[middle][0] <= at) low = middle;
    else high = middle - 1;
  }
  return changes[low][1];
}

export const shownAt = (at, zone) => at + offsetIn(zone, at);

/** The instant at which clocks there show this: the first of two, and for a time that they skip the moment in which they do. */
export function instantOf(shown, zone) {
  if (zone === UTC) return shown;
  const offsets = [offsetIn(zone, shown - DAY), offsetIn(zone, shown + DAY)];
  const instants = offsets.map((offset) => shown - offset).filter((at) => shownAt(at, zone) === shown);
  if (instants.length > 0) return Math.min(...instants);
  return zone.changes.find(([from, offset]) => from > shown - DAY && from + offset > shown)[0];
}

export function fieldsOf(shown) {
  const date = new Date(shown);
  return {
    year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate(), weekday: date.getUTCDay(),
    hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: date.getUTCSeconds(), millisecond: date.getUTCMilliseconds(),
  };
}
