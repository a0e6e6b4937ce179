export interface SampleReading {
  readonly _ts: string;
  readonly _tsMetadata: { readonly _telItemId: string; readonly _sourceId: string };
  readonly temperature: number;
  readonly humidity: number;
}

const START = Date.UTC(2024, 0, 1);

/** The n-th of many sensors that measure by turns, each once a minute. */
export function sampleReading(n: number, sensors: readonly { readonly id: string; readonly sourceId: string }[]): SampleReading {
  const { id, sourceId } = sensors[n % sensors.length] as { id: string; sourceId: string };
  return {
    _ts: new Date(START + Math.floor(n / sensors.length) * 60_000).toISOString(), _tsMetadata: { _telItemId: id, _sourceId: sourceId },
    temperature: Math.round((20 + 5 * Math.sin(n)) * 100) / 100, humidity: 40 + (n % 20),
  };
}
