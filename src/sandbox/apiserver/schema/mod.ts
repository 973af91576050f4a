/** The API's types as Go declares them: fields, their order, how values are normalised and merged. */
export { typeName } from "./misfit.ts";
export { DecodeError, type Findings, normalise, normaliseOwn } from "./normalise.ts";
export { setMember, sortedCopy } from "./scalars.ts";
export * from "./shape.ts";
export * from "./types.ts";
