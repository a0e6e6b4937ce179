// @ts-check
// Energy of each storey of a day, from the readings of its meters. A real script: it is compiled against the declarations, and run.
import { toKilowattHours } from 'script:units';

/** @typedef {{ readonly _id: string, readonly name: string, readonly storey: string }} Meter */

export default /** @type {Twinyard.Script<{ readonly meters: string, readonly results: string, readonly timezone: string }>} */ (async ({ actualParams }, { platform, dates }, ctx) => {
  const { meters, results, timezone } = actualParams;
  const zone = await dates.zone(timezone);
  const from = dates.startOf(dates.add(ctx.now, { days: -1 }, zone), 'day', zone);
  const to = dates.startOf(ctx.now, 'day', zone);
  /** @type {Map<string, number>} */
  const energy = new Map();
  let done = 0;
  for await (const meter of platform.items.related(meters).list({}, { sort: { name: 1 } })) {
    ctx.signal.throwIfAborted();
    const [sum] = await platform.readings.aggregate(meters, [
      { $match: { '_tsMetadata._telItemId': meter._id, _ts: { $gte: from.toISOString(), $lt: to.toISOString() } } },
      { $group: { _id: null, joules: { $sum: '$joules' } } },
    ]);
    const { storey } = /** @type {Meter} */ (meter);
    energy.set(storey, (energy.get(storey) ?? 0) + toKilowattHours(sum?.joules ?? 0));
    ctx.progress((done += 1));
  }
  const day = dates.format(from, 'yyyy-MM-dd', zone);
  await platform.items.related(results).bulk([...energy].map(([storey, kwh]) => ({ storey, day, kwh })));
  ctx.log('info', `Energy of ${energy.size} storeys`, { day });
  return Object.fromEntries(energy);
});
