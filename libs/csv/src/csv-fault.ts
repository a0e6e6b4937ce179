/** Why a file cannot be read as CSV, in words for whoever sent it. */
export class CsvFault extends Error {}
