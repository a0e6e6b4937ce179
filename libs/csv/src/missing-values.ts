/** What programs write where there is no value (contract 5). `null` is not among them: where cells hold JSON it is a value. */
export const MISSING_VALUES: readonly string[] = ['NaN', 'nan', 'NA', 'N/A', '#N/A', 'NULL', '-'];
