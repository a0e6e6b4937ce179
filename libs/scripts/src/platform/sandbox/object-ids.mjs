// Ids of related items (contract 0.3): seconds, ten digits of the host, who draws them anew for each script, and a count.
const hex = (number, length) => number.toString(16).padStart(length, '0').slice(-length);

export function idsFrom(seed) {
  let count = 0;
  return () => {
    count += 1;
    return hex(Math.floor(Date.now() / 1_000), 8) + seed + hex(count, 6);
  };
}
