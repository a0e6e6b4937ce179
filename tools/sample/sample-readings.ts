const START = Date.UTC(2026, 0, 5);
const HOUR = 3_600_000;
const DAYS = 60;

/** Sixty days of an office's temperature, hourly, in °C: cool nights and weekends, a warm afternoon, some noise. */
export function sampleReadings(): string {
  const noise = noiseFrom(20_260_105);
  const rows = Array.from({ length: DAYS * 24 }, (_, hour) => `${new Date(START + hour * HOUR).toISOString()},${temperatureAt(hour, noise()).toFixed(2)}`);
  return `timestamp,value\n${rows.join('\n')}\n`;
}

function temperatureAt(hour: number, noise: number): number {
  const day = Math.floor(hour / 24);
  const isWorkday = day % 7 < 5;
  const swing = isWorkday ? 1.9 : 0.7;
  const base = isWorkday ? 20.6 : 18.4;
  const warmestAt = 15;
  const daily = Math.cos(((hour % 24) - warmestAt) * (Math.PI / 12));
  const spring = (day / DAYS) * 1.2;
  return base + spring + swing * daily + (noise - 0.5) * 0.6;
}

/** A linear congruential generator: numbers from 0 to 1, the same for the same seed. */
function noiseFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
