/** Far more than the first lines of a text. */
export const TEXT_BYTES = 65_536;
