/** Specs that search more than they write: a file of their own, so that two workers share the suite. */
export const SEARCHED_ON_MONGO: readonly string[] = ['aggregates', 'exports', 'indexes', 'permissions', 'readings', 'relationships', 'rotations', 'search', 'search-graph', 'telemetry-configs', 'update-logs'];
