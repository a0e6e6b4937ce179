import { ALLOWED_HEADERS } from '@twinyard/service-kit';

/** Contract 0.1: signed file urls answer any origin, and whatever clients send on every request: many have no other way to ask. */
export const ANY_ORIGIN = {
  cors: {
    origin: '*',
    methods: ['GET', 'HEAD'],
    allowedHeaders: [...ALLOWED_HEADERS, 'range', 'if-range', 'if-modified-since', 'if-unmodified-since'],
    exposedHeaders: ['Accept-Ranges', 'Content-Disposition', 'Content-Encoding', 'Content-Length', 'Content-Range', 'ETag', 'Last-Modified', 'X-Request-Id'],
  },
};
