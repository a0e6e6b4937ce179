const DAY_MS = 86_400_000;
/** Days from 1899-12-30 and 1904-01-01 to 1970-01-01. */
const EPOCH_1900 = 25_569;
const EPOCH_1904 = 24_107;
/** 10000-01-01 of the system of 1900. */
const LAST_1900 = 2_958_466;

/**
 * What a number means that a cell shows as a date or a time, in ISO 8601 and without a zone, which cells do not have: `2024-01-31`, `2024-01-31T12:30:00`,
 * `12:30:00`. `undefined` for what is none, as the 29 February 1900 that Excel knows.
 */
export function textOfSerial(serial: number, form: 'date' | 'time', isFrom1904: boolean): string | undefined {
  if (form === 'time' && serial >= 0 && serial < 1) return timeOf(Math.round(serial * DAY_MS) % DAY_MS);
  const days = isFrom1904 ? serial - EPOCH_1904 : daysFrom1900(serial);
  if (days === undefined || serial < 0 || days + EPOCH_1900 >= LAST_1900) return undefined;
  const at = new Date(Math.round(days * DAY_MS)).toISOString();
  const time = at.slice(11, 23);
  return time === '00:00:00.000' ? at.slice(0, 10) : `${at.slice(0, 10)}T${withoutZeros(time)}`;
}

/** From 1970 on. Excel counts a day of 1900 that there was not, so days before it are one further. */
function daysFrom1900(serial: number): number | undefined {
  if (serial < 1 || (serial >= 60 && serial < 61)) return undefined;
  return serial - EPOCH_1900 + (serial < 60 ? 1 : 0);
}

const timeOf = (milliseconds: number): string => withoutZeros(new Date(milliseconds).toISOString().slice(11, 23));

const withoutZeros = (time: string): string => time.replace(/\.000$/, '');
