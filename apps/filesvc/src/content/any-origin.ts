/** Contract 0.1: signed file urls answer any origin. */
export const ANY_ORIGIN = {
  cors: {
    origin: '*',
    methods: ['GET', 'HEAD'],
    allowedHeaders: ['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'x-request-id'],
    exposedHeaders: ['Accept-Ranges', 'Content-Disposition', 'Content-Encoding', 'Content-Length', 'Content-Range', 'ETag', 'Last-Modified', 'X-Request-Id'],
  },
};
