/** Weights of content codings by `Accept-Encoding` (RFC 9110, 12.5.3). */
export type CodingWeights = ReadonlyMap<string, number>;

const ELEMENT = /^([!#$%&'*+.^_`|~\w-]+)(?:\s*;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;
/** "x-gzip … should be considered equivalent to gzip" (8.4.1.3); the same for x-compress. */
const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip', 'x-compress': 'compress' };

export const canonicalCoding = (name: string): string => ALIASES[name.toLowerCase()] ?? name.toLowerCase();

/** Nothing, when the header is not there: "any content coding is considered acceptable". Elements that are malformed say nothing. */
export function parseAcceptEncoding(header: string | undefined): CodingWeights | undefined {
  if (header === undefined) return undefined;
  const weights = new Map<string, number>();
  for (const element of header.split(',')) {
    const [, name, weight] = ELEMENT.exec(element.trim()) ?? [];
    if (name !== undefined) weights.set(canonicalCoding(name), Number(weight ?? 1));
  }
  return weights;
}

/** 0: not acceptable. What is neither named nor meant by `*` is not, other than `identity`. */
export function weightOf(weights: CodingWeights, coding: string): number {
  const weight = weights.get(coding) ?? weights.get('*');
  return weight ?? (coding === 'identity' ? LEAST : 0);
}

/** "acceptable by default": behind every coding that is asked for. */
const LEAST = 0.0001;
