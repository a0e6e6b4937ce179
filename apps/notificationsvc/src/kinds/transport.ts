/** How a device is told (contract 7). */
export const TRANSPORTS = ['EMAIL', 'WEBHOOK'] as const;
export type Transport = (typeof TRANSPORTS)[number];
