/**
 * The Common Expression Language, as far as admission policies need it: reading expressions and checking their types.
 */
export { compile, type Compiled } from "./compile.ts";
export { type Parsed, parseExpression } from "./parser.ts";
export type { Environment } from "./environment.ts";
export { isTooLarge } from "./too_large.ts";
export { policyEnvironment, type PolicyVariables, storedType } from "./policy_environment.ts";
export { type FindSchema, type Schema, schemaType } from "./schema_types.ts";
export { type CelType, DYN, typeText } from "./types.ts";
