/** Why a file cannot be read or written as a workbook, in words for whoever sent it. */
export class XlsxFault extends Error {}
