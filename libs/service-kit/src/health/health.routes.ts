import type { FastifyInstance } from 'fastify';
import type { MetricsRegistry } from '../metrics/metrics-registry';
import type { ReadinessChecks } from './readiness-checks';

/** `/health/live`, `/health/ready`, `/metrics` (contract 0.6): on the service itself, not through the public origin. */
export function serveHealth(instance: FastifyInstance, checks: ReadinessChecks, metrics: MetricsRegistry): void {
  instance.get('/health/live', (_request, reply) => reply.send({ status: 'ok' }));
  instance.get('/health/ready', async (_request, reply) => {
    const failing = await checks.failing();
    return failing.length === 0 ? reply.send({ status: 'ready' }) : reply.status(503).send({ status: 'not ready', failing });
  });
  instance.get('/metrics', async (_request, reply) => reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()));
  instance.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.requestSeconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
}
