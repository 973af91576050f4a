/** Building blocks for columns. */
export { ageOf, humanDuration } from "./age.ts";
export {
  boolText,
  containerColumns,
  entryCount,
  firstOf,
  ingressAddresses,
  NONE,
  orNone,
  orUnset,
  SELECTOR_COLUMN,
  selectorCell,
  sortedSet,
  TEMPLATE_COLUMNS,
  UNKNOWN,
  UNSET,
} from "./cells.ts";
export { AGE, type CellValue, type Column, flag, integer, NAME, type TableRules, text, wide } from "./column.ts";
