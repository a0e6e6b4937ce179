import { invalid, invalidField, type QueryValues, ServiceError, textParameter } from '@twinyard/conventions';
import { type Metric, METRICS } from './metric-catalogue';

export interface MetricQuery {
  readonly metric: Metric;
  readonly namespace: string;
  /** The dimensions that were given, by their own names. */
  readonly dimensions: Readonly<Record<string, string>>;
  /** Points from `from` up to and including `to`; all known ones where missing. */
  readonly period?: { readonly from: Date; readonly to: Date };
}

const FORM = 'by-dimension';
const PERIOD = ['period.from', 'period.to'];
/** Parameters that clients send to every operation; a metric ignores them. */
const PASSED_OVER = new Set(['nsfilter', 'access_token']);
const WEEK_MS = 7 * 24 * 3_600_000;

/** `GET …/metrics/<name>?<dimension>=<value>`: all known points. */
export function parsePlainQuery(name: string, query: QueryValues): MetricQuery {
  const given = Object.keys(query).filter((key) => !PASSED_OVER.has(key));
  const period = given.filter((key) => PERIOD.includes(key));
  if (period.length > 0) throw invalid(`${period.join(', ')}: only in the form ${FORM};<dimension>=<value>`, period.map((field) => ({ field, issue: `only in the form ${FORM}` })));
  return { ...readDimensions(metricNamed(name), Object.fromEntries(given.map((key) => [key, textParameter(query, key) ?? '']))) };
}

/** `GET …/metrics/<name>/by-dimension;<dimension>=<value>;…?period.from&period.to`: those within the period, by default the last 7 days. */
export function parseDimensionForm(name: string, form: string, query: QueryValues, now: Date): MetricQuery {
  const [head, ...pairs] = form.split(';').filter((part) => part !== '');
  if (head !== FORM) throw new ServiceError('not_found', `There is no form ${JSON.stringify(head ?? '')} of a metric`);
  const metric = metricNamed(name);
  const given = Object.fromEntries(pairs.map(readPair));
  return { ...readDimensions(metric, given), period: readPeriod(query, now) };
}

function metricNamed(name: string): Metric {
  const metric = METRICS.get(name);
  if (metric === undefined) throw invalidField('metricName', `there is no metric ${JSON.stringify(name)}`);
  return metric;
}

function readPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at <= 0) throw invalidField(FORM, `${JSON.stringify(pair)} must have the form <dimension>=<value>`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

function readDimensions(metric: Metric, given: Readonly<Record<string, string>>): Omit<MetricQuery, 'period'> {
  const { namespace, ...dimensions } = given;
  if (namespace === undefined || namespace === '') throw invalidField('namespace', 'is required');
  const unknown = Object.keys(dimensions).filter((name) => !metric.dimensions.includes(name));
  if (unknown.length > 0) {
    const known = ['namespace', ...metric.dimensions].join(', ');
    throw invalid(`${unknown.join(', ')}: no dimension of ${metric.name}; it has ${known}`, unknown.map((field) => ({ field, issue: `is no dimension of ${metric.name}` })));
  }
  return { metric, namespace, dimensions };
}

function readPeriod(query: QueryValues, now: Date): { from: Date; to: Date } {
  const to = readTime(query, 'period.to') ?? now;
  const from = readTime(query, 'period.from') ?? new Date(to.getTime() - WEEK_MS);
  if (from > to) throw invalidField('period.from', 'is after period.to');
  return { from, to };
}

function readTime(query: QueryValues, name: string): Date | undefined {
  const text = textParameter(query, name);
  if (text === undefined || text === '') return undefined;
  // A plus sign in a query string arrives as a space: 2026-01-31T12:00:00+01:00.
  const time = new Date(text.replace(/ (?=\d{2}:?\d{2}$)/, '+'));
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(time.getTime())) throw invalidField(name, 'must be an ISO 8601 time');
  return time;
}
