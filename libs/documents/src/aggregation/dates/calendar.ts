/** What a calendar says of a local time, which is given in milliseconds as if it were UTC. */
const DAY = 86_400_000;

/** Days since 1970. */
export const dayOf = (local: number): number => Math.floor(local / DAY);

export const startOfDay = (day: number): number => day * DAY;

export const yearOf = (local: number): number => new Date(local).getUTCFullYear();

/** Months since the year 0. */
export const monthsOf = (local: number): number => yearOf(local) * 12 + new Date(local).getUTCMonth();

export function startOfMonths(months: number): number {
  const start = new Date(0);
  start.setUTCFullYear(Math.floor(months / 12), months - Math.floor(months / 12) * 12, 1);
  return start.getTime();
}

/** January the first is 1. */
export const dayOfYear = (local: number): number => dayOf(local) - dayOf(startOfMonths(yearOf(local) * 12)) + 1;

/** Sunday is 1. */
export const dayOfWeek = (local: number): number => new Date(local).getUTCDay() + 1;

/** Monday is 1. */
export const isoDayOfWeek = (local: number): number => new Date(local).getUTCDay() || 7;

/** Weeks begin on Sundays; days before the first one are week 0. */
export const weekOfYear = (local: number): number => Math.floor((dayOfYear(local) + 7 - dayOfWeek(local)) / 7);

/** ISO 8601: a week belongs to the year of its Thursday. */
const thursdayOf = (local: number): number => startOfDay(dayOf(local) - isoDayOfWeek(local) + 4);

export const isoWeekYear = (local: number): number => yearOf(thursdayOf(local));

export const isoWeek = (local: number): number => Math.ceil(dayOfYear(thursdayOf(local)) / 7);

/** As many months later, on the same day, or on the last of a month that is shorter. */
export function addMonths(local: number, months: number): number {
  const month = monthsOf(local) + months;
  const last = dayOf(startOfMonths(month + 1)) - dayOf(startOfMonths(month));
  const day = Math.min(new Date(local).getUTCDate(), last);
  return startOfMonths(month) + startOfDay(day - 1) + (local - startOfDay(dayOf(local)));
}
