/** The API's types as Go declares them: fields, their order, how values are normalised and merged. */
export { typeName } from "./misfit.ts";
export { DecodeError, type Findings, normalise, normaliseOwn } from "./normalise.ts";
export { setMember, sortedCopy } from "./scalars.ts";
export {
  itemStep,
  keyValue,
  type ListShape,
  type Member,
  memberOf,
  type Shape,
  shapeOf,
  type StructShape,
  UNTYPED,
} from "./shape.ts";
export {
  type EitherType,
  type Field,
  type ScalarType,
  structOf,
  structOfKind,
  type StructType,
  type ValueType,
} from "./types.ts";
