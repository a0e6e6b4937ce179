/** Every picture has this size: what does not fill it is fitted and padded. */
export const PICTURE = { width: 640, height: 480 } as const;
