/** Definitions of custom resources: their validation and the names they get. */
export { isTrue, validateDefinition } from "./definition_rules.ts";
export { definitionWarnings } from "./definition_warnings.ts";
export { validateNames } from "./name_rules.ts";
export { decideNames, ESTABLISHED, type NewCondition, withCondition } from "./names_status.ts";
