import { invalid } from '@twinyard/conventions';
import { evalExpr } from 'mingo/core';
import type { Any, AnyObject, Options } from 'mingo/types';

type Operator = (document: AnyObject, operand: Any, options: Options) => number | null;

/** MongoDB's. */
const LEAST = -20;
const MOST = 100;
/** From here on `toFixed` writes no digits, and a double has none behind the point. */
const WHOLE = 1e21;

/**
 * `$round` to the nearest, halves to the even one, and `$trunc`, of what the double is exactly. mingo cuts digits off before it looks at
 * them, so that 1.2553 is 1.25 to it, and does not round whole numbers up.
 */
const cutTo = (name: string, cut: (number: number, places: number) => number): Operator => (document, operand, options) => {
  const [number, places = 0] = [evalExpr(document, operand, options)].flat() as unknown[];
  if (isNothing(number) || isNothing(places)) return null;
  if (typeof number !== 'number') throw invalid(`${name}: needs a number`);
  if (!Number.isInteger(places) || (places as number) < LEAST || (places as number) > MOST) throw invalid(`${name}: places are a whole number from ${LEAST} to ${MOST}`);
  const result = Number.isFinite(number) ? cut(Math.abs(number), places as number) : number;
  return number < 0 ? -result : result;
};

const isNothing = (value: unknown) => value === null || value === undefined;

function rounded(number: number, places: number): number {
  if (places < 0) return toTens(number, places, true);
  if (number >= WHOLE) return number;
  // Of two that are as near `toFixed` takes the greater one.
  const nearest = number.toFixed(places);
  return Number(isOddLast(nearest) && isHalf(number, places) ? truncatedText(number, places) : nearest);
}

const truncated = (number: number, places: number): number => {
  if (places < 0) return toTens(number, places, false);
  return number >= WHOLE ? number : Number(truncatedText(number, places));
};

/** All digits that count: those of a double of any use end long before. */
const digits = (number: number) => number.toFixed(MOST);
const truncatedText = (number: number, places: number) => digits(number).slice(0, places - MOST || undefined);
const isHalf = (number: number, places: number) => places < MOST && /^50*$/.test(digits(number).slice(places - MOST));
const isOddLast = (text: string) => /[13579]$/.test(text);

/** To tens, hundreds and so on. */
function toTens(number: number, places: number, isNearest: boolean): number {
  const step = 10n ** BigInt(-places);
  const whole = BigInt(Math.trunc(number));
  const [count, rest] = [whole / step, (whole % step) * 2n];
  const isMore = rest > step || (rest === step && (number % 1 > 0 || count % 2n === 1n));
  return Number((isNearest && isMore ? count + 1n : count) * step);
}

export const ROUNDING: Readonly<Record<string, Operator>> = { $round: cutTo('$round', rounded), $trunc: cutTo('$trunc', truncated) };
