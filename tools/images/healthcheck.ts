/** HEALTHCHECK of every image: whether the process in it takes requests. Node is there anyway, curl is not. */
const url = `http://127.0.0.1:${process.env.PORT ?? '3000'}/health/ready`;

fetch(url, { signal: AbortSignal.timeout(4_000) }).then(
  ({ ok }) => process.exit(ok ? 0 : 1),
  () => process.exit(1),
);
