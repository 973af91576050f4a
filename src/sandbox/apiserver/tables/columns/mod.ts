/** Building blocks for columns. */
export { ageOf, humanDuration } from "./age.ts";
export * from "./cells.ts";
export { AGE, type CellValue, type Column, flag, integer, NAME, type TableRules, text, wide } from "./column.ts";
