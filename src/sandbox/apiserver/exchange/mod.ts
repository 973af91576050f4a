/** One request to a resource, and the objects and options it names. */
export { checkDeleteOptions, readDeletion, type SentOptions } from "./deletion.ts";
export {
  answerObject,
  answerOptions,
  checkListForm,
  type Exchange,
  operationOf,
  partText,
  type TableOptions,
  type Tables,
} from "./exchange.ts";
export { handleGet, storedObject } from "./read.ts";
export { readPatch } from "./read_patch.ts";
