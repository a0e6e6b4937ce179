import { UNKNOWN_TYPE } from '../uploads/part-headers';

/** What browsers show by themselves, and none of them runs. */
const SHOWN = /^(image\/(?!svg)|audio\/|video\/|application\/pdf$)/;

/**
 * What a content is of which nobody has said what it is, by what its bytes say. Of other types it helps nobody to be told: to its first
 * bytes a `.docx` may be `application/zip`, and some browsers rename it so.
 */
export const unsaidType = (detected: string | null): string => (detected !== null && SHOWN.test(detected) ? detected : UNKNOWN_TYPE);
