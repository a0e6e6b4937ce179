import { Injectable } from '@nestjs/common';
import { type NamespaceScope, wholeNamespaces } from '@twinyard/auth';
import { limitExceeded } from '@twinyard/conventions';
import { DataSource } from 'typeorm';
import type { MetricQuery } from './metric-query';

export interface Point {
  readonly hour: Date;
  readonly value: number;
}

/** Of one answer, some 13 MB: a series has at most one an hour, so it is 22 years old before it has more. */
export const MOST_POINTS = 200_000;

@Injectable()
export class PointsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The series of the given dimensions, oldest point first; nothing of a namespace outside the scope. Errors: `limit_exceeded`. */
  async list(scope: NamespaceScope, { metric, namespace, dimensions, period }: MetricQuery): Promise<Point[]> {
    const [outerName, innerName] = metric.dimensions;
    const rows = await this.dataSource.query<{ hour: Date; value: string }[]>(
      `SELECT hour, value FROM point
       WHERE metric = $1 AND namespace = $2 AND namespace = ANY($3) AND outer_dimension = $4 AND inner_dimension = $5
         AND ($6::timestamptz IS NULL OR hour >= $6) AND ($7::timestamptz IS NULL OR hour <= $7)
       ORDER BY hour LIMIT ${MOST_POINTS + 1}`,
      [metric.name, namespace, wholeNamespaces(scope), valueOf(dimensions, outerName), valueOf(dimensions, innerName), period?.from ?? null, period?.to ?? null],
    );
    if (rows.length > MOST_POINTS) {
      throw limitExceeded(`There are more than ${MOST_POINTS} points; ask for a shorter time: ${metric.name}/by-dimension;namespace=${namespace}?period.from=<time>&period.to=<time>`, 'period.from');
    }
    return rows.map(({ hour, value }) => ({ hour, value: Number(value) }));
  }
}

const valueOf = (dimensions: Readonly<Record<string, string>>, name: string | undefined) => (name === undefined ? '' : (dimensions[name] ?? ''));
